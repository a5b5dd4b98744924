#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/ids.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/request_envelope.hpp"
#include "protocol/modern_client/call_answers.hpp"
#include "protocol/modern_client/face_calls.hpp"
#include "protocol/modern_client/face_requests.hpp"
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

/// The face by which a server of the session era looks like one of 2026-07-28 to the requests of one lease. The server
/// is initialized when the first request needs it. A question that it has for the client ends the client's request with
/// `input_required` and parks the call, until a retry brings the answers.
///
/// When the answer to `initialize` says that the server is of 2026-07-28 itself, requests and their answers pass as
/// they are, but for ids and progress tokens; only listens stay with the face.
class server_as_modern {
public:
  explicit server_as_modern(server_as_modern_rules rules);
  server_as_modern(const server_as_modern&) = delete;
  server_as_modern& operator=(const server_as_modern&) = delete;

  /// A request of 2026-07-28.
  void asked(exchange_id exchange, message request, const request_envelope& envelope, time_point now,
             stateless_effects& out);
  /// The client closed the exchange, or something else did, which cancels its request. Does nothing for an exchange
  /// that was answered.
  void withdrawn(exchange_id exchange, time_point now, stateless_effects& out,
                 std::string_view why = "The client closed its request");
  /// `about` are the ids, at the server, of the calls that a question can be about; nothing when it can be any.
  void server_sent(message from, time_point now, stateless_effects& out, const calls_meant& about = std::nullopt);
  /// All that is under way fails; the next request begins again with `initialize`.
  void server_lost(const std::string& why, time_point now, stateless_effects& out);
  /// The lease ends: parked questions are answered, calls cancelled, and all exchanges answered.
  void end(std::string_view why, stateless_effects& out);
  /// Ends what clients listen to, with its result, and so each that comes later.
  void end_listens(stateless_effects& out);
  void tick(time_point now, stateless_effects& out);
  time_point deadline() const;

  /// Whether the request goes on with a call that is parked here, by a state that we have sealed for its caller.
  bool is_own_state(const message& request) const { return brings_own_state(request, rules_.seal); }
  /// The client's id for a request at the server, by ours; empty when none of a client is under way.
  std::string_view asked_as(std::string_view own);
  /// Whether nothing is in flight, parked or listening.
  bool is_idle() const;
  /// Those that wait for the server to be initialized included.
  std::size_t calls_in_flight() const;
  std::size_t parked_calls() const { return parked_.size(); }
  std::size_t listens() const;
  /// Whether the server was found to be of 2026-07-28, so that requests pass.
  bool is_passing() const { return start_.is_modern(); }
  /// Also one that waits for the server to be initialized.
  bool is_listening(exchange_id exchange) const {
    return (listeners_ && listeners_->is_listening(exchange)) || waiting_.is_listening(exchange);
  }

private:
  // -- from clients ----------------------------------------------------------------------
  void forward(stateless_request&& one, time_point now, stateless_effects& out);
  void listen(const stateless_request& one, stateless_effects& out);
  void translate(stateless_request&& one, time_point now, stateless_effects& out);
  void pass(stateless_request&& one, stateless_effects& out);
  /// Keeps what is needed of the request until its answer; refuses it when that is too much.
  bool keep(const stateless_request& one, face_call call, stateless_effects& out);
  /// Whether the server, as far as it is known, may have made the state that a retry brings.
  bool may_be_passed(const message& retry) const;
  /// Whether the request must wait for what the server has to be asked first, which it is.
  bool must_wait(const message& request, time_point now, stateless_effects& out);
  void wait(stateless_request&& one, stateless_effects& out);
  /// Refuses a call whose header fields do not say what its body says.
  bool refuse_fields(const stateless_request& one, stateless_effects& out);
  void send(stateless_request&& one, time_point now, stateless_effects& out);
  void go_on(stateless_request&& retry, time_point now, stateless_effects& out);
  void forward_waiting(time_point now, stateless_effects& out);

  // -- from the server -------------------------------------------------------------------
  void take_answer(message answer, time_point now, stateless_effects& out);
  void take_own_answer(face_requests::asked what, message answer, time_point now, stateless_effects& out);
  void take_request(const message& question, const calls_meant& about, time_point now, stateless_effects& out);
  void ask(const message& question, const calls_meant& about, time_point now, stateless_effects& out);
  void take_notification(message note, stateless_effects& out);
  void take_start(const message& answer, time_point now, stateless_effects& out);
  void finish_if(exchange_id own, std::optional<message> answer, time_point now, stateless_effects& out);

  // -- ends ------------------------------------------------------------------------------
  void cancel_at_server(const face_call& call, std::string_view why, stateless_effects& out);
  void forget_server();

  // -- parts without a state of their own
  call_answers answers() { return {start_, tools_, calls_, parked_}; }
  face_notes notes() { return {start_, calls_, ours_}; }

  server_as_modern_rules rules_;
  byte_budget bytes_{rules_.waiting_bytes};
  face_requests ours_;
  face_start start_;
  known_tools tools_;
  waiting_requests waiting_{bytes_};
  face_calls calls_;
  protocol::parked_calls parked_{rules_, start_, calls_, bytes_};
  task_runs tasks_{rules_.task};
  /// Null until the first comes: most leases have none.
  std::unique_ptr<listeners> listeners_;
  bool listens_end_ = false;
};

} // namespace troupe::protocol
