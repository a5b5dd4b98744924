#include "protocol/connect/remote_connection.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

/// Passes an event of an HTTP request to `remote_server`.
struct call_teller {
  remote_server& server;
  http_call_id call;
  time_point now;

  remote_effects operator()(const call_begun&) const { return server.call_begun(call, now); }
  remote_effects operator()(const call_head& head) const {
    return server.call_head(call, head.status, head.fields, now);
  }
  remote_effects operator()(const call_body& body) const { return server.call_body(call, body.bytes, now); }
  remote_effects operator()(const call_ended&) const { return server.call_ended(call, now); }
  remote_effects operator()(const call_failed& how) const {
    return server.call_failed(call, how.why, now, how.is_shortage);
  }
  remote_effects operator()(const call_withheld& how) const { return server.call_withheld(call, how.why, now); }
};

} // namespace

remote_connection::remote_connection(const remote_options& options, server_as_legacy_rules adapter, std::uint64_t seed)
    : server_{options, seed}, adapter_{std::move(adapter)} {}

remote_connection::effects remote_connection::user_sent(message what, time_point now) {
  take(adapter_.user_sent(std::move(what), now), now);
  return settled(now);
}

remote_connection::effects remote_connection::told(const call_event& news, time_point now) {
  take(std::visit(call_teller{server_, news.call, now}, news.what));
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
