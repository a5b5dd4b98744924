#pragma once

#include "protocol/deadlines.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/ids.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/request_envelope.hpp"
#include "protocol/modern_client/server_as_modern.hpp"
#include "protocol/rejection.hpp"
#include "protocol/time.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// How the requests of one lease are answered over HTTP (2026-07-28, transports, "Sending Messages to the Server"):
/// with JSON, whose status tells what some errors mean, or with a stream when something precedes the response or that
/// takes long. A stream has no event ids, and ends with the response.
class stateless_answers {
public:
  /// A request that was not answered for so long is answered with a stream, which comments keep alive.
  explicit stateless_answers(std::chrono::milliseconds patience) : patience_{patience} {}

  /// A request waits for its answer.
  void asked(exchange_id exchange, time_point now);
  /// A notification, ahead of the response.
  void precede(exchange_id exchange, std::string text, effects& out);
  /// The response; `error` is its JSON-RPC code, or 0.
  void answer(exchange_id exchange, std::string text, int error, effects& out);
  void refuse(exchange_id exchange, rejection why, effects& out);
  /// Ends a stream without a response, after which its client may come again.
  void cut(exchange_id exchange, effects& out);
  /// The client has closed the exchange; false when it was answered by then.
  bool withdrawn(exchange_id exchange);
  void tick(time_point now, effects& out);

  time_point deadline() const { return first_.of(waiting_, deadline_of); }
  bool empty() const { return waiting_.empty(); }
  bool is_awaited(exchange_id exchange) const { return waiting_.contains(exchange); }
  std::size_t size() const { return waiting_.size(); }
  std::vector<exchange_id> all() const;

private:
  struct waiting_answer {
    /// When it becomes a stream; never when it is one.
    time_point patience_ends;
    bool is_stream = false;
  };
  using waiting_answers = std::map<exchange_id, waiting_answer>;

  static time_point deadline_of(const waiting_answers::value_type& one) { return one.second.patience_ends; }
  void begin_stream(waiting_answers::value_type& one, effects& out);

  std::chrono::milliseconds patience_;
  waiting_answers waiting_;
  /// The earliest deadline of them, cached.
  mutable first_deadline first_;
};

/// How long a lease lives, and how it answers.
struct lease_rules {
  /// Ends after this long without a call, a parked call or a listener; at once when zero.
  std::chrono::milliseconds idle = std::chrono::minutes{5};
  /// See `stateless_answers`.
  std::chrono::milliseconds patience = std::chrono::seconds{15};
};

/// What the requests of one caller share that a client of 2026-07-28 cannot name: its servers' processes, calls that
/// are parked until it has answered a question, and what it listens to. Facts in, effects out.
///
/// Joins the parts: `server_as_modern` makes its server, which is of the session era, look like one of 2026-07-28;
/// `stateless_answers` is how the answers go out.
class caller_lease {
public:
  caller_lease(const lease_rules& rules, server_as_modern_rules face, time_point now);

  // -- facts -----------------------------------------------------------------------
  effects client_sent(exchange_id exchange, message request, const request_envelope& envelope, time_point now);
  /// The client has closed the exchange: that cancels its request (2026-07-28, transports, "Cancellation").
  effects client_lost(exchange_id exchange, time_point now);
  /// Ends what these listen to, so that their clients come again with fresh credentials. Other streams go on.
  effects send_away(const std::vector<exchange_id>& streams, time_point now);
  /// `about` are the ids, at the server, of the calls that a question can be about; nothing when it can be any.
  effects server_sent(message from, time_point now,
                      const std::optional<std::vector<std::string>>& about = std::nullopt);
  /// The server is gone, or never came to be: what is under way fails. The next request begins it again.
  effects server_lost(const std::string& why, time_point now);
  effects tick(time_point now);
  /// An operator ends the request of that exchange and id: it fails for this reason, and is cancelled at the server.
  /// Nothing follows when it was answered.
  effects end_call(exchange_id exchange, std::string_view id, const std::string& why, time_point now);
  /// The gateway or the server is about to go: nothing new begins, and calls that are under way or parked may finish,
  /// unless it goes at once.
  effects drain(const std::string& why, bool at_once, time_point now);

  /// When `tick` has something to do.
  time_point deadline() const;

  // -- for who looks from outside
  /// Gives each request that has ended since this was last asked; without its id, for it has an exchange of its own.
  template <class See>
  void take_finished(See see) {
    for (auto& one : finished_)
      see(one);
    finished_.clear();
  }
  /// Since when no client waits for it or listens; nothing while one does. A call that is parked may keep it.
  std::optional<time_point> idle_since() const { return answers_.empty() ? std::optional{attended_} : std::nullopt; }
  const server_as_modern& face() const { return face_; }
  /// See `server_as_modern::asked_as`.
  std::string_view asked_as(std::string_view own) { return face_.asked_as(own); }

private:
  /// Its first request may be on its way yet.
  std::chrono::milliseconds patience() const {
    return is_used_ ? rules_.idle : std::max<std::chrono::milliseconds>(rules_.idle, std::chrono::seconds{15});
  }
  bool is_idle() const { return answers_.empty() && face_.is_idle(); }
  std::optional<rejection> refuse(const message& request) const;
  effects carry_out(stateless_effects those, time_point now, effects out = {});
  void take(stateless_effects those, effects& out);
  void give(give_answer answer, effects& out);
  void end_if_over(time_point now, effects& out);
  void end(const std::string& why, effects& out);

  lease_rules rules_;
  finished_calls finished_;
  server_as_modern face_;
  stateless_answers answers_;
  /// When it was last used; and when a client was last there for it.
  time_point touched_;
  time_point attended_;
  /// Its first request has come.
  bool is_used_ = false;
  /// Why nothing new may begin, if so.
  std::optional<std::string> closing_;
  bool over_ = false;
};

} // namespace troupe::protocol
