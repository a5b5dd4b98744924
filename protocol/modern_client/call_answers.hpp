#pragma once

#include "protocol/ids.hpp"
#include "protocol/message/message.hpp"
#include "protocol/modern_client/face_calls.hpp"
#include "protocol/modern_client/face_requests.hpp"
#include "protocol/modern_client/known_tools.hpp"
#include "protocol/modern_client/modern_answer.hpp"
#include "protocol/modern_client/parked_calls.hpp"
#include "protocol/modern_client/stateless_effects.hpp"
#include "protocol/time.hpp"

namespace troupe::protocol {

/// What a server of the session era says of a call while it works on it: progress and log messages, which 2026-07-28
/// has on the answer of their request only.
class face_notes {
public:
  /// All outlive this.
  face_notes(const face_start& start, face_calls& calls, face_requests& ours)
      : start_{start}, calls_{calls}, ours_{ours} {}

  void pass_progress(message note, stateless_effects& out);
  /// Nothing in a log message says which request it is about: it is passed only while the server works on one call
  /// alone, and when that wants it and is not parked.
  void pass_log(const message& note, stateless_effects& out);
  /// Tells the server the most verbose level that is wanted, when that is another than it was told last.
  void tell_level(stateless_effects& out);

private:
  const face_start& start_;
  face_calls& calls_;
  face_requests& ours_;
};

/// What becomes of a server's answer to a call: it ends the call's exchange, is kept while the call is parked, or asks
/// for URLs to be opened first.
class call_answers {
public:
  /// All outlive this.
  call_answers(const face_start& start, known_tools& tools, face_calls& calls, parked_calls& parked)
      : start_{start}, tools_{tools}, calls_{calls}, parked_{parked} {}

  /// Does nothing when there is no such call any more.
  void finish(exchange_id own, message answer, time_point now, stateless_effects& out);
  /// The client did not open the URLs that the server needs.
  void decline_urls(const face_call& call, stateless_effects& out);

private:
  void require_urls(face_call& call, message answer, time_point now, stateless_effects& out);
  /// What a server of 2026-07-28 answered.
  void pass(const face_call& call, message answer, stateless_effects& out);
  void learn(const face_call& call, const message& answer);
  modern_reader reader_of(const face_call& call) const;
  /// Answers the client; the call is over.
  void give(const face_call& call, message answer, stateless_effects& out);
  void give(const face_call& call, give_answer answer, stateless_effects& out);

  const face_start& start_;
  known_tools& tools_;
  face_calls& calls_;
  parked_calls& parked_;
};

} // namespace troupe::protocol
