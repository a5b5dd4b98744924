#include "actors/trace/span_exporter.hpp"

#include "net/client_trust.hpp"
#include "net/crypto.hpp"
#include "protocol/text/number.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

namespace {

/// Longest time that the gateway's end waits for the collector.
constexpr std::chrono::seconds last_moment{2};
constexpr std::size_t longest_collector_answer = 64 * 1024;

net::http_client_options exporter_client_options(const span_exporter_setup& setup) {
  net::http_client_options result;
  result.trust = std::make_shared<net::client_trust>(setup.ca_file);
  result.connect = result.head = result.silence = setup.timeout;
  result.idle_connections = 1;
  return result;
}

} // namespace

span_exporter_state::span_exporter_state(pinned<interface>* self, net::io_thread& thread, span_exporter_setup setup)
    : self_{self}, setup_{std::move(setup)}, machine_{setup_.limits, net::random_64()},
      client_{thread, exporter_client_options(setup_)}, reminder_{self->at()} {}

/// Counts unsent spans as dropped. On another thread the unit is gone, too, and its metrics with it.
span_exporter_state::~span_exporter_state() {
  if (self_->at().is_current())
    count(protocol::metric::spans_dropped, machine_.waiting() + machine_.sending().size());
}

span_exporter_actor::behavior_type span_exporter_state::make_behavior() {
  return {
      [this](span_ended& msg) { handle(msg); },
      [this](spans_over&) {
        end_ = now() + last_moment;
        machine_.finish(now());
        send_due();
      },
      [this](collector_answered& msg) { handle(msg); },
      [this](tick&) {
        reminder_.arrived();
        send_due();
      },
  };
}

void span_exporter_state::handle(span_ended& msg) {
  setup_.in_transit->fetch_sub(1, std::memory_order_relaxed);
  if (!machine_.add(std::move(msg.text), now()))
    count(protocol::metric::spans_dropped, 1);
  send_due();
}

void span_exporter_state::handle(const collector_answered& msg) {
  protocol::collector_answer how{.status = msg.status, .why = msg.why_not};
  how.rejected = protocol::otlp_rejected(msg.body);
  if (auto seconds = protocol::read_number(msg.retry_after))
    how.retry_after = std::chrono::seconds{std::min<std::uint64_t>(*seconds, 24 * 60 * 60)};
  auto end = machine_.answered(how, now());
  count(protocol::metric::spans_exported, end.exported);
  count(protocol::metric::spans_dropped, end.dropped);
  if (end.note)
    write(setup_.log, *end.note);
  send_due();
}

void span_exporter_state::send_due() {
  if (auto* batch = machine_.due(now()))
    send(*batch);
  const auto is_last = end_ != protocol::time_point::max();
  if (is_last && (machine_.is_empty() || now() >= end_))
    return self_->quit(caf::exit_reason::user_shutdown);
  reminder_.set(self_->address(), std::min(machine_.deadline(), end_));
}

void span_exporter_state::send(const std::vector<std::string>& batch) {
  net::http_call call{.method = "POST",
                      .url = setup_.url,
                      .fields = setup_.headers,
                      .body = protocol::otlp_request(setup_.head, batch)};
  call.fields.emplace_back("Content-Type", "application/json");
  auto tell = [self = self_->address()](net::fetched answer) {
    send_if_alive(self, collector_answered{answer.status, std::string{answer.field("Retry-After")},
                                           std::move(answer.body), std::move(answer.why_not)});
  };
  net::fetch(client_, std::move(call), {longest_collector_answer, setup_.timeout}, std::move(tell));
}

void span_exporter_state::count(protocol::metric which, std::size_t many) const {
  if (auto* in = self_->at().metrics(); in && many != 0)
    in->number(which).add(static_cast<std::int64_t>(many));
}

void span_outlet::put(const unit& at, const protocol::span& one) const {
  if (in_transit_->fetch_add(1, std::memory_order_relaxed) < most_)
    return caf::anon_send(to_, span_ended{protocol::otlp_text(one)});
  in_transit_->fetch_sub(1, std::memory_order_relaxed);
  at.count(protocol::metric::spans_dropped);
}

} // namespace troupe::actors
