#pragma once

#include "actors/messages.hpp"
#include "protocol/time.hpp"

#include <optional>
#include <string>
#include <utility>

namespace troupe::actors {

/// The user of a bare process or connection: none while it waits in a pool, then one until it ends.
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
      self->send(server_, upstream_tried{.spoke = true});
    if (user_)
      self->send(user_, from_server{std::move(what)});
  }
  /// Takes what a server wrote, for 2025-03-26 also a batch. Says what is wrong with it when it is no message.
  template <class Self>
  std::optional<std::string> tell_text(Self* self, std::string text) {
    auto read = protocol::read_body(std::move(text));
    if (auto bad = std::get_if<protocol::rejection>(&read))
      return std::move(bad->text);
    for (auto& message : std::get<protocol::post_body>(read).messages)
      tell(self, std::move(message));
    return std::nullopt;
  }
  template <class Self>
  void tell_loss(Self* self, const std::string& why, bool is_shortage = false) {
    if (!spoke_)
      self->send(server_, upstream_tried{false, why, age(self), is_shortage});
    if (user_)
      self->send(user_, server_lost{why, is_shortage});
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
