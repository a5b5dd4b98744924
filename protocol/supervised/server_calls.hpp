#pragma once

#include "protocol/message/message.hpp"
#include "protocol/supervised/cancelled_calls.hpp"
#include "protocol/supervised/relayed_call.hpp"
#include "protocol/supervised/server_effects.hpp"
#include "protocol/supervised/supervision_rules.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

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
