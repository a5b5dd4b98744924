#pragma once

#include "protocol/counted_queue.hpp"
#include "protocol/counts_by_key.hpp"
#include "protocol/ids.hpp"
#include "protocol/message/message.hpp"
#include "protocol/supervised/initialize_outcome.hpp"
#include "protocol/supervised/server_calls.hpp"
#include "protocol/supervised/server_effects.hpp"
#include "protocol/supervised/server_relay.hpp"
#include "protocol/supervised/server_users.hpp"
#include "protocol/supervised/supervision_rules.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <string_view>
#include <utility>

namespace troupe::protocol {

/// Queue of users' messages that wait for their server to start, in order of arrival. Limited in messages per user and
/// in bytes overall.
class start_queue {
public:
  struct entry {
    user_id user = 0;
    message what;
    std::size_t bytes() const { return what.text.size(); }
  };

  start_queue(std::size_t most_of_user, std::size_t most_bytes)
      : most_of_user_{most_of_user}, most_bytes_{most_bytes} {}

  /// Whether a message fits. An `initialize` is exempt from the limit of bytes: otherwise a user could not begin.
  bool has_room_for(user_id user, const message& what) const;
  /// Requires `has_room_for`.
  void add(user_id user, message&& what);
  /// Removes a cancelled request; false when no request of that id waits, or when it is an `initialize`, which cannot
  /// be cancelled (2025-11-25, cancellation, "Behavior Requirements" 2).
  bool withdraw(user_id user, std::string_view id);
  /// Removes all messages of a user.
  void drop(user_id user);
  std::deque<entry> extract_all();

  /// Returns the first `initialize`; null when none waits. Valid until the queue changes.
  const entry* first_initialize() const;
  std::size_t size() const { return entries_.size(); }

private:
  std::size_t most_of_user_;
  std::size_t most_bytes_;
  counted_queue<std::deque<entry>, &entry::bytes> entries_;
  /// Number of waiting messages of each user.
  counts_by_key<user_id> of_users_;
};

/// How a server exited, disconnected or failed to start.
struct start_loss {
  std::string_view why = {};
  /// Server's error answer to `initialize`; null when it gave none.
  const message* refusal = nullptr;
  /// True if the gateway had no descriptors, memory or processes left to start the server.
  bool is_shortage = false;
  /// True if the users' knowledge of the server is no longer valid.
  bool ends_users = false;
  /// True if an operator ended the server to have it restarted.
  bool is_ordered = false;
  /// True if the server forgot the session: unanswered requests never ran.
  bool is_expired = false;
};

/// Startup sequence of one server, repeated for each start: `initialize`, its answer, `notifications/initialized`, then
/// the users' waiting messages.
class server_start {
public:
  /// All four must outlive this object.
  server_start(const supervision_rules& rules, server_users& users, server_calls& calls, server_relay& relay)
      : rules_{rules}, users_{users}, calls_{calls}, relay_{relay}, waiting_{rules.calls, rules.waiting_bytes} {}

  // -- from users ----------------------------------------------------------------------
  /// Keeps a user's `initialize`, to send it at each start of a dedicated server.
  void use(const message& initialize);
  /// Queues a message until the server has started. When the queue is full, a request fails, and a notification is
  /// dropped with a note in the log.
  void hold(user_id user, message&& what, server_effects& out);
  /// Removes a cancelled request from the queue; false when no request of that id waits.
  bool withdraw(user_id user, std::string_view id);
  /// Answers an `initialize` to a server that is ready.
  void answer_initialize(user_id user, const message& initialize, server_effects& out);
  /// Forwards a user's notification to a server that is ready; `notifications/initialized` once for each start.
  void pass(message&& notification, server_effects& out);
  void user_disconnected(user_id user) { waiting_.drop(user); }

  // -- the server ----------------------------------------------------------------------
  void begin(time_point now, server_effects& out);
  /// Reads the answer to `initialize`. Returns why the server cannot be used, if so.
  std::optional<initialize_failure> read_answer(const message& answer);
  /// After a valid answer: restores log level and subscriptions at the server, then forwards the queue.
  void complete(const message& answer, time_point now, server_effects& out);
  /// The server exited or did not start: fails the queued requests.
  void fail(const start_loss& how, server_effects& out);
  /// Clears the queue and the kept `initialize`.
  void clear();

  /// Whether the server that answered last takes requests of 2026-07-28 unchanged.
  bool takes_modern() const { return greeting_.takes_modern; }
  std::size_t waiting() const { return waiting_.size(); }

private:
  /// Whether `notifications/initialized` still has to be sent; marks it as sent.
  bool confirm() { return !std::exchange(confirmed_, true); }
  void announce_again(server_effects& out);
  void release(start_queue::entry& one, const message& answer, time_point now, server_effects& out);
  void fail(start_queue::entry& one, const start_loss& how, server_effects& out);

  const supervision_rules& rules_;
  server_users& users_;
  server_calls& calls_;
  server_relay& relay_;
  start_queue waiting_;
  /// `initialize` for a dedicated server.
  std::optional<message> users_initialize_;
  /// Last answer of the server to `initialize`.
  initialize_outcome greeting_;
  /// True once the server has received `notifications/initialized`.
  bool confirmed_ = false;
};

} // namespace troupe::protocol
