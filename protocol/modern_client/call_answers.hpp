#pragma once

#include "protocol/ids.hpp"
#include "protocol/message/message.hpp"
#include "protocol/modern_client/face_calls.hpp"
#include "protocol/modern_client/face_start.hpp"
#include "protocol/modern_client/known_tools.hpp"
#include "protocol/modern_client/modern_answer.hpp"
#include "protocol/modern_client/parked_calls.hpp"
#include "protocol/modern_client/stateless_effects.hpp"
#include "protocol/time.hpp"

namespace troupe::protocol {

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
