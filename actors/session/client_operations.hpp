#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/unit.hpp"
#include "protocol/admin/operator_views.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/metrics/operation.hpp"
#include "protocol/time.hpp"
#include "protocol/trace/span.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::actors {

/// Settings for reports on ended requests.
struct operation_watch {
  /// Whether brokers receive the outcome, for the access log.
  bool is_reported = false;
  /// Transport of the clients, see `protocol::operation_peer::transport`.
  std::string_view transport = "tcp";
};

/// Requests under way of one session or lease, in its actor: their start and their server. Measures each request when
/// it ends, and shows it to operators until then. Does nothing when neither reports, metrics nor traces are enabled.
class client_operations {
public:
  /// `session` is the id of the client's session, and outlives this; empty for a lease.
  client_operations(const unit& at, const operation_watch& watch, std::string_view session = {})
      : at_{at}, watch_{watch}, session_{session} {}

  /// Adds the requests of a POST. A sampled request gets a span, whose parts are the messages that result from it.
  void begin(protocol::exchange_id exchange, protocol::post_body& body);
  void begin(protocol::exchange_id exchange, protocol::message& request);
  /// Notes the server of all requests not yet sent; an empty name stands for several servers.
  void went_to(std::string_view server);
  /// Ends the requests that a session or lease reports as finished; notes the outcome for their brokers.
  template <class Machine, class Clients>
  void take_finished(Machine& machine, Clients& clients) {
    machine.take_finished([&](const protocol::finished_call& one) {
      if (is_watched())
        clients.note(one.exchange, end(one));
    });
  }
  /// Forwards a message and marks the client's request as sent to that server.
  template <class Servers>
  void forward(protocol::message&& what, Servers& servers) {
    const auto asks = what.kind != protocol::message_kind::notification;
    servers.tell(std::move(what));
    if (asks)
      went_to(servers.last_told());
  }
  /// Ends a request. Returns the report for its broker.
  exchange_report end(const protocol::finished_call& one);
  /// Ends the requests of an exchange that were refused with that JSON-RPC code.
  void refused(protocol::exchange_id exchange, int code);
  /// Ends all requests: none will be answered.
  void end_all(protocol::call_outcome how);
  /// Removes the requests of an exchange that continues elsewhere.
  void forget(protocol::exchange_id exchange);

  // -- for operators
  /// Requests under way, without `subscriptions/listen`.
  std::vector<protocol::live_call> live() const;
  /// Returns the exchange and the id of the request with that number; empty when it has ended.
  std::optional<std::pair<protocol::exchange_id, std::string>> find(std::uint64_t number) const;

  bool is_watched() const { return watch_.is_reported || at_.metrics() || at_.traces(); }

private:
  struct request {
    request(std::uint64_t which, protocol::exchange_id from, const protocol::message& asks, const unit& at)
        : number{which}, exchange{from}, id{asks.id}, what{operation_of(asks, at.metrics())}, began{at.now()} {}

    std::uint64_t number;
    protocol::exchange_id exchange;
    std::string id;
    protocol::operation what;
    protocol::time_point began;
    std::string server = {};
    bool is_sent = false;
    /// Null unless the request is sampled.
    std::unique_ptr<protocol::span> span = {};
  };
  using requests = std::vector<request>;

  /// Whether the request ends by itself.
  static bool ends(const request& one) { return one.what.method != "subscriptions/listen"; }
  requests::iterator place_of(const protocol::finished_call& one);
  std::unique_ptr<protocol::span> begin_span(protocol::message& request, const protocol::operation& what) const;
  /// Requires a span.
  void end_span(request& one, protocol::call_outcome how, std::chrono::nanoseconds took) const;
  void measure(request& one, protocol::call_outcome how, std::chrono::nanoseconds took) const;

  const unit& at_;
  operation_watch watch_;
  std::uint64_t last_ = 0;
  std::string_view session_;
  /// In the order of their numbers; few at a time.
  requests under_way_;
};

} // namespace troupe::actors
