#pragma once

#include "actors/access_messages.hpp"
#include "actors/upstream_messages.hpp"
#include "protocol/modern_server/adapter_effects.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace troupe::actors {

/// Reports to a SERVER the outcome of a start: the process or connection has sent a message, or was lost before its
/// first message.
class start_report {
public:
  start_report(server_actor server, protocol::time_point begun) : server_{std::move(server)}, begun_{begun} {}

  /// Reports the first message.
  template <class Self>
  void spoke(Self* self) {
    if (!std::exchange(spoke_, true))
      self->send(server_, upstream_start_result{.spoke = true});
  }
  /// Reports a loss before the first message. `user` is the user of the start; null if several share it.
  template <class Self>
  void lost(Self* self, const std::string& why, bool is_shortage, const downstream_actor& user) const {
    if (!spoke_)
      self->send(server_,
                 upstream_start_result{false, why, age(self), is_shortage, user ? user.address() : caf::actor_addr{}});
  }
  /// Time since the start.
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

/// User of a bare process or connection: none while that waits in a pool, then one until the end.
class upstream_user {
public:
  /// `session` is the shortened id of the user's session, as in logs; `begun` is the time of the start.
  upstream_user(server_actor server, downstream_actor user, std::string session, protocol::time_point begun)
      : start_{std::move(server), begun}, user_{std::move(user)}, session_{std::move(session)} {}

  /// Links the upstream to its user: it ends with the user.
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
  /// Sends a message to the user, if any. A process without a user was not asked anything: its messages are dropped.
  template <class Self>
  void tell(Self* self, protocol::deliver_to_user&& shown) {
    start_.spoke(self);
    if (user_)
      self->send(user_, from_server{std::move(shown.what), {}, std::move(shown.concerns)});
  }
  template <class Self>
  void tell(Self* self, protocol::message&& what) {
    tell(self, protocol::deliver_to_user{std::move(what)});
  }
  /// Passes on a text of the server, for 2025-03-26 also a batch. Returns an error if it is not a message.
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

  /// Ends the upstream on an operator's order. That is no failure of its server. A user starts another one if its rules
  /// say so.
  template <class Self>
  void restart(Self* self) {
    if (user_)
      self->send(user_, server_lost{"an operator restarted it"});
    self->quit();
  }

  const std::string& session() const { return session_; }
  const server_actor& server() const { return start_.server(); }
  /// Reports the upstream to a collector; `pid` is 0 for one without a process.
  template <class Self>
  void report(Self* self, const collector_actor& to, const std::string& server, pid_t pid = 0) const {
    counted result{{.actors = 1}};
    result.part.upstreams.push_back({server, pid, start_.age(self), session_});
    self->send(to, std::move(result));
  }

private:
  start_report start_;
  downstream_actor user_;
  std::string session_;
};

/// User of a process or connection that is started, and the SERVER that starts it.
struct bare_upstream_setup {
  server_actor server;
  /// Null while it waits for a user.
  downstream_actor user;
  /// Shortened id of the user's session, for logs.
  std::string session;
  /// Caller that uses it; null if anonymous.
  protocol::caller caller;
  /// Source of the tokens for a remote server; null if the gateway sends none.
  token_source_actor tokens;
  /// Era that the server was found to speak before.
  protocol::server_era known = protocol::server_era::automatic;
};

} // namespace troupe::actors
