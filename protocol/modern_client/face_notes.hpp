#pragma once

#include "protocol/message/message.hpp"
#include "protocol/modern_client/face_calls.hpp"
#include "protocol/modern_client/face_requests.hpp"
#include "protocol/modern_client/face_start.hpp"
#include "protocol/modern_client/stateless_effects.hpp"

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

} // namespace troupe::protocol
