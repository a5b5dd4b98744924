#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>

namespace troupe::deploy {

/// Gateway that an operator's command queries, and the format of the output.
struct operator_options {
  std::string admin = "http://127.0.0.1:9464";
  /// File with the token; empty when it is in `TROUPE_ADMIN_TOKEN`, or none is needed.
  std::string token_file;
  /// Node of the cluster to query; empty for the node at `admin`.
  std::string node;
  /// Whether to print the gateway's JSON instead of text.
  bool json = false;
};

/// Failure of a command; `what()` is one line with the reason and advice.
struct operator_failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Failure: no gateway listens for operators at that address.
struct gateway_unreachable : operator_failure {
  using operator_failure::operator_failure;
};

// -- commands ------------------------------------------------------------------

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

struct show_server {
  std::string name;
};

struct list_nodes {};

/// `troupe top`: the calls in flight, refreshed.
struct show_top {
  bool once = false;
  std::optional<std::chrono::milliseconds> interval;
};

/// Ends a session, or one call of it.
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
  /// Rate such as `20/s`; empty when all sessions leave at once.
  std::string rate;
  /// Whether to watch a drain with a rate until the gateway has ended.
  bool waits = true;
};

/// Cancels a drain with a rate.
struct undrain_gateway {};

/// Shows the log level, or sets it.
struct set_log_level {
  std::string level;
};

struct follow_session {
  std::uint64_t number = 0;
  bool content = false;
};

using operator_action =
    std::variant<list_sessions, show_session, list_servers, show_server, list_nodes, show_top, end_session,
                 change_server, reload_file, drain_gateway, undrain_gateway, set_log_level, follow_session>;

/// Command of an operator: `troupe sessions …` and similar.
struct operator_command {
  operator_options options;
  operator_action action;
};

/// Runs an operator's command against a gateway's admin listener. Returns the program's exit status: 0, or 1 with one
/// line on stderr when the command was refused or the gateway could not be reached.
int run_operator(const operator_command& command);

} // namespace troupe::deploy
