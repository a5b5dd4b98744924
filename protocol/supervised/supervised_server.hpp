#pragma once

#include "protocol/supervised/server_calls.hpp"
#include "protocol/supervised/server_effects.hpp"
#include "protocol/supervised/server_life.hpp"
#include "protocol/supervised/server_relay.hpp"
#include "protocol/supervised/server_start.hpp"
#include "protocol/supervised/server_users.hpp"
#include "protocol/supervised/supervision_rules.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Connects the users of one server to that server, and hides its restarts from them. The server is started on demand,
/// restarted after a loss, and then gets its state (log level, subscriptions) again. Ids and progress tokens are
/// rewritten both ways, so that each answer reaches its sender.
///
/// With `shares_modern`, a server for a single user becomes shared when its first start shows that its program speaks
/// 2026-07-28. Such a program keeps no state of its users.
///
/// Composed of `server_life` (run state), `server_start` (messages until the server is ready) and `server_relay`
/// (messages from then on).
class supervised_server {
public:
  /// `seed` varies the pauses before restarts between servers.
  supervised_server(supervision_rules rules, std::uint64_t seed);
  // Not copyable: the parts refer to each other.
  supervised_server(const supervised_server&) = delete;
  supervised_server& operator=(const supervised_server&) = delete;

  // -- facts -----------------------------------------------------------------------
  /// Starts a shared server before its first use, and keeps it running.
  server_effects warm_up(time_point now);
  /// Handles a message of a user. Its first request makes it known.
  server_effects user_sent(user_id user, message&& from, time_point now);
  server_effects user_disconnected(user_id user, time_point now);
  /// Handles a message of the server. For a request or a log message, `concerns` is the id of the request that caused
  /// it; empty when the server does not say.
  server_effects server_sent(message&& from, time_point now, std::string_view concerns = {});
  /// The wire is gone, or could not be created. `is_shortage`: the gateway had no descriptors, memory or processes
  /// left. `is_expired`: the server forgot the session, so its unanswered requests never ran.
  server_effects server_lost(const std::string& why, time_point now, bool is_shortage = false, bool is_expired = false);
  /// Replaces the process or connection at an operator's order, at once and regardless of earlier losses.
  server_effects restart(time_point now);
  server_effects tick(time_point now);

  /// Time at which `tick` is due.
  time_point deadline() const;

  // -- queries
  /// Whether the server spoke 2026-07-28 when last initialized.
  bool is_modern() const { return start_.takes_modern(); }
  const server_status& status() const { return life_.status(); }
  /// Number of times that the server failed or could not be started.
  std::uint64_t failures() const { return life_.failures(); }
  /// Whether the last of these was for lack of the gateway's descriptors, memory or processes.
  bool lacked_resources() const { return life_.was_prevented(); }
  std::size_t users() const { return users_.size(); }
  /// Number of requests that the server has not answered or that wait for its start.
  std::size_t calls_in_flight() const { return calls_.size() + start_.waiting(); }
  std::size_t questions_in_flight() const { return relay_.questions(); }

private:
  using phase = server_status::phase;

  // -- from users
  bool knows(user_id user, const message& from) const;
  void receive_request(user_id user, message&& from, time_point now, server_effects& out);
  void receive_initialize(user_id user, message&& from, time_point now, server_effects& out);
  void receive_notification(user_id user, message&& from, time_point now, server_effects& out);
  void cancel(user_id user, message&& from, time_point now, server_effects& out);

  // -- from the server
  void begin(time_point now, server_effects& out);
  void receive_response(message&& from, time_point now, server_effects& out);
  void receive_initialize(const message& from, time_point now, server_effects& out);
  bool may_be_used(bool took_modern) const;
  void settle_sharing(server_effects& out);
  void stop_and_lose(const start_loss& how, time_point now, server_effects& out);
  void lose(const start_loss& how, time_point now, server_effects& out);
  void note_loss(const start_loss& how, time_point now);
  void end_users(server_effects& out);
  void end_dedicated(server_effects& out);
  void forget_everything();

  supervision_rules rules_;
  /// True once it is decided whether the server is shared.
  bool is_settled_ = false;
  server_life life_;
  server_users users_;
  server_calls calls_;
  server_relay relay_;
  server_start start_;
};

} // namespace troupe::protocol
