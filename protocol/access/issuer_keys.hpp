#pragma once

#include "protocol/access/issuer.hpp"
#include "protocol/log.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Public key of an issuer.
struct public_key {
  /// Key id; empty when the key has none.
  std::string id = {};
  /// JSON Web Key (RFC 7517), as the issuer wrote it.
  std::string text;
  friend bool operator==(const public_key&, const public_key&) = default;
};

/// Public keys of an issuer that can verify tokens (RFC 7517, 5).
class key_set {
public:
  /// Most keys that are kept of one issuer.
  static constexpr std::size_t most = 100;

  key_set() = default;
  /// Parses a key set. Skips keys of unknown kinds, keys for other uses, and secret keys. Empty if the text is no key
  /// set.
  explicit key_set(std::string_view text);

  /// Returns the keys that may have signed a token with this algorithm: those with the id, or all of its kind without
  /// an id. Only RS, PS and ES of 256, 384 and 512 bits are accepted; other algorithms have no keys. This excludes
  /// `none`, and a public key as the secret of HS256.
  std::vector<public_key> find(std::string_view algorithm, std::string_view id) const;
  bool is_empty() const { return keys_.empty(); }
  std::size_t size() const { return keys_.size(); }

private:
  struct known_key {
    public_key what;
    /// `RSA`, or the curve.
    std::string kind;
    /// Only algorithm of the key; empty when it may be any of its kind.
    std::string algorithm;
  };
  std::vector<known_key> keys_;
};

/// True if tokens may be signed with this algorithm.
bool is_accepted_algorithm(std::string_view algorithm);
/// True if a signature of this algorithm may have this size, in bytes. Elliptic curves have one size (RFC 7518, 3.4).
bool fits_signature(std::string_view algorithm, std::size_t size);

// Effects of `issuer_keys`.

/// Fetch this document of the issuer with GET; answered with `fetched` or `failed`.
struct fetch_document {
  std::string url;
  friend bool operator==(const fetch_document&, const fetch_document&) = default;
};
/// No fetch is under way any more. Tokens that wait for a key look it up again, and do not wait again.
struct keys_settled {
  friend bool operator==(keys_settled, keys_settled) = default;
};

using issuer_effect = std::variant<fetch_document, keys_settled, log_note>;
using issuer_effects = std::vector<issuer_effect>;

/// Public keys of an issuer, found by its metadata. Fetched again periodically and for an unknown key, and kept while
/// the issuer is unreachable. Facts in, effects out.
class issuer_keys {
public:
  struct rules {
    std::string issuer;
    /// Whether the issuer is useful without keys, since it is queried about tokens.
    bool introspects = false;
    /// Interval of the periodic fetches.
    std::chrono::milliseconds lifetime = std::chrono::minutes{10};
    /// Minimum interval of fetches for unknown or changed keys, and after failures: a caller can name any key.
    std::chrono::milliseconds pause = std::chrono::seconds{30};
  };

  explicit issuer_keys(rules of) : rules_{std::move(of)} {}

  // -- facts
  issuer_effects begin(time_point now);
  issuer_effects fetched(std::string_view text, time_point now);
  issuer_effects failed(const std::string& why, time_point now);
  issuer_effects tick(time_point now);
  time_point deadline() const;

  /// Result of a lookup.
  enum class state { known, unknown, awaited, unavailable };
  struct lookup {
    state is = state::unknown;
    std::vector<public_key> keys = {};
  };
  /// Returns the keys that may have signed with this algorithm, and this key id unless it is empty. `awaited`: they are
  /// being fetched, see `keys_settled`. `unavailable`: there are none, or the last fetch failed. Adds fetches to `out`.
  lookup find(std::string_view algorithm, std::string_view id, time_point now, issuer_effects& out);

  /// Fetches the keys again, as a known one may have changed. True if a fetch is under way, see `keys_settled`.
  bool doubt(time_point now, issuer_effects& out);

  /// Looks for the introspection endpoint in the metadata. `awaited`: a fetch is under way. `unavailable`: no metadata.
  state find_introspection(time_point now, issuer_effects& out);

  const issuer_metadata& metadata() const { return metadata_; }
  /// Metadata as received; empty until then.
  const std::string& metadata_text() const { return metadata_text_; }

private:
  void fetch(time_point now, issuer_effects& out);
  void try_next(const std::string& why_not_last, time_point now, issuer_effects& out);
  void give_up(const std::string& why, time_point now, issuer_effects& out);
  std::string read(std::string_view text, time_point now, issuer_effects& out);

  rules rules_;
  issuer_metadata metadata_;
  std::string metadata_text_;
  key_set keys_;
  /// Search for the metadata. The keys are being fetched if `is_fetching_` and it is over.
  document_search search_;
  bool is_fetching_ = false;
  /// Last failure that was logged: a repeated one is not logged again.
  std::string complaint_;
  /// Earliest time of the next fetch on demand.
  time_point may_fetch_ = time_point::min();
  time_point must_fetch_ = time_point::max();
};

} // namespace troupe::protocol
