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

/// What is done with the requests of clients that have ended.
struct operation_watch {
  /// Brokers are told how they ended, for the access log.
  bool is_reported = false;
  /// How clients reach the gateway, see `protocol::operation_peer::transport`.
  std::string_view transport = "tcp";
};

/// The requests under way of a session's or a lease's client, in its actor: when they began, and which server they went
/// to. Measures each as it ends, and tells operators of it until then. Does nothing when nobody wants to know.
class client_operations {
public:
  /// `session` is the id of the client's session, and outlives this; a lease has none.
  client_operations(const unit& at, const operation_watch& watch, std::string_view session = {})
      : at_{at}, watch_{watch}, session_{session} {}

  /// A POST has come. What comes of a request that is sampled is a part of its span from now on.
  void begin(protocol::exchange_id exchange, protocol::post_body& body);
  void begin(protocol::exchange_id exchange, protocol::message& request);
  /// Those that had gone to no server yet went to that one, or, when it has no name, to several.
  void went_to(std::string_view server);
  /// Those that a session or a lease tells to have ended, have; their brokers are told with their answers.
  template <class Machine, class Clients>
  void take_finished(Machine& machine, Clients& clients) {
    machine.take_finished([&](const protocol::finished_call& one) {
      if (is_watched())
        clients.note(one.exchange, end(one));
    });
  }
  /// What goes to the servers does, and with it the request that it comes of.
  template <class Servers>
  void forward(protocol::message&& what, Servers& servers) {
    const auto asks = what.kind != protocol::message_kind::notification;
    servers.tell(std::move(what));
    if (asks)
      went_to(servers.last_told());
  }
  /// One has ended. Gives what its broker is told.
  exchange_report end(const protocol::finished_call& one);
  /// Those of an exchange were refused, with that JSON-RPC code.
  void refused(protocol::exchange_id exchange, int code);
  /// None is to be answered any more.
  void end_all(protocol::call_outcome how);
  /// Those of an exchange go on elsewhere.
  void forget(protocol::exchange_id exchange);

  // -- for operators
  /// What is under way, and ends some time: no listens.
  std::vector<protocol::live_call> live() const;
  /// The exchange and the id of the one of that number; nothing when it is over.
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
    /// Null unless it is sampled.
    std::unique_ptr<protocol::span> span = {};
  };
  using requests = std::vector<request>;

  /// By itself some time.
  static bool ends(const request& one) { return one.what.method != "subscriptions/listen"; }
  requests::iterator place_of(const protocol::finished_call& one);
  std::unique_ptr<protocol::span> begin_span(protocol::message& request, const protocol::operation& what) const;
  /// Of one that is sampled.
  void end_span(request& one, protocol::call_outcome how, std::chrono::nanoseconds took) const;
  void measure(request& one, protocol::call_outcome how, std::chrono::nanoseconds took) const;

  const unit& at_;
  operation_watch watch_;
  std::uint64_t last_ = 0;
  std::string_view session_;
  /// Few at a time.
  requests under_way_;
};

} // namespace troupe::actors
