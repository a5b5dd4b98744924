#include "protocol/remote/remote_connection.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

remote_connection::remote_connection(const remote_options& options, server_as_legacy_rules adapter, std::uint64_t seed)
    : server_{options, seed} {
  if (adapter.era != server_era::session)
    adapter_.emplace(std::move(adapter));
}

remote_connection::effects remote_connection::user_sent(message what, time_point now, envelope_of_user envelope) {
  if (adapter_)
    take(adapter_->user_sent(std::move(what), now, std::move(envelope)), now);
  else
    take(server_.client_sent(std::move(what), now));
  return settled(now);
}

remote_connection::effects remote_connection::told(const call_event& news, time_point now) {
  take(server_.call_told(news, now));
  return settled(now);
}

remote_connection::effects remote_connection::credentials_lost(const std::string& why, time_point now) {
  take(server_.credentials_lost(why, now));
  return settled(now);
}

remote_connection::effects remote_connection::tick(time_point now) {
  take(server_.tick(now));
  process(now); // what the server sent may be what the adapter waits for
  if (adapter_)
    take(adapter_->tick(now), now);
  return settled(now);
}

remote_connection::effects remote_connection::leave() {
  take(server_.leave());
  return std::exchange(out_, {});
}

time_point remote_connection::deadline() const {
  return adapter_ ? std::min(server_.deadline(), adapter_->deadline()) : server_.deadline();
}

/// Loops, because an effect of `adapter_` may make `server_` add further messages.
void remote_connection::process(time_point now) {
  for (; !unprocessed_.empty(); unprocessed_.pop_front())
    std::visit([this, now](auto& one) { settle(one, now); }, unprocessed_.front());
}

remote_connection::effects remote_connection::settled(time_point now) {
  process(now);
  if (adapter_ && adapter_->is_transparent())
    adapter_.reset();
  return std::exchange(out_, {});
}

void remote_connection::settle(deliver_message& said, time_point now) {
  if (adapter_)
    take(adapter_->server_sent(std::move(said.what), now, said.concerns), now);
  else
    out_.emplace_back(deliver_to_user{std::move(said.what)});
}

void remote_connection::settle(lose_server& how, time_point now) {
  if (adapter_)
    take(adapter_->server_lost(now, how.is_shortage, how.why), now);
  out_.emplace_back(std::move(how));
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
