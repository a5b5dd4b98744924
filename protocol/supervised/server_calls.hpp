#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/counts_by_key.hpp"
#include "protocol/ids.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/request_table.hpp"
#include "protocol/message/severity.hpp"
#include "protocol/supervised/server_effects.hpp"
#include "protocol/supervised/supervision_rules.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Cancelled requests that the server may still work on. The server may still send a request on behalf of one, and
/// never answers it when it honours the cancellation. Entries are kept until the server answers, or for 30 seconds.
class cancelled_calls {
public:
  /// Adds a request; `own` is our id for it, `user` its sender.
  void add(std::uint64_t own, user_id user, time_point now);
  void answered(std::uint64_t own) { all_.erase(own); }
  void tick(time_point now);
  void clear() { all_.clear(); }

  /// Whether all entries are of this user; false once the table was full.
  bool only_of(user_id user) const;

private:
  struct cancelled_call {
    user_id user = 0;
    time_point until = {};
  };
  std::map<std::uint64_t, cancelled_call> all_;
};

/// Copy of a request as its user sent it.
struct kept_request {
  message what;
  byte_budget::share bytes;
};

using kept_requests = std::vector<std::pair<user_id, message>>;

/// Request to a server that several users may share.
struct relayed_call {
  /// Purpose of the request, which decides how its answer is handled.
  enum class kind {
    relay,
    tools_list,
    subscription,
    log_level,
    /// Sent by the gateway itself; no user waits for the answer.
    ours,
    /// Makes the server ready once answered; no user waits for the answer.
    initialize
  };
  kind is = kind::relay;
  /// For a subscription: true to subscribe, false to unsubscribe.
  bool subscribes = false;
  /// Whether the server may send requests to the user while it works on this request.
  bool is_interactive = false;
  /// User that sent the request, if a user did.
  user_id user = 0;
  /// Sender's id, a JSON token.
  std::string id = {};
  /// Sender's progress token; empty when it requests no progress.
  std::string token = {};
  /// URI of the subscription.
  std::string uri = {};
  /// Least severity of log messages requested from a stateless (2026-07-28) server; empty when none are requested.
  std::optional<severity> logs = {};
  /// Deadline, extended by progress; never later than `cap`.
  time_point deadline = {};
  time_point cap = {};
  /// Copy to send again when the server has forgotten the session; null when not kept.
  std::unique_ptr<kept_request> kept = {};

  /// Whether a user waits for the answer.
  bool has_user() const { return is != kind::ours && is != kind::initialize; }
  /// Whether a stateless (2026-07-28) server may log at that level, or at an unknown level, for this request.
  bool asks_to_log(std::optional<severity> level) const { return logs && (!level || *level >= *logs); }
  /// Turns the request into one of the gateway's own; its user no longer waits for it.
  void disown() {
    is = kind::ours;
    token.clear();
  }
  std::optional<user_id> requester() const { return has_user() ? std::optional{user} : std::nullopt; }
};

/// Requests of users and of the gateway that the server has not answered.
using relayed_calls = request_table<relayed_call>;

/// Requests to one server from its users and from the gateway: requests in flight, each under an id of ours, and
/// recently cancelled requests.
class server_calls {
public:
  /// `rules` must outlive this object.
  explicit server_calls(const supervision_rules& rules) : rules_{rules}, bytes_to_keep_{rules.waiting_bytes} {}

  // -- to the server -------------------------------------------------------------------
  /// Sends a request of `one.user`. `envelope` is null unless the server receives each user's envelope.
  void send(relayed_call&& one, message&& from, time_point now, server_effects& out,
            envelope_of_user envelope = nullptr);
  /// Sends a request of the gateway's own, with a user's envelope when it is on that user's behalf.
  void send_ours(relayed_call&& one, std::string_view method, std::string_view params, time_point now,
                 server_effects& out, envelope_of_user envelope = nullptr);
  /// Sets whether later requests of users are kept, for a server that may forget the session.
  void keep_requests(bool keeps) { keeps_ = keeps; }
  /// Returns our id for an `initialize` that is sent now; the user of `one` gets its progress.
  std::string add_initialize(relayed_call&& one, time_point now);

  // -- from the server -----------------------------------------------------------------
  /// Removes and returns the request that the server answered; empty when its id is not in flight.
  std::optional<relayed_call> answered(const message& answer);
  void receive_progress(message&& from, time_point now, server_effects& out);

  // -- requests of the server ------------------------------------------------------------
  /// The server sent a request to a user, which a person may have to answer. The user's requests that may have caused
  /// it are due only at their cap until all such requests are over.
  void await_user(user_id user, time_point now);
  /// A request to a user is over. After the last, the user's requests get the deadline of a new request.
  void question_over(user_id user, time_point now);

  // -- ends ----------------------------------------------------------------------------
  /// Removes a request that its user cancelled.
  void cancel(std::uint64_t own, time_point now);
  /// A late request was removed, and the server is notified that it is cancelled.
  void cancelled(std::uint64_t own, const relayed_call& one, time_point now);
  /// Keeps the request in flight, but its user no longer waits for it.
  void disown(std::uint64_t own) { under_way_.change(own, &relayed_call::disown); }
  /// Cancels the user's requests, except subscriptions, which other users may share.
  void user_disconnected(user_id user, time_point now, server_effects& out);
  relayed_calls::numbered extract_late(time_point now);
  /// Removes and returns the requests to send again, in the order in which they were sent.
  kept_requests extract_kept();
  /// Removes all requests; also forgets cancelled requests and pending requests to users.
  relayed_calls::numbered extract_all();

  std::optional<std::uint64_t> own_id_of(user_id user, std::string_view id) const {
    return under_way_.own_id_of(user, id);
  }
  const relayed_call* find(std::uint64_t own) const { return under_way_.find(own); }
  /// Returns the user that waits for the answer to the request of that id, a JSON token.
  std::optional<user_id> user_of(std::string_view id) const;
  /// Like `user_of`, if the request asked for log messages of that level, or for any when `level` is empty.
  std::optional<user_id> log_receiver(std::string_view id, std::optional<severity> level) const;
  /// Returns the only user whose requests the server may be working on; empty when uncertain.
  std::optional<user_id> only_user() const;
  /// Returns why `only_user` is uncertain, for the error answer to a request of the server.
  std::string_view why_no_only_user() const;
  /// Returns the only user whose requests asked for log messages of that level, or for any when `level` is empty; empty
  /// when uncertain.
  std::optional<user_id> only_log_receiver(std::optional<severity> level) const;
  std::size_t size() const { return under_way_.size(); }
  time_point deadline() const { return under_way_.deadline(); }

private:
  void keep(relayed_call& one, const message& from);
  time_point next_deadline(const relayed_call& one, time_point now) const;
  void set_deadlines(user_id user, time_point now);

  const supervision_rules& rules_;
  byte_budget bytes_to_keep_;
  relayed_calls under_way_;
  /// Number of requests that each user has not answered; no entry for zero.
  counts_by_key<user_id> questions_;
  cancelled_calls cancelled_;
  bool keeps_ = false;
};

} // namespace troupe::protocol
