#pragma once

#include "protocol/delivery/effects.hpp"
#include "protocol/delivery/streams.hpp"
#include "protocol/time.hpp"

#include <string>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// One POST whose requests are not all answered yet. It is answered with JSON, unless a message must precede an answer
/// or the answer is late: then the HTTP answer becomes a stream, which ends with the last JSON-RPC answer.
class post {
public:
  /// `patience` is when the POST becomes a stream although nothing is to be sent; never when it is
  /// `time_point::max()`. `requests` are the ids of its requests.
  post(exchange_id exchange, bool batch, std::vector<std::string> requests, time_point patience)
      : exchange_{exchange}, batch_{batch}, requests_{std::move(requests)},
        unanswered_{requests_.size()}, patience_{patience} {}

  /// One of its requests is answered.
  void answer(std::string text, streams& all, time_point now, effects& out);
  /// The client cancelled one of its requests, which gets no answer; an error where the client awaits JSON.
  void skip(const std::string& id, streams& all, time_point now, effects& out);
  /// A message goes to the client before the answers; see `streams::send` for `vital`.
  void precede(std::string text, bool vital, streams& all, time_point now, effects& out);
  void tick(time_point now, streams& all, effects& out);
  /// Keeps outside of this node once more what it answers, if it is a stream.
  void keep_role(const streams& all, effects& out) const;
  /// Ends the POST with its session, although requests are unanswered.
  void abandon(streams& all, time_point now, effects& out);
  /// The connection is gone. Unless the POST became a stream, its answers are dropped.
  void lost() { state_ = state_ == state::json ? state::lost : state_; }

  bool done() const { return unanswered_ == 0; }
  /// Whether it can be answered by a status of HTTP alone.
  bool may_be_refused() const { return state_ != state::stream && requests_.size() == 1 && !batch_; }
  /// Whether a message that is sent now has a connection to go on.
  bool reachable(const streams& all) const {
    return state_ == state::json || (state_ == state::stream && all.attached(exchange_));
  }
  bool is_lost() const { return state_ == state::lost; }
  /// When `tick` has something to do.
  time_point deadline() const { return state_ == state::json ? patience_ : time_point::max(); }

private:
  enum class state { json, stream, lost };

  void become_stream(streams& all, time_point now, effects& out);
  void finish(streams& all, time_point now, effects& out);

  exchange_id exchange_;
  bool batch_;
  std::vector<std::string> requests_;
  std::size_t unanswered_;
  time_point patience_;
  state state_ = state::json;
  std::vector<std::string> answers_;
};

} // namespace troupe::protocol
