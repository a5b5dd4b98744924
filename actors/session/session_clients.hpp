#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/calendar.hpp"
#include "actors/runtime/pinned.hpp"
#include "protocol/access/principal.hpp"
#include "protocol/delivery/stream_output.hpp"
#include "protocol/ids.hpp"
#include "protocol/rejection.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::actors {

/// Who waits for a session or a lease, in its actor: the brokers of its exchanges, each until it is answered, or as
/// long as it carries a stream. Carries out what is decided about their answers.
class session_clients {
public:
  struct client {
    protocol::exchange_id exchange = 0;
    broker_actor broker = {};
    protocol::came_by came = protocol::came_by::client;
    protocol::caller caller = {};
    /// When the caller has to come with fresh credentials.
    protocol::time_point until = protocol::time_point::max();
    /// It is to carry the server's own messages.
    bool listens = false;
    bool streams = false;
    /// How its request has ended, as far as it is known.
    exchange_report report = {};
  };

  explicit session_clients(pinned<session_actor>* self) : self_{self} {}

  /// Exchanges are numbered upwards, from after that.
  void count_from(protocol::exchange_id last) { last_ = last; }
  /// Takes the broker of a message, which is watched from now on. Gives the number of its exchange.
  template <class Message>
  protocol::exchange_id adopt(Message& msg, bool listens = false) {
    self_->monitor(msg.broker);
    auto end = msg.caller ? protocol::good_until(*msg.caller) : std::nullopt;
    auto until = end ? time_of(*end, self_->at().now()) : protocol::time_point::max();
    all_.push_back({++last_, std::move(msg.broker), msg.came, std::move(msg.caller), until, listens});
    return last_;
  }
  /// An answer is on its way: whatever becomes of the broker is of no concern any more. One without a broker when it
  /// waits no more.
  client release(protocol::exchange_id exchange);

  /// The answer to an exchange, which ends with it.
  template <class Answer>
  void answer(protocol::exchange_id exchange, Answer what) {
    auto to = release(exchange);
    if (!to.broker)
      return;
    if constexpr (requires { what.report; })
      what.report = std::move(to.report);
    self_->send(to.broker, std::move(what));
  }
  /// What the broker of an exchange is told with the end of its answer.
  void note(protocol::exchange_id exchange, exchange_report&& what);
  /// Carries out what is about streams, what one of them is told in a row together; gives each other effect to `apply`.
  template <class Apply>
  void carry_out(protocol::effects& all, Apply apply) {
    for (auto at = all.begin(); at != all.end();)
      if (auto part = protocol::take_stream_part(at, all.end()))
        tell(std::move(*part));
      else
        std::visit(apply, *at++);
  }
  /// The exchange of a broker that has ended.
  std::optional<protocol::exchange_id> lost(const caf::actor_addr& broker);

  const std::vector<client>& all() const { return all_; }
  /// When one of them has to come with fresh credentials.
  protocol::time_point first_until() const;
  /// Those who have to until then, once: who listens, and whose call's stream can be resumed. The others may have their
  /// answer.
  std::vector<protocol::exchange_id> take_expired(protocol::time_point until, bool resumes_calls);
  /// How many are to be answered at once: those that carry no stream.
  std::size_t unanswered() const;

private:
  using position = std::vector<client>::iterator;

  position place_of(protocol::exchange_id exchange);
  void tell(protocol::stream_part part);

  pinned<session_actor>* self_;
  protocol::exchange_id last_ = 0;
  /// By number. Few at a time.
  std::vector<client> all_;
};

} // namespace troupe::actors
