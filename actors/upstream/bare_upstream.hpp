#pragma once

#include "actors/messages.hpp"
#include "protocol/modern_server/face_effects.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <optional>
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

/// The user of a bare process or connection: none while it waits in a pool, then one until it ends.
class served_user {
public:
  /// `session` is how logs call whom it serves; `begun` is when the process or connection was begun.
  served_user(server_actor server, downstream_actor user, std::string session, protocol::time_point begun)
      : start_{std::move(server), begun}, user_{std::move(user)}, session_{std::move(session)} {}

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
  void tell(Self* self, protocol::show_user&& shown) {
    start_.spoke(self);
    if (user_)
      self->send(user_, from_server{std::move(shown.what), {}, std::move(shown.concerns)});
  }
  template <class Self>
  void tell(Self* self, protocol::message&& what) {
    tell(self, protocol::show_user{std::move(what)});
  }
  /// Takes what a server wrote, for 2025-03-26 also a batch. Says what is wrong with it when it is no message.
  template <class Self>
  std::optional<std::string> tell_text(Self* self, std::string text) {
    return protocol::read_each(std::move(text), [&](protocol::message&& what) { tell(self, std::move(what)); });
  }
  template <class Self>
  void tell_loss(Self* self, const std::string& why, bool is_shortage = false, bool is_expired = false) {
    start_.lost(self, why, is_shortage, user_);
    if (user_)
      self->send(user_, server_lost{why, is_shortage, is_expired});
  }

  /// An operator wants the sender to begin anew: it ends, which is no failure of its server, and whoever uses it begins
  /// another if that is his rule.
  template <class Self>
  void restart(Self* self) {
    if (user_)
      self->send(user_, server_lost{"an operator restarted it"});
    self->quit();
  }

  const std::string& session() const { return session_; }
  const server_actor& server() const { return start_.server(); }
  /// How long the process or connection has been there.
  template <class Self>
  std::chrono::milliseconds age(Self* self) const {
    return start_.age(self);
  }

private:
  start_report start_;
  downstream_actor user_;
  std::string session_;
};

/// For whom a process or connection is begun, and by whom.
struct bare_user {
  server_actor server;
  /// None as long as it waits for one.
  downstream_actor user;
  /// The shortened id of the user's session, for logs.
  std::string session;
  /// Null for nobody in particular.
  protocol::caller caller;
  /// Where the tokens are that a remote server is shown; null when it is shown none of ours.
  token_source_actor tokens;
  /// What the server was found to speak before.
  protocol::server_era known = protocol::server_era::automatic;
};

} // namespace troupe::actors
