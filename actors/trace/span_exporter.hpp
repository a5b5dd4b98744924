#pragma once

#include "actors/operator_messages.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/runtime/pinned.hpp"
#include "net/client/http_client.hpp"
#include "net/client/http_fetch.hpp"
#include "protocol/trace/otlp_export.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace troupe::actors {

/// Number of spans on their way to the exporter.
using spans_in_transit = std::atomic<std::size_t>;

/// Parameters of the exporter.
struct span_exporter_setup {
  std::string url;
  net::http_fields headers;
  std::string ca_file;
  std::chrono::milliseconds timeout = {};
  protocol::batch_limits limits;
  /// Beginning of every request, see `protocol::otlp_head`.
  std::string head;
  std::shared_ptr<spans_in_transit> in_transit;
  event_log log;
};

/// EXPORTER: sends the spans of all units to a collector, in batches. Drops and counts spans that it cannot send in
/// time. Ends after `spans_over`: once all spans are sent, or two seconds later.
class span_exporter_state {
public:
  using interface = span_exporter_actor;
  static constexpr const char* name = "span_exporter";

  /// `thread` is that of the actor's unit.
  span_exporter_state(pinned<interface>* self, net::io_thread& thread, span_exporter_setup setup);
  ~span_exporter_state();
  span_exporter_state(const span_exporter_state&) = delete;
  span_exporter_state& operator=(const span_exporter_state&) = delete;
  interface::behavior_type make_behavior();

private:
  void handle(span_ended& msg);
  void handle(const collector_answered& msg);
  void send_due();
  void send(const std::vector<std::string>& batch);
  void count(protocol::metric which, std::size_t many) const;
  protocol::time_point now() const { return self_->at().now(); }

  pinned<interface>* self_;
  span_exporter_setup setup_;
  protocol::span_batch machine_;
  net::http_client client_;
  reminder reminder_;
  /// Time at which the exporter ends, even with spans left.
  protocol::time_point end_ = protocol::time_point::max();
};

using span_exporter = actor_of<span_exporter_state>;

/// Passes spans to an exporter without waiting: when the exporter does not keep up, spans are dropped.
class span_outlet {
public:
  span_outlet(span_exporter_actor to, std::shared_ptr<spans_in_transit> in_transit, std::size_t most)
      : to_{std::move(to)}, in_transit_{std::move(in_transit)}, most_{most} {}

  void put(const unit& at, const protocol::span& one) const;

private:
  span_exporter_actor to_;
  std::shared_ptr<spans_in_transit> in_transit_;
  std::size_t most_;
};

} // namespace troupe::actors
