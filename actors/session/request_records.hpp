#pragma once

#include "actors/runtime/calendar.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/session_messages.hpp"
#include "protocol/access/principal.hpp"
#include "protocol/admin/operator_views.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/ids.hpp"
#include "protocol/metrics/operation.hpp"
#include "protocol/rejection.hpp"
#include "protocol/time.hpp"
#include "protocol/trace/span.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::actors {

/// Settings for reports on ended requests.
struct operation_watch {
  /// Whether brokers receive the outcome, for the access log.
  bool is_reported = false;
  /// Transport of the clients, see `protocol::operation_peer::transport`.
  std::string_view transport = "tcp";
};

/// Requests of the clients of one session or lease, in its actor: one record for each, and one for an exchange without
/// requests. A record has the broker of its exchange until the answer or the end of the stream, and its request until
/// the machine finishes that; the connection of a resumable stream may end before. Carries out the effects that concern
/// answers. Measures each request when it ends, and shows it to operators until then; follows no request when neither
/// reports, metrics nor traces are enabled.
class request_records {
public:
  /// Client that waits for its answer: the broker of its exchange.
  struct client {
    /// Null if no client waits.
    broker_actor broker = {};
    protocol::request_source came = protocol::request_source::client;
    protocol::caller caller = {};
    /// Time when the caller needs fresh credentials.
    protocol::time_point until = protocol::time_point::max();
    /// Whether the stream is for the server's own messages.
    bool listens = false;
    bool streams = false;
    /// Outcome of its requests, as far as known.
    exchange_report report = {};
  };
  /// Request under way.
  struct request {
    request(std::uint64_t which, const protocol::message& asks, const unit& at)
        : number{which}, id{asks.id}, what{operation_of(asks, at.metrics())}, began{at.now()} {}

    /// Number for operators.
    std::uint64_t number;
    std::string id;
    protocol::operation what;
    protocol::time_point began;
    std::string server = {};
    bool is_sent = false;
    /// Null unless the request is sampled.
    std::unique_ptr<protocol::span> span = {};
  };
  struct record {
    protocol::exchange_id exchange = 0;
    /// Of the requests of a batch, only the first has the client.
    request_records::client client = {};
    std::optional<request_records::request> request = {};

    bool is_over() const { return !client.broker && !request; }
  };

  /// `session` is the id of the client's session, and outlives this; empty for a lease.
  request_records(pinned<session_actor>* self, const operation_watch& watch, std::string_view session = {})
      : self_{self}, watch_{watch}, session_{session} {}

  // -- from the client
  /// Numbers exchanges upwards, from the one after `last`.
  void count_from(protocol::exchange_id last) { last_exchange_ = last; }
  /// Adds and monitors the broker of a message. Returns the number of its exchange.
  template <class Message>
  protocol::exchange_id adopt(Message& msg, bool listens = false) {
    self_->monitor(msg.broker);
    note_held(self_, msg.broker, msg.came, true);
    auto end = msg.head.caller ? protocol::good_until(*msg.head.caller) : std::nullopt;
    auto until = end ? time_of(*end, at().now()) : protocol::time_point::max();
    all_.push_back({++last_exchange_, {std::move(msg.broker), msg.came, std::move(msg.head.caller), until, listens}});
    return last_exchange_;
  }
  /// Adds the requests of the exchange adopted last. A sampled request gets a span, whose parts are the messages that
  /// result from it.
  void begin(protocol::post_body& body);
  void begin(protocol::message& request);
  /// Removes a broker that has ended. Returns its exchange, if it had one.
  std::optional<protocol::exchange_id> lost(const caf::actor_addr& broker);

  // -- to servers
  /// Forwards a message and marks the client's request as sent to that server.
  template <class Servers>
  void forward(protocol::message&& what, Servers& servers) {
    const auto asks = what.kind != protocol::message_kind::notification;
    servers.tell(std::move(what));
    if (asks)
      note_receiver(servers.last_receiver());
  }

  // -- ends of requests
  /// Ends a request that the machine of the session or lease has finished, see `protocol::request_observer`. Its broker
  /// receives the outcome with the answer.
  void end(protocol::exchange_id exchange, std::string_view id, protocol::call_outcome how);
  /// Ends all requests: none will be answered.
  void end_all(protocol::call_outcome how);

  // -- answers
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
  /// Refuses an exchange, and ends its requests with the JSON-RPC code of the refusal.
  void reject(protocol::exchange_id exchange, protocol::rejection why);
  /// Removes an exchange that continues elsewhere, with its requests. Returns its client.
  client pass_on(protocol::exchange_id exchange);
  /// Carries out stream effects, a row of them for one stream as one message; gives all other effects to `perform`.
  template <class Perform>
  void carry_out(protocol::effects& all, Perform perform) {
    for (auto at = all.begin(); at != all.end();)
      if (auto part = protocol::take_stream_part(at, all.end()))
        tell(std::move(*part));
      else
        std::visit(perform, *at++);
  }

  // -- clients
  const std::vector<record>& all() const { return all_; }
  /// True if the client of a POST waits, and no stream has begun.
  bool awaits_answer(protocol::exchange_id exchange);
  /// Earliest time when a client needs fresh credentials.
  protocol::time_point first_until() const;
  /// Returns exchanges whose credentials expire up to `until`, each once: streams for the server's own messages, and
  /// resumable streams of calls. All other exchanges may still get their answer.
  std::vector<protocol::exchange_id> take_expired(protocol::time_point until, bool resumes_calls);
  /// Number of exchanges that wait for an answer and carry no stream.
  std::size_t unanswered() const;

  // -- for operators
  /// Requests under way, without `subscriptions/listen`.
  std::vector<protocol::live_call> live() const;
  /// Returns the exchange and the id of the request with that number; empty when it has ended.
  std::optional<std::pair<protocol::exchange_id, std::string>> find(std::uint64_t number) const;

private:
  using records = std::vector<record>;

  const unit& at() const { return self_->at(); }
  bool is_watched() const { return watch_.is_reported || at().metrics() || at().traces(); }
  /// Whether the request ends by itself.
  static bool ends(const request& one) { return one.what.method != "subscriptions/listen"; }
  records::iterator first_of(protocol::exchange_id exchange);
  void remove_if_over(records::iterator which);
  client release(protocol::exchange_id exchange);
  void tell(protocol::stream_part part);

  void note_receiver(std::string_view server);
  void report(protocol::exchange_id exchange, protocol::call_outcome how, request&& ended,
              std::chrono::nanoseconds took);
  template <class Which, class End>
  void end_each(Which which, End end);
  std::unique_ptr<protocol::span> begin_span(protocol::message& request, const protocol::operation& what) const;
  void end_span(request& one, protocol::call_outcome how, std::chrono::nanoseconds took) const;
  std::chrono::nanoseconds measure(request& one, protocol::call_outcome how) const;

  pinned<session_actor>* self_;
  operation_watch watch_;
  std::string_view session_;
  protocol::exchange_id last_exchange_ = 0;
  std::uint64_t last_request_ = 0;
  /// Ordered by exchange, and of one exchange by request; few at a time.
  records all_;
};

} // namespace troupe::actors
