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

/// Answers the requests of one lease over HTTP (2026-07-28, transports, "Sending Messages to the Server"). The answer
/// is JSON, where some errors have their own status. It is a stream if a notification precedes the response or the
/// response takes long. A stream has no event ids and ends with the response.
class stateless_answers {
public:
  /// After `patience` without an answer, a request is answered with a stream, which comments keep alive.
  explicit stateless_answers(std::chrono::milliseconds patience) : patience_{patience} {}

  /// Adds a request that waits for its answer.
  void asked(exchange_id exchange, time_point now);
  /// Sends a notification ahead of the response.
  void precede(exchange_id exchange, std::string text, effects& out);
  /// Sends the response; `error` is its JSON-RPC code, or 0.
  void answer(exchange_id exchange, std::string text, int error, effects& out);
  void refuse(exchange_id exchange, rejection why, effects& out);
  /// Ends a stream without a response; the client may send its request again. False for other exchanges.
  bool cut(exchange_id exchange, effects& out);
  /// Forgets an exchange that the client closed; false if it was already answered.
  bool withdrawn(exchange_id exchange);
  void tick(time_point now, effects& out);

  time_point deadline() const { return first_.of(waiting_, deadline_of); }
  bool empty() const { return waiting_.empty(); }
  bool is_awaited(exchange_id exchange) const { return waiting_.contains(exchange); }
  std::size_t size() const { return waiting_.size(); }
  std::vector<exchange_id> all() const;

private:
  struct waiting_answer {
    /// Time at which a stream begins; max() once it has begun.
    time_point patience_ends;
    bool is_stream = false;
  };
  using waiting_answers = std::map<exchange_id, waiting_answer>;

  static time_point deadline_of(const waiting_answers::value_type& one) { return one.second.patience_ends; }
  void begin_stream(waiting_answers::value_type& one, effects& out);

  std::chrono::milliseconds patience_;
  waiting_answers waiting_;
  /// Earliest `patience_ends`, cached.
  mutable first_deadline first_;
};

/// Time limits of a lease.
struct lease_rules {
  /// Idle time, without a call, a parked call or a listener, after which the lease ends; zero ends it at once.
  std::chrono::milliseconds idle = std::chrono::minutes{5};
  /// Time until an answer becomes a stream, see `stateless_answers`.
  std::chrono::milliseconds patience = std::chrono::seconds{15};
};

/// Lease: the state that the requests of one caller share, though a stateless (2026-07-28) client has no session to
/// name it by. Holds the caller's server processes, parked calls and listens. Facts in, effects out.
///
/// `server_as_modern` makes the session-era server look stateless; `stateless_answers` sends the answers.
class caller_lease {
public:
  /// `observer` receives no ids, as each exchange has one request; it may be empty.
  caller_lease(const lease_rules& rules, server_as_modern_rules adapter, time_point now,
               request_observer observer = {});

  // -- facts -----------------------------------------------------------------------
  effects client_sent(exchange_id exchange, message request, const request_envelope& envelope, time_point now);
  /// Cancels the request of an exchange that the client closed (2026-07-28, transports, "Cancellation").
  effects client_lost(exchange_id exchange, time_point now);
  /// Ends these listen streams, so that their clients come back with fresh credentials. Other streams continue.
  effects close_streams(const std::vector<exchange_id>& streams, time_point now);
  /// `about`: the server's ids of the calls that a question can concern; empty if it can concern any.
  effects server_sent(message from, time_point now,
                      const std::optional<std::vector<std::string>>& about = std::nullopt);
  /// Fails all requests in flight: the server exited or could not start. The next request starts it again.
  effects server_lost(const std::string& why, time_point now);
  effects tick(time_point now);
  /// Ends a request on behalf of an operator: it fails with reason `why` and is cancelled at the server. No effects if
  /// it was already answered.
  effects end_call(exchange_id exchange, std::string_view id, const std::string& why, time_point now);
  /// Stops accepting new calls; ends when no call is in flight or parked.
  effects close(const session_closing& how, time_point now);

  /// Time of the next `tick`.
  time_point deadline() const;
  /// True if no new calls are accepted: other leases take them.
  bool is_closing() const { return closing_.has_value(); }
  /// Always false: a call's stream ends with its connection, see `session::resumes_calls`.
  static bool resumes_calls() { return false; }

  // -- for who looks from outside
  /// Time since which no client waits or listens; empty while one does. A parked call may keep the lease alive.
  std::optional<time_point> idle_since() const { return answers_.empty() ? std::optional{attended_} : std::nullopt; }
  const server_as_modern& adapter() const { return adapter_; }
  /// See `server_as_modern::asked_as`.
  std::string_view asked_as(std::string_view own) { return adapter_.asked_as(own); }

private:
  /// Idle time until the lease ends; longer before the first request, which may still be on its way.
  std::chrono::milliseconds patience() const {
    return is_used_ ? rules_.idle : std::max<std::chrono::milliseconds>(rules_.idle, std::chrono::seconds{15});
  }
  bool is_idle() const { return answers_.empty() && adapter_.is_idle(); }
  std::optional<rejection> refuse(const message& request) const;
  effects carry_out(stateless_effects adapted, time_point now, effects out = {});
  void translate(stateless_effects adapted, effects& out);
  void give(send_response answer, effects& out);
  void finished(exchange_id exchange, call_outcome how) const {
    if (observer_)
      observer_(exchange, {}, how);
  }
  void end_if_over(time_point now, effects& out);
  void end(const std::string& why, effects& out);

  lease_rules rules_;
  request_observer observer_;
  server_as_modern adapter_;
  stateless_answers answers_;
  /// Time of the last activity, and the last time a client waited or listened.
  time_point touched_;
  time_point attended_;
  /// Whether the first request has arrived.
  bool is_used_ = false;
  /// Reason why new calls are refused; empty if they are accepted.
  std::optional<std::string> closing_;
  bool over_ = false;
};

} // namespace troupe::protocol
