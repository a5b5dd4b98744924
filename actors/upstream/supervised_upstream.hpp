#pragma once

#include "actors/runtime/event_log.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/upstream/bare_upstream.hpp"
#include "actors/upstream/lazy_upstream.hpp"
#include "actors/upstream/stdio_upstream.hpp"
#include "actors/upstream_messages.hpp"
#include "protocol/supervised/supervised_server.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::actors {

/// Joins consecutive messages of a server to one user. The owner must call `send` before it sends a user anything else,
/// and at the end of its turn.
class joined_messages {
public:
  template <class Self>
  void add(Self* self, const downstream_actor& to, protocol::message&& what) {
    if (joined_ && to_ == to)
      return joined_->more.push_back(std::move(what));
    send(self);
    to_ = to;
    joined_.emplace(from_server{std::move(what), {}});
  }
  template <class Self>
  void send(Self* self) {
    if (!joined_)
      return;
    self->send(std::exchange(to_, {}), std::move(*joined_));
    joined_.reset();
  }

private:
  downstream_actor to_;
  std::optional<from_server> joined_;
};

/// UPSTREAM that keeps a server running, for one user that owns it or for many that share it. Carries out the machine's
/// decisions about starts, ids, subscriptions and receivers of messages. A server on stdio runs as its own child
/// process, unless a process from a pool is given.
class supervised_upstream_state {
public:
  using interface = supervised_upstream_actor;
  static constexpr const char* name = "supervised_upstream";

  /// Settings of the upstream.
  struct supervised {
    server_actor server;
    std::string name;
    protocol::supervision_rules rules;
    /// Seed of the pauses between starts.
    std::uint64_t seed = 0;
    event_log log;
    /// Empty if other actors start its processes or connections.
    wire_maker make_wire;
    /// Start the server before its first use.
    bool warm = false;
    /// Caller of its only user, or of all its users; null if anonymous.
    protocol::caller caller = {};
    /// Key at its SERVER, if all sessions of one caller share it.
    std::string owner = {};
    /// Time without users after which its SERVER is notified; never if zero, or while a single user owns it.
    std::chrono::milliseconds unused_time = {};
    /// Notify its SERVER of each status.
    bool is_watched = false;
    std::shared_ptr<const failure_log> failures = std::make_shared<const failure_log>();
  };

  /// `user` owns the upstream; null if it is shared. `session` is the shortened id of its session, as in logs.
  supervised_upstream_state(pinned<interface>* self, supervised what, downstream_actor user = {},
                            std::string session = {});
  interface::behavior_type make_behavior();

private:
  protocol::user_id user_of(const caf::strong_actor_ptr& sender);
  void forget(const caf::actor_addr& user);
  void quit_or_forget(const caf::actor_addr& by);
  void quit_if_unused();
  void tell_unused();
  void remind();
  void on_down_of(const caf::actor_addr& who);
  void report(const collector_actor& to);

  // -- a child process of its own
  void start_wire(const upstream_granted& granted);
  void begin_run();
  bool is_current(std::uint64_t child) const { return wire_ && child == children_; }
  void receive(protocol::deliver_to_user&& shown);
  void handle(from_server& msg);
  void handle(child_wrote& msg);
  void handle(child_lost& msg);
  void receive_from_wire(protocol::message&& what);
  void receive_all(std::vector<protocol::deliver_to_user> shown);
  void write(protocol::message&& what, protocol::envelope_of_user envelope = nullptr);
  void tell_refused();
  void drop_server();
  void report_new_failure();
  protocol::time_point now() const { return self_->at().now(); }

  void carry_out(protocol::server_effects effects);
  void perform(protocol::start_server&);
  void perform(protocol::stop_server&) { drop_server(); }
  void perform(protocol::send_to_server& effect);
  void perform(protocol::send_to_user& effect);
  void perform(protocol::end_user& effect);
  void perform(protocol::show_status& effect);
  void perform(const protocol::note_sharing& effect);
  void perform(protocol::log_note& line);

  pinned<interface>* self_;
  supervised what_;
  /// Null if shared.
  downstream_actor user_;
  std::string session_;
  bool retired_ = false;
  /// Restarts that were counted, and failures that were reported, so far.
  std::uint64_t restarts_ = 0;
  std::uint64_t failures_ = 0;
  /// True from a failure until the server is ready again.
  bool has_failed_ = false;
  protocol::supervised_server machine_;
  reminder reminder_;
  /// Upstream of the server, unless there is a wire.
  lazy_upstream upstream_;
  std::unique_ptr<adapted_wire> wire_;
  /// Run of the current process or connection, from the moment when it is requested until its failure is reported.
  std::optional<upstream_run> run_;
  /// How that run ended, if it did so by itself.
  std::optional<ended_run> ended_;
  /// Id of the process of that run; 0 for a connection, and if no process could be started.
  int pid_ = 0;
  /// Number of children so far, and number of the latest.
  std::uint64_t children_ = 0;
  /// Messages caused by sending to the child, such as errors for requests that it does not read.
  std::vector<protocol::deliver_to_user> refused_;
  joined_messages to_user_;
  /// True while more messages of the same batch may follow.
  bool receives_more_ = false;
  protocol::user_id last_user_ = 0;
  std::map<caf::actor_addr, protocol::user_id> ids_;
  std::map<protocol::user_id, downstream_actor> users_;
  /// Time at which it will have been unused for too long.
  protocol::time_point unused_at_ = protocol::time_point::max();
};

using supervised_upstream = actor_of<supervised_upstream_state>;

} // namespace troupe::actors
