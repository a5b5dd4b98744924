#pragma once

#include "protocol/counts_by_key.hpp"
#include "protocol/ids.hpp"
#include "protocol/message/message.hpp"
#include "protocol/supervised/server_calls.hpp"
#include "protocol/supervised/server_users.hpp"
#include "protocol/supervised/supervision_rules.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Forward a user's request to the server; the user gets the answer.
struct pass_subscription {
  user_id user = 0;
  message what;
  std::string uri;
  friend bool operator==(const pass_subscription&, const pass_subscription&) = default;
};

/// Send a request of the gateway's own to the server; to subscribe, on behalf of `user`, one of the subscribers.
struct ask_subscription {
  std::string uri;
  bool subscribes = true;
  user_id user = 0;
  friend bool operator==(const ask_subscription&, const ask_subscription&) = default;
};

/// Answer a user's request with success.
struct grant_subscription {
  user_id user = 0;
  std::string id;
  friend bool operator==(const grant_subscription&, const grant_subscription&) = default;
};

/// Fail a user's request because another user's request that it waited for has failed.
struct fail_subscription {
  user_id user = 0;
  std::string id;
  friend bool operator==(const fail_subscription&, const fail_subscription&) = default;
};

using subscription_step = std::variant<pass_subscription, ask_subscription, grant_subscription, fail_subscription>;
using subscription_steps = std::vector<subscription_step>;

/// Merges the subscriptions of one server's users, as the server knows only one subscriber. Only the first subscribe
/// and the last unsubscribe of a URI reach the server. Each URI has one request in flight; later requests wait.
class subscriptions {
public:
  /// Result of a request to the server.
  enum class outcome { granted, refused, unknown };

  /// `limit` is the number of subscriptions that each user may hold.
  explicit subscriptions(std::size_t limit) : limit_{limit} {}

  /// Whether a user has reached its limit.
  bool full(user_id user) const;
  /// Handles a user's `resources/subscribe` or `resources/unsubscribe`.
  subscription_steps asked(user_id user, message what, const std::string& uri);
  /// The last request about the URI has ended; the caller answers the user that sent it.
  subscription_steps answered(const std::string& uri, outcome how);
  /// A user cancelled a request that the server has.
  void abandoned(user_id user, const std::string& uri);
  /// A user cancelled a waiting request; false when no request of that id waits.
  bool withdrawn(user_id user, std::string_view id);
  /// Removes and returns all waiting requests with their users; the server has received none of them.
  std::vector<std::pair<user_id, message>> extract_all_waiting();
  subscription_steps left(user_id user);
  /// The server is gone: waiting requests fail, subscriptions are kept.
  subscription_steps lost();
  /// Repeats all subscriptions to a new server.
  subscription_steps replayed();

  // -- for a server with a single user, which gets all answers from the server itself
  void remember(user_id user, const std::string& uri);
  void forget(user_id user, const std::string& uri);

  /// Returns the subscribers of the URI, or of a URI that contains it (2025-11-25, schema,
  /// `ResourceUpdatedNotificationParams`).
  std::set<user_id> subscribers(std::string_view uri) const;
  /// True if no URI is subscribed to and no request waits.
  bool empty() const { return all_.empty(); }

private:
  struct waiting {
    user_id user = 0;
    message what;
  };
  using waiting_list = std::list<waiting>;
  struct subscription {
    std::set<user_id> holders;
    waiting_list queue;
    /// True if the server has the subscription, as far as known.
    bool at_server = false;
    bool subscribing = false;
    bool unsubscribing = false;
    /// True if `requester` waits for the answer to the request in flight.
    bool has_requester = false;
    user_id requester = 0;
  };
  using place = std::map<std::string, subscription, std::less<>>::iterator;
  struct waiting_place {
    place at;
    waiting_list::iterator in_queue;
  };

  void wait(place at, user_id user, message what);
  waiting extract_waiting(subscription& one, waiting_list::iterator which);
  void handle(place at, user_id user, message what, subscription_steps& out);
  void subscribe(place at, user_id user, message what, subscription_steps& out);
  void unsubscribe(place at, user_id user, message what, subscription_steps& out);
  void end_subscribing(subscription& one, outcome how, subscription_steps& out);
  void settle(place at, subscription_steps& out);
  void hold(subscription& one, user_id user);
  void drop_waiting(subscription& one, user_id user);

  std::size_t limit_;
  std::map<std::string, subscription, std::less<>> all_;
  /// Waiting requests, by user and id: ids of a user's requests in flight are unique.
  std::map<std::pair<user_id, std::string>, waiting_place> waiting_;
  /// Users that ever sent a request about a subscription; most users never do.
  std::unordered_set<user_id> requesters_;
  /// Number of subscriptions that each user holds or has requested.
  counts_by_key<user_id> claims_;
};

/// `resources/subscribe`, `resources/unsubscribe` and `notifications/resources/updated` of one server. Carries out the
/// steps of `subscriptions` with requests to the server and answers to its users.
class subscription_requests {
public:
  /// All three must outlive this object.
  subscription_requests(const supervision_rules& rules, server_users& users, server_calls& calls);

  // -- from users ----------------------------------------------------------------------
  static bool handles(const message& request);
  /// Handles a request of a user; the server is ready.
  void receive_request(user_id user, message&& request, time_point now, server_effects& out);
  /// Cancels a request that the server has. False when the server must be notified; otherwise the request continues
  /// without its user, because other users may wait for its result.
  bool cancel(std::uint64_t own);
  /// Removes a request that was not sent yet; false when no request of that id waits.
  bool withdraw(user_id user, std::string_view id) { return all_.withdrawn(user, id); }
  /// Removes and returns all requests that were not sent yet.
  kept_requests extract_all_waiting() { return all_.extract_all_waiting(); }
  void user_disconnected(user_id user, time_point now, server_effects& out) { carry_out(all_.left(user), now, out); }

  // -- from the server -----------------------------------------------------------------
  void receive_response(const relayed_call& asked, const message& answer, time_point now, server_effects& out);
  /// A request to the server was not answered in time.
  void timed_out(const relayed_call& asked, std::string_view why, time_point now, server_effects& out);
  /// Notifies the subscribers of a resource that it has changed.
  void publish(const message& update, server_effects& out) const;
  /// Repeats all subscriptions to a new server.
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
