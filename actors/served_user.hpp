#pragma once

#include "actors/messages.hpp"
#include "protocol/time.hpp"

#include <string>
#include <utility>

namespace troupe::actors {

/// Whom a bare process or connection serves: nobody as long as it waits, then one user for good.
class served_user {
public:
  /// `session` is how logs call whom it serves; `begun` is when the process or connection was begun.
  served_user(server_actor server, downstream_actor user, std::string session, protocol::time_point begun)
      : server_{std::move(server)}, user_{std::move(user)}, session_{std::move(session)}, begun_{begun} {}

  /// From now on this ends with its user.
  template <class Self>
  void bind(Self* self) {
    if (user_)
      self->link_to(user_);
  }
  template <class Self>
  void become(Self* self, serve_user& msg) {
    user_ = std::move(msg.user);
    session_ = std::move(msg.session);
    bind(self);
  }
  /// Nobody has asked a process that waits for its user anything, so what it says then is lost.
  template <class Self>
  void tell(Self* self, protocol::message what) {
    if (!std::exchange(spoke_, true))
      self->send(server_, upstream_tried{true, {}, {}});
    if (user_)
      self->send(user_, from_server{std::move(what)});
  }
  template <class Self>
  void tell_loss(Self* self, const std::string& why) {
    if (!spoke_)
      self->send(server_, upstream_tried{false, why, age(self)});
    if (user_)
      self->send(user_, server_lost{why});
  }

  const std::string& session() const { return session_; }
  /// How long the process or connection has been there.
  template <class Self>
  std::chrono::milliseconds age(Self* self) const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(self->at().now() - begun_);
  }

private:
  server_actor server_;
  downstream_actor user_;
  std::string session_;
  protocol::time_point begun_;
  bool spoke_ = false;
};

} // namespace troupe::actors
