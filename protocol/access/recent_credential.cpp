#include "protocol/access/recent_credential.hpp"

#include "protocol/text/words.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

caller recent_credential::find(std::string_view secret, std::uint64_t version, time_point now, calendar_time date) {
  if (!is_good(version, now, date))
    forget();
  return same_secret(secret, secret_) ? who_ : nullptr;
}

bool recent_credential::is_good(std::uint64_t version, time_point now, calendar_time date) const {
  auto end = who_ ? good_until(*who_) : std::nullopt;
  return who_ && version == version_ && now < until_ && !(end && date >= *end);
}

/// Its letters, too.
void recent_credential::forget() {
  std::ranges::fill(secret_, '\0');
  secret_.clear();
  who_ = nullptr;
}

void recent_credential::put(std::string_view secret, caller who, std::uint64_t version, time_point until) {
  if (secret.size() > longest)
    return;
  secret_ = secret;
  who_ = std::move(who);
  version_ = version;
  until_ = until;
}

} // namespace troupe::protocol
