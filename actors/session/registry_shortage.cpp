// Which idle sessions end when descriptors, memory or processes run out.

#include "actors/session/registry.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

namespace troupe::actors {

/// Ends one idle session, so that a retry finds room. No caller ends sessions of callers who hold fewer than it does.
void registry_state::take(const shortage_found& msg) {
  const auto now = self_->at().now();
  const auto newcomer = counted_as(msg.user);
  const auto least = newcomer ? admission_.places().held_by(*newcomer) : 0;
  auto* one = admission_.places().ends_one_for_shortage(now) ? most_idle_holder(least) : nullptr;
  if (!one)
    return;
  end_for_room(*one, "it was idle, and the gateway is out of descriptors, memory or processes");
  if (now < next_shortage_warning_)
    return;
  next_shortage_warning_ = now + std::chrono::minutes{1};
  setup_.session->log(log_level::warning, "out of descriptors, memory or processes: idle sessions end",
                      {{"sessions", std::to_string(sessions_.size())},
                       {"advice", "raise the limits (ulimit -n, LimitNOFILE=, TasksMax=), or lower --max-sessions"}});
}

/// The longest idle session of the caller with the most sessions. Counts only sessions that have processes or
/// connections of their own, and callers with at least `least` sessions. Null when there is none.
registry_state::known_session* registry_state::most_idle_holder(std::size_t least) {
  known_session* result = nullptr;
  const auto latest = self_->at().now() - protocol::session_places::least_idle;
  std::pair<std::size_t, protocol::time_point::duration> most{least, {}};
  for (auto& [id, one] : sessions_) {
    const auto since = one.address ? one.idle->since() : std::nullopt;
    if (!since || *since > latest || !holds_something_scarce(one))
      continue;
    if (const std::pair rank{admission_.places().held_by(*one.address), latest - *since}; rank >= most) {
      result = &one;
      most = rank;
    }
  }
  return result;
}

/// Servers inside this process take nothing scarce.
bool registry_state::holds_something_scarce(const known_session& one) const {
  const auto is_outside = [](const gateway_server& server) {
    auto& source = server.options.source;
    return std::holds_alternative<command_server>(source) || std::holds_alternative<remote_server>(source);
  };
  if (!one.idle->has_own_server())
    return false;
  auto* server = server_at(one.place.path, one.place.via);
  return server ? is_outside(*server) : std::ranges::any_of(servers_.all(), is_outside);
}

void registry_state::note_left(const known_session& one) {
  constexpr std::size_t most_left = 64;
  if (!one.address)
    return;
  if (left_.size() == most_left)
    left_.pop_front();
  left_.emplace_back(one.session.address(), *one.address);
}

/// The caller that a session counts for, also when it has ended lately; nothing when that is not known.
std::optional<std::string> registry_state::counted_as(const caf::actor_addr& session) const {
  if (auto found = ids_.find(session); found != ids_.end() && found->second)
    return sessions_.at(*found->second).address;
  const auto left = std::ranges::find(left_, session, [](auto& one) { return one.first; });
  return left == left_.end() ? std::nullopt : std::optional{left->second};
}

} // namespace troupe::actors
