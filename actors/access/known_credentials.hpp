#pragma once

#include "net/guarded.hpp"
#include "protocol/access/credential_lookup.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::actors {

/// Results of verified keys and tokens, for all units. Callable from any thread.
class known_credentials {
public:
  /// Without tokens, a secret that is not a key is invalid.
  explicit known_credentials(bool takes_tokens = false) : takes_tokens_{takes_tokens} {}

  /// Not decided yet: the secret may be a token.
  struct not_known {};
  /// The caller that owns the secret, or why it is not valid.
  using finding = std::variant<protocol::caller, std::string, not_known>;
  /// A finding, and the time until which it holds.
  struct lasting_finding {
    finding what;
    protocol::time_point until = {};
  };

  /// Returns the owner of a secret. `unit` is the number of the calling unit: each caches its recent results, so that
  /// units that serve the same caller do not wait for each other.
  finding find(std::string_view secret, protocol::time_point now, std::size_t unit = 0);
  /// Looks the secret up without that cache; returns also how long the result holds.
  lasting_finding look_up(std::string_view secret, protocol::time_point now);
  /// Returns the owner of the key of that name, or why the key is not valid; empty when there is none.
  std::optional<std::variant<protocol::caller, std::string>> find_key(std::string_view name);
  /// Replaces all keys. Returns the owners whose key is gone or changed.
  std::vector<std::string> change(protocol::key_table keys);
  /// Stores a valid token: it need not be verified again before `until`.
  void add(const protocol::credential_digest& of_token, protocol::caller who, protocol::time_point until);

private:
  using recent = net::guarded<protocol::recent_credential>;

  /// Returns the cache slot for a secret and a unit, chosen by the end of the secret. The slot may hold another secret
  /// meanwhile.
  recent& recent_at(std::string_view secret, std::size_t unit);

  bool takes_tokens_;
  net::guarded<protocol::key_table> keys_;
  /// Number of changes of the keys.
  std::atomic<std::uint64_t> version_ = 0;
  net::guarded<protocol::known_callers> tokens_;
  std::array<recent, 256> recent_;
};

} // namespace troupe::actors
