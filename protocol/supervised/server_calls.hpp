#pragma once

#include "protocol/byte_budget.hpp"
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

/// Requests that were cancelled at a server, but that it may still work on: it may ask something on behalf of one yet,
/// and servers that heed a cancellation never answer the request. Each is remembered until the server has answered it,
/// or for 30 seconds.
class cancelled_calls {
public:
  /// `own` is our id for the request, `user` who had sent it.
  void add(std::uint64_t own, user_id user, time_point now);
  void answered(std::uint64_t own) { all_.erase(own); }
  void tick(time_point now);
  void clear() { all_.clear(); }

  /// Whether all of them are of this user; false when there were too many to remember each.
  bool only_of(user_id user) const;

private:
  struct cancelled_call {
    user_id user = 0;
    time_point until = {};
  };
  std::map<std::uint64_t, cancelled_call> all_;
};

/// A request as its user has sent it.
struct kept_request {
  message what;
  byte_budget::share bytes;
};

using kept_requests = std::vector<std::pair<user_id, message>>;

/// A request to a server that many may use.
struct relayed_call {
  /// What its answer means.
  enum class kind {
    relay,
    tools_list,
    subscription,
    log_level,
    /// Of the gateway itself; no user waits for the answer.
    ours,
    /// The server is ready when it has answered; no user waits for the answer.
    initialize
  };
  kind is = kind::relay;
  /// When it is about a subscription: it begins it, and does not end it.
  bool subscribes = false;
  /// Whether the server may have questions for the user while it works on it.
  bool is_interactive = false;
  /// Who asked, if a user did.
  user_id user = 0;
  /// The asker's id, a JSON token.
  std::string id = {};
  /// The asker's progress token; empty when it wants no progress.
  std::string token = {};
  /// What a subscription is to.
  std::string uri = {};
  /// The least severity of log messages that it asks a server of 2026-07-28 for; nothing when it asks for none.
  std::optional<severity> logs = {};
  /// When it has failed, unless progress is made; never later than `cap`.
  time_point deadline = {};
  time_point cap = {};
  /// Null unless it is to be sent again when the server has forgotten the session.
  std::unique_ptr<kept_request> kept = {};

  /// Whether a user waits for the answer.
  bool has_user() const { return is != kind::ours && is != kind::initialize; }
  /// Whether a server of 2026-07-28 may log at that level for it, or at one that is not known.
  bool asks_to_log(std::optional<severity> level) const { return logs && (!level || *level >= *logs); }
  /// It goes on as one of the gateway's own.
  void disown() {
    is = kind::ours;
    token.clear();
  }
  std::optional<user_id> asker() const { return has_user() ? std::optional{user} : std::nullopt; }
};

/// Requests of users and of the gateway that a server has not answered.
using relayed_calls = request_table<relayed_call>;

/// Requests to one server, of its users and of the gateway: those under way, each under an id of ours, and those that
/// were cancelled a while ago.
class server_calls {
public:
  /// `rules` outlive this.
  explicit server_calls(const supervision_rules& rules) : rules_{rules}, bytes_to_keep_{rules.waiting_bytes} {}

  // -- to the server -------------------------------------------------------------------
  /// A request of `one.user`, whose envelope is null unless the server hears of each.
  void send(relayed_call one, message&& from, time_point now, server_effects& out, envelope_of_user envelope = nullptr);
  /// A request of the gateway's own; with the envelope of a user when it is for that one.
  void send_ours(relayed_call one, std::string_view method, std::string_view params, time_point now,
                 server_effects& out, envelope_of_user envelope = nullptr);
  /// Whether the requests that users send from now on are kept, for a server that may forget the session.
  void keep_requests(bool keeps) { keeps_ = keeps; }
  /// Gives our id for an `initialize` that is sent now; the user of `one` gets its progress.
  std::string add_initialize(relayed_call one, time_point now);

  // -- from the server -----------------------------------------------------------------
  /// The request that the server has answered; nothing when none is under way under that id.
  std::optional<relayed_call> answered(const message& answer);
  void take_progress(message&& from, time_point now, server_effects& out);

  // -- questions of the server -----------------------------------------------------------
  /// A user has been asked something, which a person may have to answer: those of its requests that may have asked it
  /// are late only by their cap until each question is over.
  void await_user(user_id user, time_point now);
  /// A question to a user is over. After the last one its requests have the time of a new request.
  void question_over(user_id user, time_point now);

  // -- ends ----------------------------------------------------------------------------
  /// Ends a request that its user has cancelled.
  void cancel(std::uint64_t own, time_point now);
  /// A request was taken as late, and the server is told that it is cancelled.
  void cancelled(std::uint64_t own, const relayed_call& one, time_point now);
  /// It goes on, but its user waits for it no more.
  void disown(std::uint64_t own) { under_way_.change(own, &relayed_call::disown); }
  /// A user's requests are cancelled, except to subscribe: what is subscribed to may have other users.
  void user_left(user_id user, time_point now, server_effects& out);
  relayed_calls::numbered take_late(time_point now);
  /// Takes out those that are to be sent again, in the order in which they were sent.
  kept_requests take_kept();
  /// Also the cancelled are forgotten, and who was asked something.
  relayed_calls::numbered take_all();

  std::optional<std::uint64_t> own_id_of(user_id user, std::string_view id) const {
    return under_way_.own_id_of(user, id);
  }
  const relayed_call* find(std::uint64_t own) const { return under_way_.find(own); }
  /// Who waits for the answer to the request of that id, a JSON token.
  std::optional<user_id> user_of(std::string_view id) const;
  /// The same, when the request has asked for log messages of that level, or for any when it has none.
  std::optional<user_id> user_told(std::string_view id, std::optional<severity> level) const;
  /// The only user whose requests the server may be working on; nothing when that is not certain.
  std::optional<user_id> only_user() const;
  /// Why that is not certain, for the error that a question of the server gets.
  std::string_view why_no_only_user() const;
  /// The only user whose requests have asked for log messages of that level, or for any when it has none; nothing when
  /// that is not certain.
  std::optional<user_id> only_user_told(std::optional<severity> level) const;
  std::size_t size() const { return under_way_.size(); }
  time_point deadline() const { return under_way_.deadline(); }

private:
  const relayed_call* find(std::string_view id) const;
  void keep(relayed_call& one, const message& from);
  time_point next_deadline(const relayed_call& one, time_point now) const;
  void set_deadlines(user_id user, time_point now);

  const supervision_rules& rules_;
  byte_budget bytes_to_keep_;
  relayed_calls under_way_;
  /// How many questions each user has not answered, if any.
  std::map<user_id, std::size_t> questions_;
  cancelled_calls cancelled_;
  bool keeps_ = false;
};

} // namespace troupe::protocol
