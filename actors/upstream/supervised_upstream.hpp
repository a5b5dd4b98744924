#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/upstream/bare_upstream.hpp"
#include "actors/upstream/lazy_upstream.hpp"
#include "actors/upstream/stdio_upstream.hpp"
#include "protocol/supervised/supervised_server.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::actors {

/// Makes one message to a user of what a server says to it in a row. Whoever adds sends before it tells a user anything
/// else, and at the end of its turn.
class joined_messages {
public:
  template <class Self>
  void add(Self* self, const downstream_actor& to, protocol::message&& what) {
    if (told_ && to_ == to)
      return told_->more.push_back(std::move(what));
    send(self);
    to_ = to;
    told_.emplace(from_server{std::move(what), {}});
  }
  template <class Self>
  void send(Self* self) {
    if (told_)
      self->send(std::exchange(to_, {}), *std::exchange(told_, std::nullopt));
  }

private:
  downstream_actor to_;
  std::optional<from_server> told_;
};

/// UPSTREAM that keeps a server running, for one user who owns it or for many who share it: carries out what the
/// machine decides about starts, ids, subscriptions and who hears what. A server on stdio runs as its own child
/// process, unless one from a pool is given.
class supervised_upstream_state {
public:
  using interface = supervised_upstream_actor;
  static constexpr const char* name = "supervised_upstream";

  /// What is known of the server.
  struct supervised {
    server_actor server;
    std::string name;
    protocol::supervision_rules rules;
    /// Of the pauses between starts.
    std::uint64_t seed = 0;
    event_log log;
    /// Empty when others begin its processes or connections.
    wire_maker make_wire;
    /// It is started before it is used.
    bool warm = false;
    /// Who uses it alone, or in all of his sessions; null for nobody in particular.
    protocol::caller caller = {};
    /// By what its server knows it, when all of his sessions share it.
    std::string owner = {};
    /// When nobody has used it for so long, its server is told; never when zero, or as long as it is one user's.
    std::chrono::milliseconds unused_time = {};
    /// Its server is told what becomes of it.
    bool is_watched = false;
  };

  /// `user` is the one who owns this, and none when it is shared; `session` is how logs call it.
  supervised_upstream_state(pinned<interface>* self, supervised what, downstream_actor user = {},
                            std::string session = {});
  interface::behavior_type make_behavior();

private:
  protocol::user_id user_of(const caf::strong_actor_ptr& sender);
  void forget(const caf::actor_addr& user);
  void quit_if_told(const caf::actor_addr& by);
  void quit_if_unused();
  void tell_unused();
  void remind();
  void on_down_of(const caf::actor_addr& who);
  void report(const collector_actor& to);

  // -- a child process of its own
  void start_wire(const server_given& granted);
  bool is_current(std::uint64_t child) const { return wire_ && child == children_; }
  void hear(protocol::show_user&& shown);
  void hear_upstream(from_server& msg);
  void hear_lines(child_wrote& msg);
  void hear_loss(child_lost& msg);
  void hear_wire(protocol::message&& what);
  void hear_all(std::vector<protocol::show_user> shown);
  void write(protocol::message&& what, protocol::envelope_of_user envelope = nullptr);
  void tell_refused();
  void drop_server();
  protocol::time_point now() const { return self_->at().now(); }

  void apply(protocol::server_effects effects);
  void apply(protocol::start_server&);
  void apply(protocol::stop_server&);
  void apply(protocol::tell_server& effect);
  void apply(protocol::tell_user& effect);
  void apply(protocol::end_user& effect);
  void apply(protocol::show_status& effect);
  void apply(const protocol::note_sharing& effect);
  void apply(protocol::log_note& line);

  pinned<interface>* self_;
  supervised what_;
  /// Null when it is shared.
  downstream_actor user_;
  std::string session_;
  bool retired_ = false;
  /// How often the server was started again, as far as that was counted.
  std::uint64_t restarts_ = 0;
  protocol::supervised_server machine_;
  reminder reminder_;
  /// Leads to the server, unless there is a wire.
  lazy_upstream upstream_;
  std::unique_ptr<faced_wire> wire_;
  std::optional<start_report> start_;
  /// How many children there were; the number of the latest.
  std::uint64_t children_ = 0;
  /// What was shown of what the child was told: such as errors in place of answers, for what it does not read.
  std::vector<protocol::show_user> refused_;
  joined_messages told_;
  /// Whether more may follow of what the server said together.
  bool hears_more_ = false;
  protocol::user_id last_user_ = 0;
  std::map<caf::actor_addr, protocol::user_id> ids_;
  std::map<protocol::user_id, downstream_actor> users_;
  /// When it will have been unused for too long.
  protocol::time_point unused_at_ = protocol::time_point::max();
};

using supervised_upstream = actor_of<supervised_upstream_state>;

} // namespace troupe::actors
