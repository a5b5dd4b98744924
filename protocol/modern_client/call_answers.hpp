#pragma once

#include "protocol/ids.hpp"
#include "protocol/message/message.hpp"
#include "protocol/modern_client/adapter_calls.hpp"
#include "protocol/modern_client/adapter_requests.hpp"
#include "protocol/modern_client/known_tools.hpp"
#include "protocol/modern_client/modern_answer.hpp"
#include "protocol/modern_client/parked_calls.hpp"
#include "protocol/modern_client/stateless_effects.hpp"
#include "protocol/time.hpp"

namespace troupe::protocol {

/// Passes a session-era server's progress and log messages about a call to its client. In 2026-07-28 both are sent only
/// on the answer of their request.
class adapter_notifications {
public:
  /// All arguments must outlive this.
  adapter_notifications(const server_initialization& start, adapter_calls& calls, adapter_requests& ours)
      : start_{start}, calls_{calls}, ours_{ours} {}

  void pass_progress(message note, stateless_effects& out);
  /// Passes a log message, which does not name its request, only if the server works on a single call. That call must
  /// want the level and not be parked.
  void pass_log(const message& note, stateless_effects& out);
  /// Sends the server the most verbose level wanted by a call, if it differs from the last one sent.
  void send_level(stateless_effects& out);

private:
  const server_initialization& start_;
  adapter_calls& calls_;
  adapter_requests& ours_;
};

/// Handles a server's answer to a call: answers the client, keeps the answer while the call is parked, or asks the
/// client to open URLs.
class call_answers {
public:
  /// All arguments must outlive this.
  call_answers(const server_initialization& start, known_tools& tools, adapter_calls& calls, parked_calls& parked)
      : start_{start}, tools_{tools}, calls_{calls}, parked_{parked} {}

  /// Does nothing if the call has ended.
  void finish(exchange_id own, message answer, time_point now, stateless_effects& out);
  /// Fails the call: the client did not open the URLs that the server needs.
  void decline_urls(const adapter_call& call, stateless_effects& out);

private:
  void require_urls(adapter_call& call, message answer, time_point now, stateless_effects& out);
  /// Passes on the answer of a stateless (2026-07-28) server.
  void pass(const adapter_call& call, message answer, stateless_effects& out);
  void learn(const adapter_call& call, const message& answer);
  modern_reader reader_of(const adapter_call& call) const;
  /// Answers the client and ends the call.
  void give(const adapter_call& call, message answer, stateless_effects& out);
  void give(const adapter_call& call, send_response answer, stateless_effects& out);

  const server_initialization& start_;
  known_tools& tools_;
  adapter_calls& calls_;
  parked_calls& parked_;
};

} // namespace troupe::protocol
