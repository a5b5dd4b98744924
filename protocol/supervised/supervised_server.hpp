#pragma once

#include "protocol/supervised/log_levels.hpp"
#include "protocol/supervised/relayed_calls.hpp"
#include "protocol/supervised/restarts.hpp"
#include "protocol/supervised/server_effects.hpp"
#include "protocol/supervised/server_greeting.hpp"
#include "protocol/supervised/subscriptions.hpp"
#include "protocol/supervised/tool_filter.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// How a server is shared and how much its users may.
struct supervision_rules {
  /// It has one user, whose `initialize` it gets; otherwise many, and an `initialize` of the gateway's own.
  bool dedicated = false;
  /// A loss ends its users instead of a restart.
  bool ends_users = false;
  restart_limits restarts = {};
  /// A request fails after this long without an answer or progress, and in any case after `request_cap`.
  std::chrono::milliseconds request = std::chrono::minutes{5};
  std::chrono::milliseconds request_cap = std::chrono::minutes{30};
  std::chrono::milliseconds initialize = std::chrono::seconds{30};
  /// A server's question to a user fails after this long: a person may have to answer it.
  std::chrono::milliseconds question = std::chrono::minutes{10};
  /// Per user, in flight or waiting for the server.
  std::size_t calls = 1000;
  /// What waits for the server to start, in bytes.
  std::size_t waiting_bytes = 16 * 1024 * 1024;
  /// Of the server, in flight.
  std::size_t questions = 256;
  /// Per user.
  std::size_t subscriptions = 1000;
  tool_filter tools = {};
  /// Of the gateway.
  std::string version = {};
};

/// Stands between the users of one server and the wire to it. Users see one server that is always there: it is started
/// when it is wanted, started again when it is lost, and told again what it has to know. Ids and progress tokens are
/// rewritten both ways, so that each answer goes to who asked.
class supervised_server {
public:
  /// `seed` is of the differences between pauses.
  supervised_server(supervision_rules rules, std::uint64_t seed);

  // -- facts -----------------------------------------------------------------------
  /// Starts a shared server before it is used, and keeps it.
  server_effects warm_up(time_point now);
  /// A user is known from its first request.
  server_effects user_sent(user_id user, message from, time_point now);
  server_effects user_left(user_id user, time_point now);
  server_effects server_sent(message from, time_point now);
  /// The wire is gone, or could not be made.
  server_effects server_lost(const std::string& why, time_point now);
  server_effects tick(time_point now);

  /// When `tick` has something to do.
  time_point deadline() const;

  // -- for who looks from outside
  const server_status& status() const { return status_; }
  std::size_t users() const { return users_.size(); }
  /// What the server has not answered, and what waits for it to start.
  std::size_t calls_in_flight() const { return calls_.size() + waiting_.size(); }
  std::size_t questions_in_flight() const { return questions_.size(); }

private:
  using phase = server_status::phase;
  using purpose = relayed_call::purpose;

  struct user {
    /// Requests that have no answer yet.
    std::size_t calls = 0;
    /// Messages that wait for the server to start.
    std::size_t waiting = 0;
    /// Its `initialize` was answered, or failed: it has to know of what changes.
    bool told = false;
  };
  struct waiting_message {
    user_id user = 0;
    message what;
  };

  // -- from users
  bool knows(user_id user, const message& from) const;
  void take_request(user_id user, message&& from, time_point now, server_effects& out);
  void take_notification(user_id user, message&& from, time_point now, server_effects& out);
  void take_user_answer(user_id user, message&& from, server_effects& out);
  bool remember_level(user_id user, const message& from, server_effects& out);
  void take_initialize(user_id user, message&& from, time_point now, server_effects& out);
  void take_initialized(message&& from, server_effects& out);
  void take_user_progress(user_id user, message&& from, time_point now, server_effects& out);
  void cancel(user_id user, message&& from, time_point now, server_effects& out);
  bool cancel_waiting(user_id user, const std::string& id);
  void pass(user_id user, message&& from, time_point now, server_effects& out);
  void pass_level(user_id user, message&& from, time_point now, server_effects& out);
  void pass_subscription_of(user_id user, message&& from, time_point now, server_effects& out);
  void send(relayed_call one, message&& from, time_point now, server_effects& out);
  void send_ours(relayed_call one, std::string_view method, std::string_view params, time_point now,
                 server_effects& out);
  void hold(user_id user, message&& from, server_effects& out);
  void leave_calls(user_id user, time_point now, server_effects& out);

  // -- answers to users
  void answer(user_id user, message&& what, server_effects& out);
  void fail(user_id user, std::string_view id, std::string_view why, server_effects& out);
  void tell_told(const message& what, server_effects& out);

  // -- from the server
  void take_answer(message&& from, time_point now, server_effects& out);
  void take_subscription_answer(const relayed_call& asked, const message& from, time_point now, server_effects& out);
  void take_level_answer(const relayed_call& asked, const message& from, time_point now, server_effects& out);
  void take_question(message&& from, time_point now, server_effects& out);
  void take_server_notification(message&& from, time_point now, server_effects& out);
  void take_progress(message&& from, time_point now, server_effects& out);
  void withdraw_question(message&& from, server_effects& out);
  void publish_update(const message& from, server_effects& out);
  void publish_log(const message& from, server_effects& out);
  std::optional<user_id> one_concerned() const;
  void forsake(std::uint64_t own, const relayed_call& one, time_point now);
  void carry_out(subscription_steps steps, time_point now, server_effects& out, const message& failure = {});
  void tell_level_news(time_point now, server_effects& out);

  // -- the life of the server
  void begin(time_point now, server_effects& out);
  void take_greeting(message&& from, time_point now, server_effects& out);
  void become_ready(const message& from, time_point now, server_effects& out);
  void announce_again(server_effects& out);
  void release_waiting(const message& greeting, time_point now, server_effects& out);
  void stop_and_lose(std::string why, time_point now, server_effects& out, const message* refusal = nullptr);
  void lose(std::string why, time_point now, server_effects& out, const message* refusal = nullptr);
  void fail_everything(const std::string& why, time_point now, server_effects& out, const message* refusal);
  void fail_waiting(const std::string& why, server_effects& out, const message* refusal);
  void begin_again(time_point now, server_effects& out);
  void end_users(const std::string& why, server_effects& out);
  void forget_everything();
  void pause_on(time_point now, server_effects& out);
  void go_idle(server_effects& out);
  void end_dedicated(server_effects& out);
  void show(phase is, std::chrono::milliseconds pause, server_effects& out);
  void fail_late_calls(time_point now, server_effects& out);
  void fail_late_questions(time_point now, server_effects& out);
  bool down() const { return status_.is == phase::waiting || status_.is == phase::resting; }
  bool wired() const { return status_.is == phase::starting || status_.is == phase::ready; }
  std::string why_down(time_point now) const;

  supervision_rules rules_;
  restarts restarts_;
  server_status status_;
  time_point next_start_ = time_point::max();
  /// No start before this, and how that is called.
  time_point not_before_ = {};
  phase pauses_as_ = phase::waiting;
  bool warm_ = false;
  /// The `initialize` that the server gets is that of its user.
  std::optional<message> users_initialize_;
  server_greeting greeting_;
  /// The server was told `notifications/initialized`.
  bool initialized_ = false;
  std::map<user_id, user> users_;
  std::deque<waiting_message> waiting_;
  std::size_t waiting_bytes_ = 0;
  relayed_calls calls_;
  relayed_calls questions_;
  /// Calls that nobody waits for any more, by our id, but that the server may still be at, until it has answered them
  /// or that time is over.
  struct forsaken_call {
    user_id user = 0;
    time_point until = {};
  };
  std::map<std::uint64_t, forsaken_call> forsaken_;
  subscriptions subscriptions_;
  log_levels levels_;
};

} // namespace troupe::protocol
