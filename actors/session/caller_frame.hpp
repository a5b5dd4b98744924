#pragma once

#include "actors/access_messages.hpp"
#include "actors/operator_messages.hpp"
#include "actors/runtime/local_sessions.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/session/new_session.hpp"
#include "actors/session/request_records.hpp"
#include "actors/session/session_servers.hpp"
#include "actors/session_messages.hpp"
#include "actors/upstream_messages.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/time.hpp"

#include <concepts>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::actors {

/// Operators that follow a session or a lease, in its actor. Each has the broker of its exchange, which receives every
/// message between client and servers until it or the session ends. Usually there are none.
class session_followers {
public:
  explicit session_followers(pinned<session_actor>* self) : self_{self} {}

  void add(follow_request& msg);
  /// Removes the follower of an ended broker, if there is one.
  void gone(const caf::actor_addr& broker);
  bool empty() const { return all_.empty(); }

  // Call only while there are followers.
  void client_said(const protocol::message& what) { tell(what, "client", what.id); }
  /// `id` is the client's id of a response; otherwise the message's own.
  void server_said(const protocol::message& what, std::string_view id) { tell(what, "server", id); }
  /// Ends all followers: the session has ended.
  void end();

private:
  struct follower {
    broker_actor broker;
    bool content;
  };

  void tell(const protocol::message& what, std::string_view from, std::string_view id);

  pinned<session_actor>* self_;
  std::vector<follower> all_;
};

/// Frame of a SESSION or a LEASE: its servers, the requests of its client, the operators that follow it, its reminder,
/// and its place in the unit's table. Hands facts to the machine of its `State` and carries out the effects that both
/// actors have.
///
/// Base of its `State`, which makes it a friend and has:
/// - `machine_` and `metrics_`;
/// - `perform` for each effect that the frame does not carry out;
/// - `handle` for messages of the servers, and `lost` for their loss;
/// - `fail_call`, which ends a call for an operator, and `count`, which adds its numbers to reports.
template <class State>
class caller_frame {
public:
  using interface = session_actor;

  caller_frame(const caller_frame&) = delete;
  caller_frame& operator=(const caller_frame&) = delete;

protected:
  caller_frame(pinned<interface>* self, registry_actor owner, new_session& what,
               std::shared_ptr<const session_setup> setup);
  ~caller_frame();

  /// Returns a behavior of these handlers; messages of the types `Ignored` have no effect.
  template <class... Ignored, class... Handlers>
  static interface::behavior_type behavior_of(Handlers... handlers) {
    return {std::move(handlers)..., [](Ignored&) {}...};
  }
  /// As `behavior_of`, with the handlers of the frame. CAF compares a message with one handler after the other: those
  /// of each call, `posted` and that of `from_server`, are the first.
  template <class... Ignored, class Posted, class... Handlers>
  interface::behavior_type behavior_with(Posted posted, Handlers... own) {
    return behavior_of<Ignored...>(
        std::move(posted),
        [this](from_server& msg) {
          servers_.receive(msg);
          handle_server_events();
        },
        [this](upstream_granted& msg) { servers_.given(msg); },
        [this](server_lost& msg) {
          servers_.lost(msg);
          handle_server_events();
        },
        [this](members_changed& msg) {
          servers_.change_members(std::move(msg.members));
          handle_server_events();
        },
        [this](caller_revoked&) { close_expired_streams(protocol::time_point::max()); },
        [this](report_request& msg) { report(msg); }, [this](describe_request& msg) { describe(msg); },
        [this](follow_request& msg) { followers_.add(msg); }, [this](end_call& msg) { end(msg); },
        [this](restart_request& msg) { servers_.restart(msg.server); }, [this](tick&) { on_tick(); },
        std::move(own)...);
  }
  /// Enters the actor in the unit's table, and listens for the end of other actors.
  void begin();
  /// Removes the actor from the unit's table: later requests go to the registry.
  void hide() { self_->at().sessions().remove(here_); }
  /// Ends the followers and releases the servers, at the end of the actor's work.
  void let_go();
  /// Ends the actor as soon as the registry knows. Requests that arrive before that go back to the registry: no server
  /// has received them.
  void retire();
  bool is_retired() const { return is_retired_; }
  interface::behavior_type after_the_end();

  // -- from the client
  /// Notes the caller of a request, see `session_servers::asks`.
  void asks(const protocol::caller& caller);
  /// Attaches the caller to a message.
  void sign(protocol::message& what, const protocol::caller& caller) const;
  /// Shows the message to operators that follow the client.
  void show_of_client(const protocol::message& what);
  void show_of_server(const protocol::message& what);

  // -- for operators
  void report(const report_request& msg);
  void describe(describe_request& msg);
  void end(const end_call& which);

  // -- effects
  void carry_out(protocol::effects effects);
  /// Ends the records of requests that the machine finishes.
  protocol::request_observer observer() {
    return [this](auto exchange, auto id, auto how) { records_.end(exchange, id, how); };
  }
  void perform_all(protocol::effects& all) {
    records_.carry_out(all, [this](auto& one) { state().perform(one); });
  }
  /// Call after the effects of a fact.
  void settle() {
    report_use();
    handle_server_events();
  }
  void remind();
  /// Shows the registry and the metrics how far the actor is in use.
  void report_use();
  void perform(protocol::forward& effect) { records_.forward(std::move(effect.what), servers_); }
  void perform(protocol::reply& effect);
  void perform(protocol::reject& effect);
  /// Stream effects: `request_records` carries them out.
  template <class Effect>
  requires std::same_as<Effect, protocol::open_stream> || std::same_as<Effect, protocol::publish> ||
      std::same_as<Effect, protocol::end_stream>
  void perform(Effect&) {}

  pinned<interface>* self() const { return self_; }
  const registry_actor& owner() const { return owner_; }
  const local_session& here() const { return here_; }
  const std::shared_ptr<const session_setup>& setup() const { return setup_; }
  session_servers& servers() { return servers_; }
  const session_servers& servers() const { return servers_; }
  request_records& records() { return records_; }
  protocol::time_point now() const { return self_->at().now(); }

private:
  State& state() { return static_cast<State&>(*this); }
  void handle_server_events();
  void close_expired_streams(protocol::time_point until);
  void on_exit_of(const caf::exit_msg& msg);
  void on_down_of(const caf::actor_addr& who);
  void on_tick();

  pinned<interface>* self_;
  registry_actor owner_;
  local_session here_;
  std::shared_ptr<const session_setup> setup_;
  reminder reminder_;
  session_servers servers_;
  bool is_retired_ = false;
  /// Whether `handle_server_events` is running.
  bool handles_server_events_ = false;
  std::shared_ptr<idle_mark> idle_;
  request_records records_;
  session_followers followers_;
};

} // namespace troupe::actors
