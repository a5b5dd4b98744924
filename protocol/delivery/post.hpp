#pragma once

#include "protocol/delivery/effects.hpp"
#include "protocol/delivery/streams.hpp"
#include "protocol/time.hpp"

#include <string>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// A POST with requests that are not all answered. The answer is JSON, unless a message must precede it or it is late:
/// then the HTTP answer becomes a stream, which ends with the last JSON-RPC answer.
class post {
public:
  /// `patience`: time at which the POST becomes a stream even without a message; never if `time_point::max()`.
  /// `requests`: ids of its requests.
  post(exchange_id exchange, bool batch, std::vector<std::string> requests, time_point patience)
      : exchange_{exchange}, batch_{batch}, requests_{std::move(requests)},
        unanswered_{requests_.size()}, patience_{patience} {}

  /// Takes the answer to one of the requests.
  void answer(std::string text, streams& all, time_point now, effects& out);
  /// Drops a request that the client cancelled: no answer, or an error if the client awaits JSON.
  void skip(const std::string& id, streams& all, time_point now, effects& out);
  /// Sends a message before the answers; see `streams::send` for `vital`.
  void precede(std::string text, bool vital, streams& all, time_point now, effects& out);
  void tick(time_point now, streams& all, effects& out);
  /// Writes the unanswered requests of a stream to the store again.
  void keep_role(const streams& all, effects& out) const;
  /// Ends the POST with its session, even if requests are unanswered.
  void abandon(streams& all, time_point now, effects& out);
  /// The connection is gone. Unless the POST is a stream, its answers are dropped.
  void lost() { state_ = state_ == state::json ? state::lost : state_; }

  bool done() const { return unanswered_ == 0; }
  /// True if an HTTP status can refuse the POST.
  bool may_be_refused() const { return state_ != state::stream && requests_.size() == 1 && !batch_; }
  /// True if a message sent now has a connection.
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
