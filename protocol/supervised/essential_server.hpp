#pragma once

#include "protocol/supervised/server_status.hpp"
#include "protocol/time.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::protocol {

// Decisions about an essential server.

/// Start a trial process or connection without users; restart it until it has answered `initialize`.
struct begin_trial {
  friend bool operator==(const begin_trial&, const begin_trial&) = default;
};
/// Stop the trial process: it answered `initialize`, or is no longer needed.
struct end_trial {
  friend bool operator==(const end_trial&, const end_trial&) = default;
};
/// Report the server as not ready for this reason; as ready when the reason is empty.
struct show_readiness {
  std::string why_not;
  friend bool operator==(const show_readiness&, const show_readiness&) = default;
};

using essential_effect = std::variant<begin_trial, end_trial, show_readiness>;
using essential_effects = std::vector<essential_effect>;

/// Reason shown for a server that has not answered `initialize` yet.
inline constexpr std::string_view not_greeted_yet = "it has not answered yet";

/// Decides whether an essential server can serve; the gateway is ready only when all of these can. The decision needs
/// no users, since a gateway that is not ready gets none:
///
/// - A server shared by all users starts before its first use, and is ready once it has answered `initialize`. If it
///   exits and the restart that follows at once fails, it is not ready until it answers `initialize` again.
/// - Other servers get a trial: a process without users, restarted until it answers `initialize`, then ended. Later,
///   when a start fails for a user, the trial is repeated. The server is not ready only if the trial fails too: the
///   cause may lie with that user.
/// - A server that learns its caller cannot be tried without one. It is ready, except while starts are refused for a
///   while after too many failures in a row.
class essential_server {
public:
  enum class begun { for_all, by_trial, by_users };

  explicit essential_server(begun how) : how_{how} {}

  essential_effects begin();
  /// The status of the shared server, or of the trial, has changed.
  essential_effects showed(const server_status& status, bool is_trial);
  /// A user's process or connection ended before its first message. `refused` is for how long starts are refused from
  /// `now` on, if they are.
  essential_effects start_failed(const std::string& why, std::optional<std::chrono::milliseconds> refused,
                                 time_point now);
  /// A user's process or connection has sent its first message.
  essential_effects spoke();
  /// The shared server is gone, and starts again only for a user.
  essential_effects ended();
  /// The trial process is gone through no fault of the server; another trial follows after a while.
  void trial_lost(time_point now);
  /// The server was removed from the configuration.
  essential_effects retire();
  essential_effects tick(time_point now);
  /// Time at which `tick` is due.
  time_point deadline() const { return std::min(refused_until_, try_at_); }

  bool runs_for_all() const { return how_ == begun::for_all; }

private:
  void try_it(essential_effects& out);
  void end_trial_if_any(essential_effects& out);
  void show(std::string why_not, essential_effects& out);

  const begun how_;
  /// Reason last shown; unset before the first.
  std::optional<std::string> why_not_;
  bool is_tried_ = false;
  bool is_retired_ = false;
  time_point refused_until_ = time_point::max();
  time_point try_at_ = time_point::max();
};

} // namespace troupe::protocol
