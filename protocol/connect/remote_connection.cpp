#include "protocol/connect/remote_connection.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

remote_connection::remote_connection(const remote_options& options, server_as_legacy_rules adapter, std::uint64_t seed)
    : server_{options, seed}, adapter_{std::move(adapter)} {}

remote_connection::effects remote_connection::user_sent(message what, time_point now) {
  take(adapter_.user_sent(std::move(what), now), now);
  return settled(now);
}

remote_connection::effects remote_connection::told(const call_event& news, time_point now) {
  take(server_.call_told(news, now));
  return settled(now);
}

remote_connection::effects remote_connection::tick(time_point now) {
  take(server_.tick(now));
  take(adapter_.tick(now), now);
  return settled(now);
}

remote_connection::effects remote_connection::leave() {
  take(server_.leave());
  return std::exchange(out_, {});
}

time_point remote_connection::deadline() const { return std::min(server_.deadline(), adapter_.deadline()); }

/// Loops, because an effect of `adapter_` may make `server_` add further messages.
remote_connection::effects remote_connection::settled(time_point now) {
  for (; !unprocessed_.empty(); unprocessed_.pop_front()) {
    if (auto* said = std::get_if<deliver_message>(&unprocessed_.front())) {
      take(adapter_.server_sent(std::move(said->what), now, said->concerns), now);
      continue;
    }
    auto& how = std::get<lose_server>(unprocessed_.front());
    take(adapter_.server_lost(now, how.is_shortage, how.why), now);
    out_.emplace_back(std::move(how));
  }
  return std::exchange(out_, {});
}

void remote_connection::take(remote_effects those) {
  for (auto& one : those)
    std::visit([this](auto& effect) { apply(std::move(effect)); }, one);
}

void remote_connection::take(adapter_effects those, time_point now) {
  for (auto& one : those)
    std::visit([this, now](auto& effect) { apply(std::move(effect), now); }, one);
}

} // namespace troupe::protocol
