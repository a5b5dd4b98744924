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

/// Stands between the users of one server and the wire to it. Users see one server that is always there: it is started
/// when it is wanted, started again when it is lost, and told again what it has to know. Ids and progress tokens are
/// rewritten both ways, so that each answer goes to who asked.
///
/// One that is for a single user becomes one for many, where the rules want that, when its program is found to speak
/// 2026-07-28 the first time that it is started: such a program keeps nothing of its users.
///
/// Joins the parts: `server_life` is about when it runs, `server_start` about what is done until it is ready,
/// `server_relay` about what passes from then on.
class supervised_server {
public:
  /// `seed` makes the pauses before restarts differ between servers.
  supervised_server(supervision_rules rules, std::uint64_t seed);
  // The parts refer to each other.
  supervised_server(const supervised_server&) = delete;
  supervised_server& operator=(const supervised_server&) = delete;

  // -- facts -----------------------------------------------------------------------
  /// Starts a shared server before it is used, and keeps it.
  server_effects warm_up(time_point now);
  /// A user is known from its first request.
  server_effects user_sent(user_id user, message from, time_point now);
  server_effects user_left(user_id user, time_point now);
  /// `concerns` is for a question or a log message: the request to the server in the course of which it comes, by its
  /// id; empty when the server does not say that.
  server_effects server_sent(message from, time_point now, std::string_view concerns = {});
  /// The wire is gone, or could not be made; `is_shortage` when that was for lack of descriptors, memory or processes
  /// of the gateway's; `is_expired` when the server has forgotten the session, so that the requests it has not answered
  /// never ran.
  server_effects server_lost(const std::string& why, time_point now, bool is_shortage = false, bool is_expired = false);
  /// An operator wants another process or connection in the place of this one, at once and whatever was lost before.
  server_effects restart(time_point now);
  server_effects tick(time_point now);

  /// When `tick` has something to do.
  time_point deadline() const;

  // -- for who looks from outside
  /// Whether it spoke 2026-07-28 when it was last initialized.
  bool is_modern() const { return start_.takes_modern(); }
  const server_status& status() const { return life_.status(); }
  std::size_t users() const { return users_.size(); }
  /// What the server has not answered, and what waits for it to start.
  std::size_t calls_in_flight() const { return calls_.size() + start_.waiting(); }
  std::size_t questions_in_flight() const { return relay_.questions(); }

private:
  using phase = server_status::phase;

  // -- from users
  bool knows(user_id user, const message& from) const;
  void take_request(user_id user, message&& from, time_point now, server_effects& out);
  void take_initialize(user_id user, message&& from, time_point now, server_effects& out);
  void take_notification(user_id user, message&& from, time_point now, server_effects& out);
  void cancel(user_id user, message&& from, time_point now, server_effects& out);

  // -- from the server
  void begin(time_point now, server_effects& out);
  void take_answer(message&& from, time_point now, server_effects& out);
  void take_greeting(const message& from, time_point now, server_effects& out);
  bool may_be_used(bool took_modern) const;
  void settle_sharing(server_effects& out);
  void stop_and_lose(const start_loss& how, time_point now, server_effects& out);
  void lose(const start_loss& how, time_point now, server_effects& out);
  void note_loss(const start_loss& how, time_point now);
  void end_users(server_effects& out);
  void end_dedicated(server_effects& out);
  void forget_everything();

  supervision_rules rules_;
  /// Whether it is for many users does not change any more.
  bool is_settled_ = false;
  server_life life_;
  server_users users_;
  server_calls calls_;
  server_relay relay_;
  server_start start_;
};

} // namespace troupe::protocol
