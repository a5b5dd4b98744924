#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/ids.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/request_envelope.hpp"
#include "protocol/modern_client/adapter_calls.hpp"
#include "protocol/modern_client/adapter_requests.hpp"
#include "protocol/modern_client/call_answers.hpp"
#include "protocol/modern_client/known_tools.hpp"
#include "protocol/modern_client/listeners.hpp"
#include "protocol/modern_client/parked_calls.hpp"
#include "protocol/modern_client/server_as_modern_rules.hpp"
#include "protocol/modern_client/stateless_effects.hpp"
#include "protocol/modern_client/tasks.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Adapter that makes a session-era server look stateless (2026-07-28) to the requests of one lease. The
/// first request that needs the server initializes it. A server's question to the client (elicitation, sampling, roots)
/// ends the client's request with `input_required`. The call is parked until a retry brings the answers.
///
/// If `initialize` shows that the server itself is stateless, requests and answers pass unchanged, except for ids and
/// progress tokens. Only listens are still handled here.
class server_as_modern {
public:
  explicit server_as_modern(server_as_modern_rules rules);
  server_as_modern(const server_as_modern&) = delete;
  server_as_modern& operator=(const server_as_modern&) = delete;

  /// Takes a stateless (2026-07-28) request.
  void asked(exchange_id exchange, message request, const request_envelope& envelope, time_point now,
             stateless_effects& out);
  /// Cancels the request of an exchange that was closed, usually by its client. Does nothing if the exchange was
  /// already answered.
  void withdrawn(exchange_id exchange, time_point now, stateless_effects& out,
                 std::string_view why = "The client closed its request");
  /// `about`: the server's ids of the calls that a question can concern; empty if it can concern any.
  void server_sent(message from, time_point now, stateless_effects& out, const calls_meant& about = std::nullopt);
  /// Fails everything in flight; the next request begins with `initialize` again.
  void server_lost(const std::string& why, time_point now, stateless_effects& out);
  /// Ends the lease: answers parked questions, cancels calls and answers all exchanges.
  void end(std::string_view why, stateless_effects& out);
  /// Ends all listens with their result, and each later one at once.
  void end_listens(stateless_effects& out);
  void tick(time_point now, stateless_effects& out);
  time_point deadline() const;

  /// True if the request continues a call parked here, with a state that we sealed for its caller.
  bool is_own_state(const message& request) const { return brings_own_state(request, rules_.seal); }
  /// Returns the client's id for our id of a request at the server; empty if no client has such a request in flight.
  std::string_view asked_as(std::string_view own);
  /// True if no call is in flight or parked, and no client listens.
  bool is_idle() const;
  /// Includes calls that wait for the server to be initialized.
  std::size_t calls_in_flight() const;
  std::size_t parked_calls() const { return parked_.size(); }
  std::size_t listens() const;
  /// True if the server itself is stateless (2026-07-28), so that requests pass unchanged.
  bool is_passing() const { return start_.is_modern(); }
  /// Includes listens that wait for the server to be initialized.
  bool is_listening(exchange_id exchange) const {
    return (listeners_ && listeners_->is_listening(exchange)) || waiting_.is_listening(exchange);
  }

private:
  // -- from clients ----------------------------------------------------------------------
  void forward(stateless_request&& one, time_point now, stateless_effects& out);
  void listen(const stateless_request& one, stateless_effects& out);
  void translate(stateless_request&& one, time_point now, stateless_effects& out);
  void pass(stateless_request&& one, stateless_effects& out);
  /// Stores the call until its answer; refuses the request if that exceeds the byte budget.
  bool keep(const stateless_request& one, adapter_call call, stateless_effects& out);
  /// True if the server may have made the state of a retry, as far as its era is known.
  bool may_be_passed(const message& retry) const;
  /// True if the request must wait for `initialize` or `tools/list`, which are sent if needed.
  bool must_wait(const message& request, time_point now, stateless_effects& out);
  void wait(stateless_request&& one, stateless_effects& out);
  /// Refuses a call whose header fields do not match its body.
  bool refuse_fields(const stateless_request& one, stateless_effects& out);
  void send(stateless_request&& one, time_point now, stateless_effects& out);
  void resume(stateless_request&& retry, time_point now, stateless_effects& out);
  void forward_waiting(time_point now, stateless_effects& out);

  // -- from the server -------------------------------------------------------------------
  void receive_response(message answer, time_point now, stateless_effects& out);
  void receive_own_response(adapter_requests::asked what, message answer, time_point now, stateless_effects& out);
  void receive_request(const message& question, const calls_meant& about, time_point now, stateless_effects& out);
  void ask(const message& question, const calls_meant& about, time_point now, stateless_effects& out);
  void receive_notification(message note, stateless_effects& out);
  void receive_initialize_response(const message& answer, time_point now, stateless_effects& out);
  void finish_if(exchange_id own, std::optional<message> answer, time_point now, stateless_effects& out);

  // -- ends ------------------------------------------------------------------------------
  void cancel_at_server(const adapter_call& call, std::string_view why, stateless_effects& out);
  void forget_server();

  // -- parts without a state of their own
  call_answers answers() { return {start_, tools_, calls_, parked_}; }
  adapter_notifications notes() { return {start_, calls_, ours_}; }

  server_as_modern_rules rules_;
  byte_budget bytes_{rules_.waiting_bytes};
  adapter_requests ours_;
  server_initialization start_;
  known_tools tools_;
  waiting_requests waiting_{bytes_};
  adapter_calls calls_;
  protocol::parked_calls parked_{rules_, start_, calls_, bytes_};
  task_runs tasks_{rules_.task};
  /// Null until the first listen: most leases have none.
  std::unique_ptr<listeners> listeners_;
  bool listens_end_ = false;
};

} // namespace troupe::protocol
