#pragma once

#include "actors/runtime/calendar.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/session_messages.hpp"
#include "protocol/access/principal.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/ids.hpp"
#include "protocol/rejection.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::actors {

/// Clients that wait for a session or a lease, in its actor: the brokers of exchanges, each until its answer or the end
/// of its stream. Carries out the effects that concern their answers.
class session_clients {
public:
  struct client {
    protocol::exchange_id exchange = 0;
    broker_actor broker = {};
    protocol::request_source came = protocol::request_source::client;
    protocol::caller caller = {};
    /// Time when the caller needs fresh credentials.
    protocol::time_point until = protocol::time_point::max();
    /// Whether the stream is for the server's own messages.
    bool listens = false;
    bool streams = false;
    /// Outcome of its request, as far as known.
    exchange_report report = {};
  };

  explicit session_clients(pinned<session_actor>* self) : self_{self} {}

  /// Numbers exchanges upwards, from the one after `last`.
  void count_from(protocol::exchange_id last) { last_ = last; }
  /// Adds and monitors the broker of a message. Returns the number of its exchange.
  template <class Message>
  protocol::exchange_id adopt(Message& msg, bool listens = false) {
    self_->monitor(msg.broker);
    auto end = msg.head.caller ? protocol::good_until(*msg.head.caller) : std::nullopt;
    auto until = end ? time_of(*end, self_->at().now()) : protocol::time_point::max();
    all_.push_back({++last_, std::move(msg.broker), msg.came, std::move(msg.head.caller), until, listens});
    return last_;
  }
  /// Removes an exchange that is being answered, and no longer monitors its broker. Returns a client without a broker
  /// when the exchange does not wait.
  client release(protocol::exchange_id exchange);

  /// Answers an exchange, which ends it.
  template <class Answer>
  void answer(protocol::exchange_id exchange, Answer what) {
    auto to = release(exchange);
    if (!to.broker)
      return;
    if constexpr (requires { what.report; })
      what.report = std::move(to.report);
    self_->send(to.broker, std::move(what));
  }
  /// Adds to the report that the broker receives with the end of its answer.
  void note(protocol::exchange_id exchange, exchange_report&& what);
  /// Carries out stream effects, a row of them for one stream as one message; gives all other effects to `apply`.
  template <class Apply>
  void carry_out(protocol::effects& all, Apply apply) {
    for (auto at = all.begin(); at != all.end();)
      if (auto part = protocol::take_stream_part(at, all.end()))
        tell(std::move(*part));
      else
        std::visit(apply, *at++);
  }
  /// Removes a broker that has ended. Returns its exchange, if it had one.
  std::optional<protocol::exchange_id> lost(const caf::actor_addr& broker);

  const std::vector<client>& all() const { return all_; }
  /// Earliest time when a client needs fresh credentials.
  protocol::time_point first_until() const;
  /// Returns exchanges whose credentials expire up to `until`, each once: streams for the server's own messages, and
  /// resumable streams of calls. All other exchanges may still get their answer.
  std::vector<protocol::exchange_id> take_expired(protocol::time_point until, bool resumes_calls);
  /// Number of exchanges that wait for an answer and carry no stream.
  std::size_t unanswered() const;

private:
  using position = std::vector<client>::iterator;

  position place_of(protocol::exchange_id exchange);
  void tell(protocol::stream_part part);

  pinned<session_actor>* self_;
  protocol::exchange_id last_ = 0;
  /// Ordered by number; few at a time.
  std::vector<client> all_;
};

} // namespace troupe::actors
