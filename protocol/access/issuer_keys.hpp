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

/// A public key of an issuer.
struct public_key {
  /// Empty when it has none.
  std::string id = {};
  /// The JSON Web Key (RFC 7517), as its issuer wrote it.
  std::string text;
  friend bool operator==(const public_key&, const public_key&) = default;
};

/// The public keys of an issuer that can sign tokens (RFC 7517, 5).
class key_set {
public:
  /// Most keys that are kept of one issuer.
  static constexpr std::size_t most = 100;

  key_set() = default;
  /// Keys of unknown kinds, for other uses, and secret ones are left out. A text that is no key set has none.
  explicit key_set(std::string_view text);

  /// The keys that may have signed a token with this algorithm and this key id, which may be empty: those with the id
  /// when it is given, otherwise all of the right kind. Empty for algorithms that are not accepted: only RS, PS and ES
  /// of 256, 384 and 512 bits are, so that `none`, and a public key as the secret of HS256, never are.
  std::vector<public_key> find(std::string_view algorithm, std::string_view id) const;
  bool is_empty() const { return keys_.empty(); }
  std::size_t size() const { return keys_.size(); }

private:
  struct known_key {
    public_key what;
    /// `RSA`, or the curve.
    std::string kind;
    /// Empty: any of its kind.
    std::string algorithm;
  };
  std::vector<known_key> keys_;
};

/// Whether tokens may be signed in this way.
bool is_accepted_algorithm(std::string_view algorithm);
/// Whether a signature of this algorithm may have so many bytes: with elliptic curves there is one size (RFC
/// 7518, 3.4).
bool fits_signature(std::string_view algorithm, std::size_t size);

// What `issuer_keys` decides.

/// GET this document of the issuer's; answered with `fetched` or `failed`.
struct fetch_document {
  std::string url;
  friend bool operator==(const fetch_document&, const fetch_document&) = default;
};
/// Nothing is on its way any more: who waits for a key asks again, and does not wait again.
struct keys_settled {
  friend bool operator==(keys_settled, keys_settled) = default;
};

using issuer_effect = std::variant<fetch_document, keys_settled, log_note>;
using issuer_effects = std::vector<issuer_effect>;

/// The public keys of an issuer: found by its metadata, fetched again after a while and for a key that is not known,
/// and kept while the issuer is away. Facts in, effects out.
class issuer_keys {
public:
  struct rules {
    std::string issuer;
    /// Whether it is of use without keys: it is asked about tokens.
    bool introspects = false;
    /// How often keys are fetched anyway.
    std::chrono::milliseconds lifetime = std::chrono::minutes{10};
    /// Between fetches for keys that are not known or may have changed, and after failures: a caller can name any key.
    std::chrono::milliseconds pause = std::chrono::seconds{30};
  };

  explicit issuer_keys(rules of) : rules_{std::move(of)} {}

  // -- facts
  issuer_effects begin(time_point now);
  issuer_effects fetched(std::string_view text, time_point now);
  issuer_effects failed(const std::string& why, time_point now);
  issuer_effects tick(time_point now);
  time_point deadline() const;

  /// What is known of a key.
  enum class state { known, unknown, awaited, unavailable };
  struct lookup {
    state is = state::unknown;
    std::vector<public_key> keys = {};
  };
  /// The keys that may have signed with this algorithm, and key id if there is one. `awaited`: they are being fetched,
  /// see `keys_settled`. `unavailable`: the issuer's keys were never there. What is to be fetched for it goes to `out`.
  lookup find(std::string_view algorithm, std::string_view id, time_point now, issuer_effects& out);

  /// A key that is known may have changed: whether the keys are being fetched, see `keys_settled`.
  bool doubt(time_point now, issuer_effects& out);

  /// Whether the introspection endpoint is known, which the metadata name. `awaited`, `unavailable`: as `find` says.
  state find_introspection(time_point now, issuer_effects& out);

  const issuer_metadata& metadata() const { return metadata_; }
  /// The metadata as it came; empty until then.
  const std::string& metadata_text() const { return metadata_text_; }

private:
  void fetch(time_point now, issuer_effects& out);
  void give_up(const std::string& why, time_point now, issuer_effects& out);
  std::string read(std::string_view text, time_point now, issuer_effects& out);

  rules rules_;
  issuer_metadata metadata_;
  std::string metadata_text_;
  key_set keys_;
  /// Of the documents that may be the metadata, the one that is being fetched; past the last: the keys are.
  std::vector<std::string> places_;
  std::size_t place_ = 0;
  bool is_fetching_ = false;
  /// The same complaint is made once.
  std::string complaint_;
  /// Not before it is anything fetched.
  time_point may_fetch_ = time_point::min();
  time_point must_fetch_ = time_point::max();
};

} // namespace troupe::protocol
