#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/direct.hpp"
#include "protocol/cluster/forwarded_exchange.hpp"
#include "protocol/metrics/metric.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace troupe::actors {

/// RELAY: the broker of an exchange whose connection another node has. Passes what it is told to that node's ROUTER,
/// and ends with the answer, or without one when the client or its node is gone.
class relay_state {
public:
  using interface = relay_actor;
  static constexpr const char* name = "relay";

  relay_state(direct* self, remote_router_actor to, std::uint64_t exchange);
  ~relay_state();

  void take(http_reply& msg);
  void take(const http_accepted&) { finish({.is = relay_answer::kind::accepted}); }
  void take(const http_ended&) { finish({.is = relay_answer::kind::ended}); }
  void take(http_rejected& msg) { finish({.is = relay_answer::kind::rejected, .why = std::move(msg.why)}); }
  void take(sse_begin& msg);
  void take(sse_event& msg) { publish(std::move(msg.text)); }
  void take(sse_end& msg);
  void take(const relay_taken& msg) { unread_.taken(msg.bytes); }
  void take(const relay_closed&);

private:
  void tell(relay_answer what);
  void finish(relay_answer what);
  void publish(std::string text);

  direct* self_;
  remote_router_actor to_;
  std::uint64_t exchange_;
  bool finished_ = false;
  protocol::unread_events unread_;
  protocol::metric_share counted_;
};

} // namespace troupe::actors
