#pragma once

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
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Send a user's request to the server; the user gets the answer.
struct pass_subscription {
  user_id user = 0;
  message what;
  std::string uri;
  friend bool operator==(const pass_subscription&, const pass_subscription&) = default;
};

/// Send a request of the gateway's own to the server; to subscribe it is for that user, one of those who want it.
struct ask_subscription {
  std::string uri;
  bool subscribes = true;
  user_id user = 0;
  friend bool operator==(const ask_subscription&, const ask_subscription&) = default;
};

/// Tell a user that its request has succeeded.
struct grant_subscription {
  user_id user = 0;
  std::string id;
  friend bool operator==(const grant_subscription&, const grant_subscription&) = default;
};

/// Tell a user that its request has failed, with the one of another that it waited for.
struct fail_subscription {
  user_id user = 0;
  std::string id;
  friend bool operator==(const fail_subscription&, const fail_subscription&) = default;
};

using subscription_step = std::variant<pass_subscription, ask_subscription, grant_subscription, fail_subscription>;
using subscription_steps = std::vector<subscription_step>;

/// The subscriptions of the users of one server, which knows only one subscriber. It is asked for the first of a URI
/// and for the last, and by one request at a time for each URI: what comes meanwhile waits.
class subscriptions {
public:
  /// How a request to the server ended.
  enum class outcome { granted, refused, unknown };

  /// `limit` is of subscriptions for each user.
  explicit subscriptions(std::size_t limit) : limit_{limit} {}

  /// Whether a user has all the subscriptions that it may.
  bool full(user_id user) const;
  /// A user's `resources/subscribe` or `resources/unsubscribe`.
  subscription_steps asked(user_id user, message what, const std::string& uri);
  /// The request about the URI that the server was asked last has ended; a user who waited for it is told by others.
  subscription_steps answered(const std::string& uri, outcome how);
  /// A user cancelled a request that was sent to the server.
  void abandoned(user_id user, const std::string& uri);
  /// A user cancelled a request that waits; false when none of that id does.
  bool withdrawn(user_id user, std::string_view id);
  /// Takes out all requests that wait, by their users: the server was asked none of them.
  std::vector<std::pair<user_id, message>> take_all_waiting();
  subscription_steps left(user_id user);
  /// The server is gone: what waits has failed. What is subscribed to is kept.
  subscription_steps lost();
  /// A new server has to know what the old one knew.
  subscription_steps replayed();

  // -- for a server whose one user has all answers from it
  void remember(user_id user, const std::string& uri);
  void forget(user_id user, const std::string& uri);

  /// Who subscribed to the URI, or to one that it is a part of (2025-11-25, schema,
  /// `ResourceUpdatedNotificationParams`).
  std::set<user_id> subscribers(std::string_view uri) const;
  /// No URI is subscribed to, and none waits.
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
    /// As far as we know, the server has it.
    bool at_server = false;
    bool subscribing = false;
    bool unsubscribing = false;
    /// Whose request the server was asked, if anybody's.
    bool has_asker = false;
    user_id asker = 0;
  };
  using place = std::map<std::string, subscription, std::less<>>::iterator;
  struct waiting_place {
    place at;
    waiting_list::iterator in_queue;
  };

  void wait(place at, user_id user, message what);
  waiting take_waiting(subscription& one, waiting_list::iterator which);
  void take(place at, user_id user, message what, subscription_steps& out);
  void take_subscribe(place at, user_id user, message what, subscription_steps& out);
  void take_unsubscribe(place at, user_id user, message what, subscription_steps& out);
  void end_subscribing(subscription& one, outcome how, subscription_steps& out);
  void settle(place at, subscription_steps& out);
  void hold(subscription& one, user_id user);
  void unclaim(user_id user);
  void drop_waiting(subscription& one, user_id user);

  std::size_t limit_;
  std::map<std::string, subscription, std::less<>> all_;
  /// The requests that wait, by their users and ids: no user has two of one id in flight.
  std::map<std::pair<user_id, std::string>, waiting_place> waiting_;
  /// Users that ever sent a request about a subscription; most never do.
  std::unordered_set<user_id> askers_;
  /// How many each user holds, or has asked for.
  std::unordered_map<user_id, std::size_t> claims_;
};

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
