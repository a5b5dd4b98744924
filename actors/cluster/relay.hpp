#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/pinned.hpp"
#include "protocol/cluster/event_flow.hpp"

#include <cstdint>
#include <string>

namespace troupe::actors {

/// RELAY: the broker of an exchange whose connection another node has. Passes what it is told to that node's ROUTER,
/// and ends with the answer, or without one when the client or its node is gone.
class relay_state {
public:
  using interface = relay_actor;
  static constexpr const char* name = "relay";
  static constexpr bool is_short_lived = true;

  relay_state(pinned<interface>* self, remote_router_actor to, std::uint64_t exchange);
  ~relay_state();
  interface::behavior_type make_behavior();

private:
  void tell(relay_answer what);
  void finish(relay_answer what);
  void publish(std::string text);

  pinned<interface>* self_;
  remote_router_actor to_;
  std::uint64_t exchange_;
  bool finished_ = false;
  protocol::unread_events unread_;
};

using relay = actor_of<relay_state>;

} // namespace troupe::actors
