#pragma once

#include <cstddef>
#include <string>
#include <string_view>
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

} // namespace troupe::protocol
