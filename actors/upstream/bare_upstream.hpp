#pragma once

#include "actors/access_messages.hpp"
#include "actors/upstream/failure_log.hpp"
#include "actors/upstream_messages.hpp"
#include "protocol/modern_server/adapter_effects.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace troupe::actors {

/// Run of a process or connection.
class upstream_run {
public:
  /// `begun` is the time of the start.
  upstream_run(server_actor server, protocol::time_point begun) : server_{std::move(server)}, begun_{begun} {}

  /// Notes a message. Reports the first one to the SERVER.
  template <class Self>
  void spoke(Self* self) {
    if (!std::exchange(has_spoken_, true))
      self->send(server_, upstream_spoke{});
  }
  /// Notes a message without a report.
  void spoke() { has_spoken_ = true; }
  /// Time since the start.
  template <class Self>
  std::chrono::milliseconds age(Self* self) const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(self->at().now() - begun_);
  }
  /// Describes the run at its end.
  template <class Self>
  ended_run ended(Self* self, int pid = 0) const {
    return {age(self), has_spoken_, pid};
  }

  const server_actor& server() const { return server_; }

private:
  server_actor server_;
  protocol::time_point begun_;
  bool has_spoken_ = false;
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
  /// The user supervises it: it starts another one after a failure, and reports the failure.
  bool is_supervised = false;
  std::shared_ptr<const failure_log> failures = std::make_shared<const failure_log>();
};

/// User of a bare process or connection: none while that waits in a pool, then one until the end.
class upstream_user {
public:
  /// `begun` is the time of the start.
  upstream_user(const bare_upstream_setup& whom, protocol::time_point begun)
      : run_{whom.server, begun}, user_{whom.user}, session_{whom.session},
        is_supervised_{whom.is_supervised}, failures_{whom.failures} {}

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
    is_supervised_ = msg.is_supervised;
    bind(self);
  }
  /// Sends a message to the user, if any. A process without a user was not asked anything: its messages are dropped.
  template <class Self>
  void tell(Self* self, protocol::deliver_to_user&& shown) {
    is_supervised_ ? run_.spoke() : run_.spoke(self);
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
  /// Reports the end to the user. A failure is logged, and reported to the SERVER if it was one of the start, unless
  /// the user does that. `pid` is 0 for one without a process.
  template <class Self>
  void tell_loss(Self* self, server_lost how, int pid = 0) {
    how.run = run_.ended(self, pid);
    if (!is_supervised_ && !how.is_expired)
      report_failure(self, how);
    if (user_)
      self->send(user_, std::move(how));
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
  const server_actor& server() const { return run_.server(); }
  /// Reports the upstream to a collector; `pid` is 0 for one without a process.
  template <class Self>
  void report(Self* self, const collector_actor& to, const std::string& server, pid_t pid = 0) const {
    counted result{{.actors = 1}};
    result.part.upstreams.push_back({server, pid, run_.age(self), session_, user_ ? 1U : 0U});
    self->send(to, std::move(result));
  }

private:
  /// A process that waited in the pool is replaced without a user.
  template <class Self>
  void report_failure(Self* self, const server_lost& how) const {
    failures_->failed({.why = how.why,
                       .run = *how.run,
                       .is_shortage = how.is_shortage,
                       .session = session_,
                       .next_try = user_ ? std::nullopt : std::optional{failures_->spare_pause()}},
                      self->at().now());
    if (how.is_shortage || !how.run->has_spoken)
      self->send(run_.server(), upstream_start_failed{how.why, how.run->age, how.is_shortage,
                                                      user_ ? user_.address() : caf::actor_addr{}});
  }

  upstream_run run_;
  downstream_actor user_;
  /// Shortened id of the user's session, as in logs.
  std::string session_;
  /// True if the user reports failures.
  bool is_supervised_;
  std::shared_ptr<const failure_log> failures_;
};

} // namespace troupe::actors
