#pragma once

#include "protocol/deadlines.hpp"
#include "protocol/delivery/backlog.hpp"
#include "protocol/delivery/delivery.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/delivery/listening_streams.hpp"
#include "protocol/delivery/post.hpp"
#include "protocol/delivery/streams.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::protocol {

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
