#pragma once

#include "actors/runtime/event_log.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/runtime/unit.hpp"
#include "actors/upstream/bare_upstream.hpp"
#include "actors/upstream_messages.hpp"
#include "net/child/child_process.hpp"
#include "net/guarded.hpp"
#include "protocol/log.hpp"
#include "protocol/message/skipped_message.hpp"
#include "protocol/metrics/metric.hpp"
#include "protocol/modern_server/server_as_legacy.hpp"
#include "protocol/time.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::actors {

/// Metrics of one process of a server, for its lifetime.
class process_metrics {
public:
  process_metrics(const unit& at, const std::string& server)
      : at_{at}, began_{at.now()}, durations_{at.metrics()
                                                  ? &at.metrics()->durations(metric::client_session, {server, "pipe"})
                                                  : nullptr},
        alive_{share_of(at, metric::server_processes, {server}, 1)} {
    at_.count(metric::server_starts, {server});
  }
  /// Records the lifetime.
  ~process_metrics() {
    if (durations_)
      durations_->record(at_.now() - began_);
  }
  process_metrics(const process_metrics&) = delete;
  process_metrics& operator=(const process_metrics&) = delete;

private:
  using metric = protocol::metric;

  const unit& at_;
  protocol::time_point began_;
  /// Null if metrics are off.
  protocol::duration_histogram* durations_;
  protocol::metric_share alive_;
};

/// Settings shared by all processes of one server on stdio.
struct stdio_setup {
  std::string server_name;
  net::command command;
  net::child_limits limits;
  event_log log;
  protocol::server_era era = protocol::server_era::automatic;
  /// Shared by all processes of the server.
  std::shared_ptr<net::guarded<protocol::log_quota>> log_quota = std::make_shared<net::guarded<protocol::log_quota>>();
  shared_diagnostics diagnostics = std::make_shared<net::guarded<protocol::server_diagnostics>>();
  /// Of the secrets in the environment of `command`.
  shared_mask mask = std::make_shared<const protocol::secret_mask>();
};

/// A child process and its pipes, in the actor that owns it. That actor receives the child's messages, and passes them
/// to this object. Destroying the object stops the child.
class stdio_wire {
public:
  /// Actor that receives the child's messages, and the number of the child in these.
  struct listener {
    caf::actor_addr actor;
    std::uint64_t number = 0;
  };

  /// Starts the child; if that fails, sends `child_lost`. `thread` is that of the unit, which is also the actor's.
  stdio_wire(const unit& at, net::io_thread& thread, const listener& to, std::shared_ptr<const stdio_setup> setup,
             std::string session);

  /// Sets the shortened id of the user's session, for logs.
  void set_session(std::string session) { session_ = std::move(session); }
  /// Sends a message to the child. If the child does not read its input, returns an error for the user instead.
  std::optional<protocol::message> write(protocol::message&& what);
  /// Reads a line of the child. Passes each message in it to `hear`, which may destroy this object.
  template <class Hear>
  void read(std::string line, Hear hear) {
    const protocol::text_ends ends{line};
    if (auto why = protocol::read_each(std::move(line), hear))
      if (auto told = handle_malformed(ends, std::move(*why)))
        hear(std::move(*told));
  }
  /// Judges a message that was too long to read. Returns a message for the user, if any.
  std::optional<protocol::message> handle_skipped(const protocol::skipped_line& line);
  /// Logs lines that the server wrote to stderr, without the secrets of its environment, and keeps the last of them.
  void log_stderr(std::vector<std::string>&& lines);
  /// Logs how many lines were left out of the log since the last was shown.
  void log_left_out();
  /// Logs a note of a machine about the server's output.
  void log_note(protocol::log_note&& line) { log_its(level_of(line.is), std::move(line.text), std::move(line.facts)); }

  /// 0 if the process could not be started.
  pid_t pid() const { return child_ ? child_->pid() : 0; }
  const std::string& server_name() const { return setup_->server_name; }
  protocol::server_era era() const { return setup_->era; }
  const std::string& session() const { return session_; }

private:
  using facts = std::vector<std::pair<std::string, std::string>>;

  /// Judges a line that is not a message. Returns a message for the user, if any.
  std::optional<protocol::message> handle_malformed(const protocol::text_ends& line, std::string why);
  std::optional<protocol::message> carry_out(protocol::skipped_message&& judged);
  /// Logs output of the server, within the quota.
  void log_its(log_level level, std::string text, facts what);
  void log(log_level level, std::string text, facts what) const;

  const unit& at_;
  std::shared_ptr<const stdio_setup> setup_;
  std::string session_;
  std::unique_ptr<net::child_process> child_;
  std::optional<process_metrics> metrics_;
};

/// Starts a child for an actor of a unit; empty for servers that are not on stdio. `caller` is its only user, null if
/// anonymous.
using wire_maker = std::function<std::unique_ptr<stdio_wire>(
    const unit& at, const stdio_wire::listener& to, const std::string& session, const protocol::caller& caller)>;

/// The wire to a server on stdio, and the adapter above it, which makes a stateless (2026-07-28) server look like one
/// with sessions, as long as that is needed. Notifies its SERVER if the server's era is not the known one. Lives in the
/// actor that owns the child. Facts go in; messages for the user come out.
class adapted_wire {
public:
  /// Starts a child.
  using starter = std::function<std::unique_ptr<stdio_wire>()>;
  using user_messages = std::vector<protocol::deliver_to_user>;

  /// A server that is configured to speak with sessions needs no adapter: messages pass unchanged. `known` is the era
  /// that the server was found to speak before.
  adapted_wire(starter start, server_actor server, protocol::server_era known);

  // -- facts, with the resulting messages for the user
  /// `envelope`: see `protocol::stateless_server`.
  user_messages write(protocol::message&& what, protocol::time_point now,
                      protocol::envelope_of_user envelope = nullptr);
  /// The child is gone.
  user_messages lost(protocol::time_point now, bool is_shortage);
  user_messages tick(protocol::time_point now) {
    return adapter_ ? carry_out(adapter_->tick(now), now) : user_messages{};
  }
  /// Processes a message of the server. `show` may destroy this object.
  template <class Show>
  void receive(protocol::message&& what, protocol::time_point now, Show show) {
    if (!adapter_)
      return show(protocol::deliver_to_user{std::move(what)});
    for (auto& one : carry_out(adapter_->server_sent(std::move(what), now), now))
      show(std::move(one));
  }

  /// True if the child is gone, and no other was started in its place.
  bool is_lost() const { return lost_; }
  /// Next time that `tick` has something to do.
  protocol::time_point deadline() const { return adapter_ ? adapter_->deadline() : protocol::time_point::max(); }
  stdio_wire* operator->() { return wire_.get(); }
  const stdio_wire* operator->() const { return wire_.get(); }

private:
  user_messages carry_out(protocol::adapter_effects effects, protocol::time_point now);
  void perform(protocol::deliver_to_user& effect) { for_user_.push_back(std::move(effect)); }
  void perform(protocol::deliver_to_server& effect);
  void perform(const protocol::note_era& effect);
  void perform(const protocol::start_again& effect);
  void perform(const protocol::give_up&) {} // the user stops the server
  void perform(protocol::log_note& effect) { wire_->log_note(std::move(effect)); }

  starter start_;
  server_actor server_;
  std::unique_ptr<stdio_wire> wire_;
  bool lost_ = false;
  /// Null if the server is known to speak with sessions.
  std::unique_ptr<protocol::server_as_legacy> adapter_;
  user_messages for_user_;
  /// Errors in place of answers, for messages that the server did not get.
  std::vector<protocol::message> refused_;
};

/// UPSTREAM on stdio: a broker between its user and the pipes of a child process, which it owns. Stops the child when
/// it ends; ends when the child is lost or the user ends.
class stdio_upstream_state {
public:
  using interface = stdio_upstream_actor;
  static constexpr const char* name = "upstream";

  stdio_upstream_state(pinned<interface>* self, const wire_maker& make, const bare_upstream_setup& whom);
  interface::behavior_type make_behavior();

private:
  void receive(protocol::message&& what);
  void tell(std::vector<protocol::deliver_to_user> shown);

  pinned<interface>* self_;
  upstream_user user_;
  adapted_wire wire_;
  reminder reminder_;
};

using stdio_upstream = actor_of<stdio_upstream_state>;

} // namespace troupe::actors
