#pragma once

#include "protocol/message/message.hpp"
#include "protocol/supervised/server_calls.hpp"
#include "protocol/supervised/server_users.hpp"
#include "protocol/supervised/subscriptions.hpp"
#include "protocol/supervised/supervision_rules.hpp"
#include "protocol/time.hpp"

#include <cstdint>
#include <string_view>

namespace troupe::protocol {

/// `resources/subscribe`, `resources/unsubscribe` and `notifications/resources/updated` of one server: carries out what
/// `subscriptions` decides, with requests to the server and answers to its users.
class subscription_requests {
public:
  /// All three outlive this.
  subscription_requests(const supervision_rules& rules, server_users& users, server_calls& calls);

  // -- from users ----------------------------------------------------------------------
  static bool takes(const message& request);
  /// A request of a user, for a server that is ready.
  void take(user_id user, message&& request, time_point now, server_effects& out);
  /// A request that the server has was cancelled. False when the server has to know; otherwise it goes on without its
  /// user, because others may wait for the same.
  bool cancel(std::uint64_t own);
  /// Takes out a request that the server does not have yet; false when none of that id waits.
  bool withdraw(user_id user, std::string_view id) { return all_.withdrawn(user, id); }
  /// Takes out all requests that the server does not have yet.
  kept_requests take_all_waiting() { return all_.take_all_waiting(); }
  void user_left(user_id user, time_point now, server_effects& out) { carry_out(all_.left(user), now, out); }

  // -- from the server -----------------------------------------------------------------
  void take_answer(const relayed_call& asked, const message& answer, time_point now, server_effects& out);
  /// A request to the server had no answer in time.
  void timed_out(const relayed_call& asked, std::string_view why, time_point now, server_effects& out);
  /// Tells the subscribers of a resource that it has changed.
  void publish(const message& update, server_effects& out) const;
  /// A new server has to know what the old one knew.
  void server_ready(time_point now, server_effects& out) { carry_out(all_.replayed(), now, out); }
  void server_lost(std::string_view why, time_point now, server_effects& out);

  void clear() { all_ = subscriptions{rules_.subscriptions}; }

private:
  void carry_out(subscription_steps steps, time_point now, server_effects& out, const message& failure = {});
  void note_answer(const relayed_call& asked, const message& answer);

  const supervision_rules& rules_;
  server_users& users_;
  server_calls& calls_;
  subscriptions all_;
};

} // namespace troupe::protocol
