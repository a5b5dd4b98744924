#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>

namespace troupe::deploy {

/// Whom an operator asks, and how the answer is shown.
struct operator_options {
  std::string admin = "http://127.0.0.1:9464";
  /// The file of the token; empty when it is in `TROUPE_ADMIN_TOKEN`, or none is needed.
  std::string token_file;
  /// A node of the cluster; empty for the one that is asked.
  std::string node;
  /// Print the gateway's JSON instead of text.
  bool json = false;
};

/// Nothing came of a command; one line that says why, and what to do.
struct operator_failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// No gateway listens for operators at that place.
struct nobody_there : operator_failure {
  using operator_failure::operator_failure;
};

// -- what operators want ---------------------------------------------------------

struct list_sessions {
  std::string server;
  std::string caller;
  std::string id;
  std::optional<bool> idle;
  std::size_t limit = 100;
};

struct show_session {
  std::uint64_t number = 0;
};

struct list_servers {};

struct list_nodes {};

/// The calls in flight, again and again.
struct show_top {
  bool once = false;
  std::optional<std::chrono::milliseconds> interval;
};

/// A session, or one call of it.
struct end_session {
  std::uint64_t number = 0;
  std::optional<std::uint64_t> call;
};

struct change_server {
  /// `restart`, `enable` or `disable`.
  std::string how;
  std::string server;
};

struct reload_file {};

struct drain_gateway {
  /// As `20/s`; empty when sessions leave all at once.
  std::string rate;
  /// Watch it until it has ended, when there is a rate.
  bool waits = true;
};

/// A gateway whose sessions leave at a rate stays after all.
struct undrain_gateway {};

/// Shows the level, or sets it.
struct set_log_level {
  std::string level;
};

struct follow_session {
  std::uint64_t number = 0;
  bool content = false;
};

using operator_wish =
    std::variant<list_sessions, show_session, list_servers, list_nodes, show_top, end_session, change_server,
                 reload_file, drain_gateway, undrain_gateway, set_log_level, follow_session>;

/// `troupe sessions …` and its like
struct operator_command {
  operator_options options;
  operator_wish wish;
};

/// Asks a gateway at its listener for operators. Returns the program's exit status: 0, or 1 when it was refused or
/// could not be reached, which stderr tells in one line.
int run_operator(const operator_command& command);

} // namespace troupe::deploy
