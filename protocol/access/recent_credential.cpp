#include "protocol/access/recent_credential.hpp"

#include "protocol/text/same_secret.hpp"

#include <utility>

namespace troupe::protocol {

caller recent_credential::find(std::string_view secret, std::uint64_t version, time_point now,
                               calendar_time date) const {
  if (!who_ || version != version_ || now >= until_ || !same_secret(secret, secret_))
    return nullptr;
  auto end = good_until(*who_);
  return end && date >= *end ? nullptr : who_;
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
