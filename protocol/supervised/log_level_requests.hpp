#pragma once

#include "protocol/message/message.hpp"
#include "protocol/supervised/log_levels.hpp"
#include "protocol/supervised/server_calls.hpp"
#include "protocol/supervised/server_users.hpp"
#include "protocol/supervised/supervision_rules.hpp"
#include "protocol/time.hpp"

#include <string_view>

namespace troupe::protocol {

/// `logging/setLevel` and `notifications/message` of one server: tells it the most verbose of its users' levels, and
/// each user what its own lets pass. A server of 2026-07-28 that hears of each user is asked for log messages by each
/// request; a message is told to the user whose request it is about, as far as that is certain.
class log_level_requests {
public:
  /// All three outlive this.
  log_level_requests(const supervision_rules& rules, server_users& users, server_calls& calls)
      : rules_{rules}, users_{users}, calls_{calls} {}

  static bool takes(const message& request) { return request.is_method("logging/setLevel"); }
  /// A request of a user, for a server that is ready.
  void take(user_id user, message&& request, time_point now, server_effects& out);
  /// A request of a user while the server is not there: a level is told when it is back. False when it is no level.
  bool remember(user_id user, const message& request, server_effects& out);
  void take_answer(const relayed_call& asked, const message& answer, time_point now, server_effects& out);
  /// Tells a server that is ready the level that it has to know, when that is another than it was told last.
  void tell_news(time_point now, server_effects& out);
  /// A log message of a server that is shared. `concerns`: see `supervised_server::server_sent`.
  void publish(const message& log, std::string_view concerns, server_effects& out) const;

  void user_left(user_id user) { all_.forget(user); }
  /// The next server knows no level.
  void server_lost() { all_.untold(); }
  void clear() { all_ = {}; }

private:
  void set(user_id user, severity level);

  const supervision_rules& rules_;
  server_users& users_;
  server_calls& calls_;
  log_levels all_;
};

} // namespace troupe::protocol
