#pragma once

#include "protocol/deadlines.hpp"
#include "protocol/delivery/backlog.hpp"
#include "protocol/delivery/delivery.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/delivery/streams.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Streams that a client opened with GET, for messages that answer no POST, and the queue of messages that wait for
/// such a stream.
///
/// The oldest is the **primary** and carries all messages; the others are **shadows**, open and silent. So clients that
/// reconnect without closing do not take messages from each other (2025-11-25, transports, "Multiple Connections": a
/// message goes on exactly one stream). When the primary goes, the oldest shadow replaces it.
class listening_streams {
public:
  /// `most_shadows`: limit of streams beside the primary.
  listening_streams(streams& all, std::size_t most_shadows, backlog waiting)
      : all_{all}, most_shadows_{most_shadows}, waiting_{std::move(waiting)} {}

  /// Adds an opened or resumed stream. Above the limit the oldest shadow ends: the newest may be the only one with a
  /// living client.
  void joined(exchange_id stream, time_point now, effects& out);
  /// Removes a stream whose connection is gone; no effect on other streams.
  void left(exchange_id stream, effects& out);
  /// Ends every stream.
  void end(time_point now, effects& out);
  /// Sends on the primary, or queues. False for a question that cannot wait.
  bool send(message what, effects& out);

  std::optional<exchange_id> primary() const;
  bool empty() const { return present_.empty(); }
  std::size_t shadows() const { return present_.empty() ? 0 : present_.size() - 1; }
  const backlog& waiting() const { return waiting_; }

private:
  void flush(effects& out);

  streams& all_;
  std::size_t most_shadows_;
  std::vector<exchange_id> present_;
  backlog waiting_;
};

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

/// Limits of one Streamable HTTP session; the defaults are the gateway's.
struct http_limits {
  /// Time without an answer after which a POST becomes a stream, which comments keep alive.
  std::chrono::milliseconds patience = std::chrono::seconds{15};
  /// Like `patience`, for clients of 2025-11-25 and later. They can resume the stream from its first event, so a slow
  /// answer does not depend on one connection.
  std::chrono::milliseconds resumable_patience = std::chrono::milliseconds{200};
  /// Limit of streams that a client may open with GET beside the primary.
  std::size_t shadows = 8;
  /// Limit of server messages that wait for a stream, and of their bytes.
  std::size_t waiting = 64;
  std::size_t waiting_bytes = 1024 * 1024;
  /// Counts the waiting bytes of all sessions; may be null.
  std::shared_ptr<byte_total> all_waiting_bytes = nullptr;
  stream_limits stream = {};
};

/// Delivery over Streamable HTTP (2025-03-26 to 2025-11-25): answers go with their POST, other messages on the streams
/// that the client opened with GET.
///
/// A server does not say which call its own message belongs to. The message goes with the only call in flight,
/// otherwise on the primary. Without a primary, questions and log messages go with the latest call; other messages wait
/// for a stream.
class http_delivery final : public delivery {
public:
  /// `tag`: prefix of the session's event ids.
  http_delivery(const http_limits& limits, std::string tag);

  void listens(exchange_id exchange, std::string_view last, time_point now, effects& out) override;
  void posted(exchange_id exchange, bool batch, std::vector<std::string> requests, time_point now,
              effects& out) override;
  void posted_initialize(exchange_id exchange, effects& out) override;
  loss lost(exchange_id exchange, time_point now, effects& out) override;

  void opened(exchange_id exchange, std::string text, std::string_view version, effects& out) override;
  void refused(exchange_id exchange, rejection why, time_point now, effects& out) override;
  void answer(exchange_id exchange, std::string text, time_point now, effects& out) override;
  void withdraw(exchange_id exchange, const std::string& id, time_point now, effects& out) override;
  void progress(exchange_id exchange, std::string text, time_point now, effects& out) override;
  std::optional<exchange_id> related(message what, time_point now, effects& out) override;
  void unrelated(message what, time_point now, effects& out) override;
  void follow(exchange_id exchange, message what, time_point now, effects& out) override;
  void keep() override { streams_.keep_outside(); }
  void keep_roles(effects& out) const override;
  void restore(std::string_view version, const std::vector<saved_event>& events, exchange_id last, time_point now,
               effects& out) override;
  void end(time_point now, effects& out) override;

  void tick(time_point now, effects& out) override;
  time_point deadline() const override;
  bool live() const override { return !listening_.empty(); }
  bool resumes_calls() const override { return streams_.primes(); }
  delivery_counts counts() const override;

private:
  using posts = std::map<exchange_id, post>;

  void agree_on(std::string_view version);
  void resume(exchange_id exchange, std::string_view last, time_point now, effects& out);
  void begin_listening(exchange_id exchange, time_point now, effects& out);
  posts::iterator find(exchange_id exchange);
  posts::iterator sole_post();
  posts::iterator latest_post();
  void settle(posts::iterator one);
  static time_point deadline_of(const posts::value_type& one) { return one.second.deadline(); }

  std::chrono::milliseconds patience_;
  std::chrono::milliseconds resumable_patience_;
  streams streams_;
  listening_streams listening_;
  posts posts_;
  /// The earliest deadline of the posts, cached.
  mutable first_deadline first_;
  exchange_id initialize_ = 0;
};

} // namespace troupe::protocol
