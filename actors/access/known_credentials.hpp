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

/// What is known of keys and tokens, for all units. Callable from any thread.
class known_credentials {
public:
  /// Without tokens, what is no key is nothing.
  explicit known_credentials(bool takes_tokens = false) : takes_tokens_{takes_tokens} {}

  /// Nobody can tell yet: it may be a token.
  struct not_known {};
  /// Who has it, or why it is not good.
  using finding = std::variant<protocol::caller, std::string, not_known>;
  /// A finding, and until when it is one.
  struct lasting_finding {
    finding what;
    protocol::time_point until = {};
  };

  /// `unit` is the number of who asks: what one has found is known to it alone for a while, so that units that serve
  /// the same caller do not wait for each other.
  finding find(std::string_view secret, protocol::time_point now, std::size_t unit = 0);
  /// The same, and for how long.
  lasting_finding look_up(std::string_view secret, protocol::time_point now);
  /// Who has the key of that name, or why it is not good; nothing when there is none.
  std::optional<std::variant<protocol::caller, std::string>> find_key(std::string_view name);
  /// These keys from now on, and no others. Gives who has lost one.
  std::vector<std::string> change(protocol::key_table keys);
  /// A token was found to be good; nothing has to be found out of it until then.
  void add(const protocol::credential_digest& of_token, protocol::caller who, protocol::time_point until);

private:
  using recent = net::guarded<protocol::recent_credential>;

  /// One of a few, by the end of the secret and the unit: what is known of it is there, if it is not another's
  /// meanwhile.
  recent& recent_at(std::string_view secret, std::size_t unit);

  bool takes_tokens_;
  net::guarded<protocol::key_table> keys_;
  /// How often the keys have changed.
  std::atomic<std::uint64_t> version_ = 0;
  net::guarded<protocol::known_callers> tokens_;
  std::array<recent, 256> recent_;
};

} // namespace troupe::actors
