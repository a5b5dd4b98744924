#pragma once

#include "actors/messages.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace troupe::actors {

/// Tells a SERVER what became of a process or connection that was begun for it: that it speaks, or that it was lost
/// before it had said anything.
class start_report {
public:
  start_report(server_actor server, protocol::time_point begun) : server_{std::move(server)}, begun_{begun} {}

  /// It has said something.
  template <class Self>
  void spoke(Self* self) {
    if (!std::exchange(spoke_, true))
      self->send(server_, upstream_tried{.spoke = true});
  }
  /// `user` is the one that it was begun for; null when several share it.
  template <class Self>
  void lost(Self* self, const std::string& why, bool is_shortage, const downstream_actor& user) const {
    if (!spoke_)
      self->send(server_,
                 upstream_tried{false, why, age(self), is_shortage, user ? user.address() : caf::actor_addr{}});
  }
  /// How long it has been there.
  template <class Self>
  std::chrono::milliseconds age(Self* self) const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(self->at().now() - begun_);
  }

  const server_actor& server() const { return server_; }

private:
  server_actor server_;
  protocol::time_point begun_;
  bool spoke_ = false;
};

} // namespace troupe::actors
