#pragma once

#include "protocol/ids.hpp"
#include "protocol/message/message.hpp"
#include "protocol/supervised/server_calls.hpp"
#include "protocol/supervised/server_effects.hpp"
#include "protocol/supervised/server_greeting.hpp"
#include "protocol/supervised/server_relay.hpp"
#include "protocol/supervised/server_users.hpp"
#include "protocol/supervised/supervision_rules.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace troupe::protocol {

/// Messages of users that wait until their server has started, in the order in which they came. Bounded in messages for
/// each user, and in bytes for all together.
class start_queue {
public:
  struct entry {
    user_id user = 0;
    message what;
  };

  start_queue(std::size_t most_of_user, std::size_t most_bytes)
      : most_of_user_{most_of_user}, most_bytes_{most_bytes} {}

  /// An `initialize` finds room however many bytes wait: without it a user could not begin.
  bool has_room_for(user_id user, const message& what) const;
  /// There is room for it.
  void add(user_id user, message&& what);
  /// Takes out a request that its user has cancelled; false when none of that id waits, or when it is an `initialize`,
  /// which cannot be cancelled (2025-11-25, cancellation, "Behavior Requirements" 2).
  bool withdraw(user_id user, std::string_view id);
  /// Takes out all that a user has here.
  void drop(user_id user);
  std::deque<entry> take_all();

  /// The `initialize` that came first; null when none waits. Valid until the queue changes.
  const entry* first_initialize() const;
  std::size_t size() const { return entries_.size(); }

private:
  std::size_t most_of_user_;
  std::size_t most_bytes_;
  std::deque<entry> entries_;
  /// How many messages each user has here.
  std::map<user_id, std::size_t> of_users_;
  std::size_t bytes_ = 0;
};

/// How a server was lost.
struct start_loss {
  std::string_view why = {};
  /// The server's own answer to who waits for `initialize`; null when it gave none.
  const message* refusal = nullptr;
  /// The gateway had no descriptors, memory or processes left to start it.
  bool is_shortage = false;
  /// What its users know of it is no longer true.
  bool ends_users = false;
  /// Somebody ended it who wants it to be started again.
  bool is_ordered = false;
  /// It has forgotten the session: what it has not answered never ran.
  bool is_expired = false;
};

/// The start of one server, each time that it is started: `initialize`, its answer, `notifications/initialized`, and
/// the messages of users that wait until then.
class server_start {
public:
  /// All four outlive this.
  server_start(const supervision_rules& rules, server_users& users, server_calls& calls, server_relay& relay)
      : rules_{rules}, users_{users}, calls_{calls}, relay_{relay}, waiting_{rules.calls, rules.waiting_bytes} {}

  // -- from users ----------------------------------------------------------------------
  /// A dedicated server is to get this `initialize` of its user, whenever it is started.
  void use(const message& initialize);
  /// A message waits until the server has started. When there is no room, a request fails, and a notification is
  /// dropped, which the log says.
  void hold(user_id user, message&& what, server_effects& out);
  /// Takes out a request that waits and was cancelled; false when none of that id does.
  bool withdraw(user_id user, std::string_view id);
  /// Answers an `initialize` to a server that is ready.
  void answer_initialize(user_id user, const message& initialize, server_effects& out);
  /// Sends a notification of a user to the server, which is ready: `notifications/initialized` once for each start.
  void pass(message&& notification, server_effects& out);
  void user_left(user_id user) { waiting_.drop(user); }

  // -- the server ----------------------------------------------------------------------
  void begin(time_point now, server_effects& out);
  /// Reads the answer to `initialize`. Gives why the server is of no use, when it is of none.
  std::optional<greeting_refused> read_answer(const message& answer);
  /// After an answer that is of use: the server is told what the one before knew, and gets what waits.
  void complete(const message& answer, time_point now, server_effects& out);
  /// The server is lost, and what waits has failed.
  void fail(const start_loss& how, server_effects& out);
  /// Forgets what waits, and the `initialize` of the user.
  void clear();

  /// Whether the server that answered last takes requests of 2026-07-28 as they are.
  bool takes_modern() const { return greeting_.takes_modern; }
  std::size_t waiting() const { return waiting_.size(); }

private:
  /// Whether the server is to be sent `notifications/initialized`.
  bool confirm() { return !std::exchange(confirmed_, true); }
  void announce_again(server_effects& out);
  void release(start_queue::entry& one, const message& answer, time_point now, server_effects& out);
  void fail(start_queue::entry& one, const start_loss& how, server_effects& out);

  const supervision_rules& rules_;
  server_users& users_;
  server_calls& calls_;
  server_relay& relay_;
  start_queue waiting_;
  /// The `initialize` that a dedicated server gets.
  std::optional<message> users_initialize_;
  /// What the server answered last.
  server_greeting greeting_;
  /// The server has heard `notifications/initialized`.
  bool confirmed_ = false;
};

} // namespace troupe::protocol
