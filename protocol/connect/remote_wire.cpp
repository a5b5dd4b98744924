#include "protocol/connect/remote_wire.hpp"

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

remote_wire::remote_wire(const remote_options& options, server_as_legacy_rules face, std::uint64_t seed)
    : server_{options, seed}, face_{std::move(face)} {}

remote_wire::effects remote_wire::user_sent(message what, time_point now) {
  take(face_.user_sent(std::move(what), now), now);
  return settled(now);
}

remote_wire::effects remote_wire::told(const call_news& news, time_point now) {
  take(std::visit(call_teller{server_, news.call, now}, news.what));
  return settled(now);
}

remote_wire::effects remote_wire::tick(time_point now) {
  take(server_.tick(now));
  take(face_.tick(now), now);
  return settled(now);
}

remote_wire::effects remote_wire::leave() {
  take(server_.leave());
  return std::exchange(out_, {});
}

time_point remote_wire::deadline() const { return std::min(server_.deadline(), face_.deadline()); }

/// Loops, because an effect of `face_` may make `server_` add further messages.
remote_wire::effects remote_wire::settled(time_point now) {
  for (; !heard_.empty(); heard_.pop_front()) {
    if (auto* said = std::get_if<take_message>(&heard_.front())) {
      take(face_.server_sent(std::move(said->what), now, said->concerns), now);
      continue;
    }
    auto& how = std::get<lose_server>(heard_.front());
    take(face_.server_lost(now, how.is_shortage, how.why), now);
    out_.emplace_back(std::move(how));
  }
  return std::exchange(out_, {});
}

void remote_wire::take(remote_effects those) {
  for (auto& one : those)
    std::visit([this](auto& effect) { apply(std::move(effect)); }, one);
}

void remote_wire::take(face_effects those, time_point now) {
  for (auto& one : those)
    std::visit([this, now](auto& effect) { apply(std::move(effect), now); }, one);
}

} // namespace troupe::protocol
