#pragma once

#include "protocol/remote/http_transport.hpp"
#include "protocol/remote/remote_answer.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>

namespace troupe::protocol {

struct principal;

/// Position up to which a server's stream was read, to resume it over another connection, and time of the next attempt.
struct resume_point {
  /// Attempts without progress after which an answer is given up.
  static constexpr unsigned most_attempts = 5;

  std::string last_event = {};
  std::optional<std::chrono::milliseconds> retry = {};
  unsigned attempts = 0;
  /// Caller whose request the stream answers; null for no caller in particular.
  std::shared_ptr<const principal> asker = {};

  /// Records progress of the stream.
  void progressed(std::string_view at) {
    attempts = 0;
    if (!at.empty())
      last_event = at;
  }

  /// Returns the pause before the next attempt: the server's choice or one second, growing by half with every failed
  /// attempt, up to 30 seconds (2025-11-25, transports, "Sending Messages to the Server" 6). A floor of 100 ms protects
  /// servers that ask for no pause.
  std::chrono::milliseconds pause() const {
    constexpr std::chrono::milliseconds longest = std::chrono::seconds{30};
    constexpr std::chrono::milliseconds shortest{100};
    auto asked = std::max(retry.value_or(std::chrono::seconds{1}), shortest);
    auto grown = asked;
    for (unsigned i = 0; i < attempts && grown < longest; ++i)
      grown += grown / 2;
    return std::max(asked, std::min(grown, longest));
  }
};

/// Client side of Streamable HTTP with sessions (2025-03-26 to 2025-11-25, transports). Every message is a POST,
/// answers are JSON or resumable streams, and a GET listens for the server's own messages.
class remote_streamable : public http_transport {
public:
  /// `seed` randomizes the pauses between attempts to reconnect.
  remote_streamable(const remote_options& options, remote_caller& caller, remote_dialogue& dialogue,
                    std::uint64_t seed);

  void begin(time_point now, remote_effects& out) override;
  bool ready() const override;
  void post(message what, time_point now, remote_effects& out) override;
  void waits(http_call_id call) override;
  void begun(http_call_id call, time_point now) override;
  void head(http_call_id call, int status, const http_fields& fields, time_point now, remote_effects& out) override;
  void body(http_call_id call, std::string_view bytes, time_point now, remote_effects& out) override;
  void ended(http_call_id call, time_point now, remote_effects& out) override;
  void failed(http_call_id call, const std::string& why, time_point now, remote_effects& out) override;
  void withheld(http_call_id call, const std::string& why, time_point now, remote_effects& out) override;
  void tick(time_point now, remote_effects& out) override;
  time_point deadline() const override;
  std::string mistaken() const override { return mistaken_; }
  std::string perhaps_mistaken() const override { return perhaps_mistaken_; }
  void drop_all(remote_effects& out) override;
  void farewell(remote_effects& out) const override;

private:
  /// Purpose of an exchange. A `stream` is a GET: with an id it resumes the answer to that request, without an id it
  /// listens for the server's own messages. A `cancelled` exchange has lost its id, but the server may still send
  /// messages there. A `rest` is read to its end and dropped.
  enum class exchange_kind { request, initialized, other, stream, cancelled, rest };

  struct exchange {
    exchange_kind is = exchange_kind::other;
    std::string id = {};
    /// True while it waits for a connection.
    bool waits = false;
    bool with_session = false;
    int status = 0;
    std::string refusal = {};
    remote_answer answer = {};
    /// Whether the answer is a stream, read or not.
    bool is_stream = false;
    resume_point at = {};
    /// Start of the exchange, and start of its stream.
    time_point posted = {};
    time_point opened = {};
    std::chrono::milliseconds patience = {};
    time_point deadline = time_point::max();
  };
  struct waiting {
    resume_point at;
    time_point when;
  };
  using exchanges = std::map<http_call_id, exchange>;

  // -- sending
  void post_now(message what, time_point now, remote_effects& out);
  exchange begin_exchange(const message& what) const;
  bool cancel(const std::string& id, time_point now, remote_effects& out);
  void keep_open(exchanges::iterator at, time_point now, remote_effects& out);
  time_point heard_by(const std::string& id) const;
  http_fields fields() const;
  http_call_id connect(const std::string& id, resume_point at, time_point now, remote_effects& out);
  bool is_listened_to() const;
  void go_on_unheard(remote_effects& out);

  // -- the end of the session at the server
  bool is_expiring() const { return expires_at_ != time_point::max(); }
  void forgotten(exchanges::iterator at, time_point now, remote_effects& out);
  void expire_when_heard(time_point now, remote_effects& out);

  // -- head of an answer
  bool is_gone(const exchange& one) const;
  void request_head(exchanges::iterator at, const http_fields& fields, time_point now, remote_effects& out);
  void refused_head(exchanges::iterator at, const http_fields& fields, time_point now, remote_effects& out);
  void cancelled_head(exchanges::iterator at, const http_fields& fields, time_point now, remote_effects& out);
  void stream_head(exchanges::iterator at, const http_fields& fields, time_point now, remote_effects& out);
  void listen_refused(exchange one, time_point now, remote_effects& out);
  void resume_refused(exchange one, time_point now, remote_effects& out);
  bool take_session(const http_fields& fields);

  // -- body of an answer
  void take(std::string text, time_point now, remote_effects& out);
  void take_events(exchanges::iterator at, std::string_view bytes, time_point now, remote_effects& out);
  void too_long(exchange one, time_point now, remote_effects& out);
  void take_json(exchange one, time_point now, remote_effects& out);

  // -- end of an exchange
  void over(exchange one, const std::string& why, time_point now, remote_effects& out);
  void fell_silent(exchange one, time_point now, remote_effects& out);
  void interrupted(exchange one, const std::string& why, time_point now, remote_effects& out);
  bool is_modern_refusal(const exchange& one, const message& error) const;
  bool is_of_other_era(const exchange& one, const message& error) const;
  void refused_with(exchange one, const std::string& text, remote_effects& out);
  bool may_be_mistaken(const exchange& one) const;
  void refused(const exchange& one, remote_effects& out);
  void arrived(const exchange& one);
  void wait(const std::string& id, resume_point at, time_point now);
  void settle(exchanges::iterator at, time_point now, remote_effects& out);
  void settle_request(const std::string& id, time_point now, remote_effects& out);
  void make_room(remote_effects& out);
  exchange remove(exchanges::iterator at);
  exchange drop(exchanges::iterator at, remote_effects& out);

  const remote_options& options_;
  remote_caller& caller_;
  remote_dialogue& dialogue_;
  std::mt19937_64 dice_;
  std::string session_;
  std::string mistaken_;
  std::string perhaps_mistaken_;
  bool listening_ = false;
  bool has_listened_ = false;
  /// First GET that listens, and limit of the time that messages wait for its answer.
  http_call_id first_listen_ = 0;
  time_point first_listen_until_ = time_point::max();
  /// Time of the session's end once the server has forgotten it; until then the heads of other answers are awaited.
  time_point expires_at_ = time_point::max();
  exchanges exchanges_;
  /// Exchange that carries the answer to each request, by the request's id.
  std::map<std::string, http_call_id> carriers_;
  /// Streams waiting to reconnect, by the id of their request.
  std::map<std::string, waiting> waiting_;
  /// Cancellations held back until their requests have arrived, by the time to send them.
  std::multimap<time_point, message> cancellations_;
};

} // namespace troupe::protocol
