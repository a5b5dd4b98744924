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

// What is decided about a server that is essential.

/// Start a process or connection that is nobody's, and again until it has greeted.
struct begin_trial {
  friend bool operator==(const begin_trial&, const begin_trial&) = default;
};
/// That has greeted, or is not needed any more: end it.
struct end_trial {
  friend bool operator==(const end_trial&, const end_trial&) = default;
};
/// From now on the server is not ready for this reason; ready when there is none.
struct show_readiness {
  std::string why_not;
  friend bool operator==(const show_readiness&, const show_readiness&) = default;
};

using essential_effect = std::variant<begin_trial, end_trial, show_readiness>;
using essential_effects = std::vector<essential_effect>;

/// Why a server is not ready that has not greeted yet.
inline constexpr std::string_view not_greeted_yet = "it has not answered yet";

/// Decides whether a server can serve without which its gateway is not ready. Nobody has to use it for that, since who
/// is not ready gets no users:
///
/// - A server that runs for all is started before it is used. It is ready from its first greeting on. After a loss it
///   is not, when the start that follows at once fails too, until it has greeted again.
/// - Others are tried: started for nobody, as often as it takes until they greet, and ended then. From then on a start
///   that failed for a user is the reason to try them again, and only when that fails too they are not ready: one user
///   alone may be the reason that his did.
/// - One that cannot be started for nobody, since it is told who uses it, is ready unless so many starts in a row have
///   failed that further ones are refused for a while; and again after that while.
class essential_server {
public:
  enum class begun { for_all, by_trial, by_users };

  explicit essential_server(begun how) : how_{how} {}

  essential_effects begin();
  /// What was shown of the server that runs for all, or of the one that is tried.
  essential_effects showed(const server_status& status, bool is_trial);
  /// A user's process or connection was lost before it had said anything, and starts are refused for a while from
  /// `now` on, if they are.
  essential_effects start_failed(const std::string& why, std::optional<std::chrono::milliseconds> refused,
                                 time_point now);
  /// A user's process or connection has begun to speak.
  essential_effects spoke();
  /// The one that runs for all is gone, and is started again only when a user comes.
  essential_effects ended();
  /// What was tried is gone, by no fault of the server; another is in a while.
  void trial_lost(time_point now);
  /// The server was removed from the configuration.
  essential_effects retire();
  essential_effects tick(time_point now);
  /// When `tick` has something to do.
  time_point deadline() const { return std::min(refused_until_, try_at_); }

  bool runs_for_all() const { return how_ == begun::for_all; }

private:
  void try_it(essential_effects& out);
  void end_trial_if_any(essential_effects& out);
  void show(std::string why_not, essential_effects& out);

  const begun how_;
  /// As it was shown last; nothing has been at first.
  std::optional<std::string> why_not_;
  bool is_tried_ = false;
  bool is_retired_ = false;
  time_point refused_until_ = time_point::max();
  time_point try_at_ = time_point::max();
};

} // namespace troupe::protocol
