#pragma once

#include "protocol/supervised/restarts.hpp"
#include "protocol/supervised/server_effects.hpp"
#include "protocol/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Whether a server runs, and when it is started again after a loss. Each change of its status is an effect.
class server_life {
public:
  using phase = server_status::phase;

  /// `seed` makes the pauses differ between servers.
  server_life(const restart_limits& limits, std::uint64_t seed) : restarts_{limits, seed} {}

  // -- facts ---------------------------------------------------------------------------
  /// The server runs from now on even when it has no users.
  void keep() { kept_ = true; }
  /// It is started now; after a loss, that counts as a restart.
  void start(server_effects& out);
  /// It has answered `initialize`.
  void ready(time_point now, server_effects& out);
  /// It has answered a user.
  void answered() { has_answered_ = true; }
  /// It is lost; what follows is one of `start`, `pause` and `idle`. The first line of `why` is kept, shortened.
  void lost(std::string_view why, time_point now);
  /// It may be started at once, whatever it has lost before.
  void forgive(time_point now);
  /// It was ended for this reason by somebody who wants it to be started at once; what follows is the same as for a
  /// loss.
  void ended(std::string_view why, time_point now);
  /// It has forgotten the session, which is no failure of one that was of use. What follows is the same.
  void expired(std::string_view why, time_point now);
  /// It could not be started, for a reason that is the gateway's own and counts against nobody: it is tried again soon,
  /// and whenever a user begins. What follows is the same.
  void prevented(std::string_view why, time_point now);
  /// It is started again when the pause after its last loss is over, whoever its users are then.
  void pause(time_point now, server_effects& out);
  /// It has no users, and is not started again until one comes.
  void idle(server_effects& out);

  // -- for who looks from outside
  const server_status& status() const { return status_; }
  bool is(phase one) const { return status_.is == one; }
  bool kept() const { return kept_; }
  /// It waits for its next start.
  bool down() const { return is(phase::waiting) || is(phase::resting); }
  /// There is a wire to it.
  bool wired() const { return is(phase::starting) || is(phase::ready); }
  /// No pause after a loss forbids a start.
  bool may_start(time_point now) const { return prevented_ || now >= not_before_; }
  /// When it is to be started again; never, unless it is down.
  time_point deadline() const { return down() ? not_before_ : time_point::max(); }
  /// Why it does not take requests, for the error that answers one.
  std::string why_absent(time_point now) const;

private:
  void show(phase is, std::chrono::milliseconds pause, server_effects& out);

  restarts restarts_;
  server_status status_;
  bool kept_ = false;
  /// The end of the pause after the last loss.
  time_point not_before_ = {};
  /// That pause is a long one.
  bool rests_ = false;
  /// It could not be started then.
  bool prevented_ = false;
  /// It has answered a user since it was started last.
  bool has_answered_ = false;
};

} // namespace troupe::protocol
