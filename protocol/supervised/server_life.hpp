#pragma once

#include "protocol/supervised/restarts.hpp"
#include "protocol/supervised/server_effects.hpp"
#include "protocol/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Run state of a server and time of its next start. Each status change is an effect.
class server_life {
public:
  using phase = server_status::phase;

  /// `seed` varies the pauses between servers.
  server_life(const restart_limits& limits, std::uint64_t seed) : restarts_{limits, seed} {}

  // -- facts ---------------------------------------------------------------------------
  /// Keeps the server running even without users.
  void keep() { kept_ = true; }
  /// The server starts now; after a loss this counts as a restart.
  void start(server_effects& out);
  /// The server has answered `initialize`.
  void ready(time_point now, server_effects& out);
  /// The server has answered a user's request.
  void answered() { has_answered_ = true; }
  /// The server exited or disconnected; call `start`, `pause` or `idle` next. Keeps the first line of `why`, shortened.
  void lost(std::string_view why, time_point now);
  /// Allows a start at once, regardless of earlier losses.
  void forget_failures(time_point now);
  /// The server was ended by an operator's order to restart it at once. Call `start`, `pause` or `idle` next.
  void ended(std::string_view why, time_point now);
  /// The server forgot the session: no failure if it has answered a user. Call `start`, `pause` or `idle` next.
  void expired(std::string_view why, time_point now);
  /// The server could not be started because the gateway lacked resources; counts as no failure. Tried again soon, and
  /// for every new user. Call `start`, `pause` or `idle` next.
  void prevented(std::string_view why, time_point now);
  /// Waits out the pause after the last loss, then restarts the server for the users of that time.
  void pause(time_point now, server_effects& out);
  /// The server has no users and starts again only for a new user.
  void idle(server_effects& out);

  // -- queries
  const server_status& status() const { return status_; }
  /// Number of losses that were failures, and of starts that were prevented.
  std::uint64_t failures() const { return failures_; }
  /// Whether the last start was prevented for lack of the gateway's resources.
  bool was_prevented() const { return prevented_; }
  bool is(phase one) const { return status_.is == one; }
  bool kept() const { return kept_; }
  /// True while the server waits for its next start.
  bool down() const { return is(phase::waiting) || is(phase::resting); }
  /// True if there is a wire to the server.
  bool is_connected() const { return is(phase::starting) || is(phase::ready); }
  /// True if no pause after a loss forbids a start.
  bool may_start(time_point now) const { return prevented_ || now >= not_before_; }
  /// Time of the next start; max() unless the server is down.
  time_point deadline() const { return down() ? not_before_ : time_point::max(); }
  /// Returns the error text for a request that the server cannot take now.
  std::string why_absent(time_point now) const;

private:
  void show(phase is, std::chrono::milliseconds pause, server_effects& out);

  restarts restarts_;
  server_status status_;
  std::uint64_t failures_ = 0;
  bool kept_ = false;
  /// End of the pause after the last loss.
  time_point not_before_ = {};
  /// True if that pause is the long one.
  bool rests_ = false;
  /// True if the last start failed for lack of the gateway's resources.
  bool prevented_ = false;
  /// True if the server has answered a user since its last start.
  bool has_answered_ = false;
};

} // namespace troupe::protocol
