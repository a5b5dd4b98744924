#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/upstream/served_user.hpp"
#include "net/child/child_process.hpp"
#include "net/guarded.hpp"
#include "protocol/log_quota.hpp"

#include <memory>
#include <string>

namespace troupe::actors {

/// What every stdio upstream of one server knows.
struct stdio_setup {
  std::string server_name;
  net::command command;
  net::child_limits limits;
  event_log log;
  /// Of all processes of the server together.
  std::shared_ptr<net::guarded<protocol::log_quota>> log_quota = std::make_shared<net::guarded<protocol::log_quota>>();
};

/// UPSTREAM on stdio: a broker between its user and the pipes of a child process, which it owns: the child is stopped
/// when it ends, and it ends when the child is lost or the user ends.
class stdio_upstream_state {
public:
  using interface = stdio_upstream_actor;
  static constexpr const char* name = "upstream";

  /// `thread` is the one of the unit that the actor lives on. The user is none as long as the process waits for one;
  /// `session` is how logs call whom it serves.
  stdio_upstream_state(pinned<interface>* self, net::io_thread& thread, server_actor server, downstream_actor user,
                       std::string session, std::shared_ptr<const stdio_setup> setup);
  interface::behavior_type make_behavior();

private:
  void start();
  net::child_events events();
  void take_line(std::string line);
  void take_skipped(const protocol::skipped_line& line);
  void write(to_server& msg);
  void report(const collector_actor& to);
  void lose(const child_lost& how);
  /// For what a server may write as much of as it likes.
  void log_its(log_level level, std::string text, std::vector<std::pair<std::string, std::string>> facts);
  void log_left_out();
  void log(log_level level, std::string text, std::vector<std::pair<std::string, std::string>> facts) const;

  pinned<interface>* self_;
  net::io_thread& thread_;
  served_user user_;
  std::shared_ptr<const stdio_setup> setup_;
  std::unique_ptr<net::child_process> child_;
};

using stdio_upstream = actor_of<stdio_upstream_state>;

} // namespace troupe::actors
