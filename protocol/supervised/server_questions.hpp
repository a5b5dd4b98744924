#pragma once

#include "protocol/message/message.hpp"
#include "protocol/message/request_table.hpp"
#include "protocol/supervised/server_calls.hpp"
#include "protocol/supervised/server_effects.hpp"
#include "protocol/supervised/supervision_rules.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// A request of a server to one of its users.
struct server_question {
  /// Who was asked.
  user_id user = 0;
  /// The server's id, a JSON token.
  std::string id = {};
  /// The server's progress token; empty when it wants no progress.
  std::string token = {};
  /// When it has failed, unless progress is made; never later than `cap`.
  time_point deadline = {};
  time_point cap = {};

  /// All are of one server.
  static constexpr std::optional<std::uint64_t> asker() { return 0; }
};

/// Requests of one server to its users that have no answer yet, each under an id of ours.
class server_questions {
public:
  /// Both outlive this; `calls` hears when a user is asked, and when a question is over.
  server_questions(const supervision_rules& rules, server_calls& calls) : rules_{rules}, calls_{calls} {}

  // -- from the server -----------------------------------------------------------------
  /// Asks a user, or refuses when too many requests are under way.
  void ask(user_id user, message&& from, time_point now, server_effects& out);
  /// The server has cancelled one.
  void withdraw(message&& cancelled, time_point now, server_effects& out);

  // -- from users ----------------------------------------------------------------------
  void take_answer(user_id user, message&& from, time_point now, server_effects& out);
  void take_progress(user_id user, message&& from, time_point now, server_effects& out);
  void user_left(user_id user, time_point now, server_effects& out);

  // -- ends ----------------------------------------------------------------------------
  void fail_late(time_point now, server_effects& out);
  void server_lost(server_effects& out);
  void clear() { under_way_.take_all(); }

  std::size_t size() const { return under_way_.size(); }
  time_point deadline() const { return under_way_.deadline(); }

private:
  /// Ends one that is under way.
  server_question take(std::uint64_t own, time_point now);

  const supervision_rules& rules_;
  server_calls& calls_;
  request_table<server_question> under_way_;
};

/// Answers a request of the server with an internal error.
void refuse_question(std::string_view id, std::string_view why, server_effects& out);

} // namespace troupe::protocol
