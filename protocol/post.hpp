#pragma once

#include "protocol/effects.hpp"
#include "protocol/time.hpp"

#include <string>
#include <vector>

namespace troupe::protocol {

/// One POST that awaits the answers to its requests. It is answered with JSON, unless something must precede an
/// answer or it is late: then it becomes a stream, which ends with the last answer.
class post {
public:
  /// `patience` is when the client has waited long enough for a sign of life; `initialize` is never made a stream.
  post(exchange_id exchange, bool batch, std::size_t requests, time_point patience)
      : exchange_{exchange}, batch_{batch}, unanswered_{requests}, patience_{patience} {}

  /// One of its requests is answered.
  void answer(std::string text, effects& out);
  /// One of its requests gets no answer, because its client cancelled it; `text` is for a client that awaits JSON.
  void skip(std::string text, effects& out);
  /// A message goes to the client before the answers.
  void precede(std::string text, effects& out);
  /// Time passes.
  void tick(time_point now, effects& out);
  /// The session is over, whatever is still unanswered.
  void abandon(effects& out);
  /// The client's connection is gone: what is left goes nowhere, and runs on.
  void lost() { state_ = state::lost; }

  bool done() const { return unanswered_ == 0; }
  bool reachable() const { return state_ != state::lost; }
  bool is_stream() const { return state_ == state::stream; }
  /// When `tick` has something to do.
  time_point deadline() const { return state_ == state::json ? patience_ : time_point::max(); }

private:
  enum class state { json, stream, lost };

  void become_stream(effects& out);
  void finish(effects& out);

  exchange_id exchange_;
  bool batch_;
  std::size_t unanswered_;
  time_point patience_;
  state state_ = state::json;
  std::vector<std::string> answers_;
};

} // namespace troupe::protocol
