#include "actors/session/session_followers.hpp"

#include "protocol/admin/operator_views.hpp"
#include "protocol/metrics/operation.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace troupe::actors {

void session_followers::add(follow_request& msg) {
  self_->monitor(msg.broker);
  self_->send(msg.broker, sse_begin{});
  all_.push_back({std::move(msg.broker), msg.content});
}

void session_followers::gone(const caf::actor_addr& broker) {
  std::erase_if(all_, [&](auto& one) { return one.broker.address() == broker; });
}

void session_followers::tell(const protocol::message& what, std::string_view from, std::string_view id) {
  const auto asked = protocol::is_request(what) ? protocol::operation_of(what) : protocol::operation{};
  const protocol::followed_message one{what, from, id, asked.name, std::chrono::system_clock::now()};
  for (auto& to : all_)
    self_->send(to.broker, sse_event{protocol::followed_event(one, to.content)});
}

void session_followers::end() {
  for (auto& one : std::exchange(all_, {})) {
    self_->demonitor(one.broker.address());
    self_->send(one.broker, sse_end{protocol::end_of_following()});
  }
}

} // namespace troupe::actors
