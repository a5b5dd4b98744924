#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/pinned.hpp"
#include "protocol/delivery/keep_alive.hpp"

namespace troupe::actors {

/// STREAM: one SSE stream on its way to a client. Owns the broker whose connection carries it, keeps that connection
/// alive, and ends when the session says so or when the connection is gone. What the stream carried is kept by the
/// session, for another connection to carry it on.
class stream_state {
public:
  using interface = stream_actor;
  static constexpr const char* name = "stream";

  stream_state(pinned<interface>* self, std::chrono::milliseconds keep_alive);
  interface::behavior_type make_behavior();

private:
  void attach(broker_actor broker);
  void on_exit_of(const caf::exit_msg& msg);
  void keep_alive();

  pinned<interface>* self_;
  broker_actor broker_;
  protocol::keep_alive machine_;
  reminder reminder_;
};

using stream = actor_of<stream_state>;

} // namespace troupe::actors
