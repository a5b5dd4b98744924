#include "actors/gateway/telemetry.hpp"

#include "actors/trace/span_exporter.hpp"
#include "net/process_resources.hpp"
#include "protocol/metrics/metrics_page.hpp"
#include "protocol/trace/otlp_export.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string_view>
#include <utility>

namespace troupe::actors {

namespace {

using protocol::metric;

struct limit_metric {
  std::string_view name;
  metric used, most;
};

/// Metrics of the limits, by their names in `/debug/state`.
constexpr limit_metric limit_metrics[] = {
    {"eventBytes", metric::event_bytes, metric::event_bytes_limit},
    {"waitingBytes", metric::waiting_bytes, metric::waiting_bytes_limit},
    {"connections", metric::connections, metric::connections_limit},
    {"unsentBytes", metric::unsent_bytes, metric::unsent_bytes_limit},
};

double number(auto of) { return static_cast<double>(of); }

void add_limits(const std::vector<protocol::limit_report>& limits, protocol::metrics_page& to) {
  for (auto& one : limits)
    if (auto known = std::ranges::find(limit_metrics, one.name, &limit_metric::name);
        known != std::end(limit_metrics)) {
      to.add(known->used, number(one.used));
      to.add(known->most, number(one.most));
    }
}

struct refusal_label {
  net::refusal why;
  std::string_view label;
};

constexpr refusal_label refusal_labels[] = {
    {net::refusal::connections, "too_many_connections"},
    {net::refusal::connections_of_address, "too_many_connections_of_address"},
    {net::refusal::handshake, "tls_handshake"},
    {net::refusal::unreadable, "unreadable"},
    {net::refusal::too_large, "too_large"},
    {net::refusal::too_slow, "too_slow"},
};

void add_refusals(const net::refusal_counts& refusals, protocol::metrics_page& to) {
  for (auto& [why, label] : refusal_labels)
    to.add(metric::connections_refused, {label}, number(refusals.of(why)));
}

double seconds_of(auto duration) { return std::chrono::duration<double>{duration}.count(); }

void add_unit(io_unit& from, protocol::metrics_page& to) {
  if (from.metrics())
    to.add(*from.metrics());
  to.add(metric::thread_cpu, {std::to_string(from.number())}, seconds_of(from.thread().cpu_time()));
}

void add_process(protocol::metrics_page& to) {
  const auto usage = net::current_usage();
  to.add(metric::process_cpu, seconds_of(usage.cpu));
  to.add(metric::process_start, seconds_of(usage.start.time_since_epoch()));
  to.add(metric::process_resident, number(usage.resident_bytes));
  to.add(metric::process_virtual, number(usage.virtual_bytes));
  to.add(metric::process_descriptors, number(usage.descriptors));
  to.add(metric::process_descriptors_limit, number(net::descriptor_limit()));
}

std::vector<std::pair<std::string, std::string>> resource_of_spans(const trace_options& options) {
  auto result = options.resource;
  auto has = [&](const char* name) {
    return std::ranges::any_of(result, [&](auto& one) { return one.first == name; });
  };
  if (!has("service.name"))
    result.emplace_back("service.name", "troupe");
  if (!has("service.version"))
    result.emplace_back("service.version", TROUPE_VERSION);
  return result;
}

span_exporter_setup exporter_setup_of(const trace_options& options, const event_log& log) {
  return {.url = options.endpoint,
          .headers = options.headers,
          .ca_file = options.ca_file,
          .timeout = options.timeout,
          .limits = {options.queue, options.batch, options.delay, options.patience},
          .head = protocol::otlp_head(resource_of_spans(options), TROUPE_VERSION),
          .in_transit = std::make_shared<spans_in_transit>(),
          .log = log};
}

} // namespace

bool is_measured(const gateway_options& options) { return options.admin.has_value() || options.metrics; }

std::string metrics_text(const measured_parts& of) {
  protocol::metrics_page page;
  page.add(metric::build, {TROUPE_VERSION}, 1);
  for (auto* one : of.units)
    add_unit(*one, page);
  page.add(metric::actors, number(of.system.registry().running()));
  page.add(metric::brokers, number(of.brokers.size()));
  add_limits(of.limits(), page);
  add_refusals(of.refusals, page);
  page.add(metric::sessions_limit, number(of.max_sessions));
  page.add(metric::processes, number(of.processes.living.taken()));
  page.add(metric::processes_limit, number(of.processes.most));
  page.add(metric::stopping_processes, number(of.processes.stopping.taken()));
  for (auto& [name, queue] : of.queues)
    if (queue)
      page.add(metric::queue_length, {name}, number(queue->waiting()));
  if (of.lost_log_lines)
    page.add(metric::log_lines_lost, number(of.lost_log_lines()));
  if (of.of_process)
    add_process(page);
  return page.text();
}

gateway_traces::gateway_traces(const gateway_options& options, const std::vector<io_unit*>& units) {
  if (!options.traces)
    return;
  auto& home = *units.front();
  auto setup = exporter_setup_of(*options.traces, event_log{options.log});
  auto in_transit = setup.in_transit;
  unit& at = home;
  exporter_ = home.system().spawn<span_exporter>(std::ref(at), std::ref(home.thread()), std::move(setup));
  span_outlet outlet{exporter_, std::move(in_transit), options.traces->queue};
  auto how = std::make_shared<const tracing>(
      tracing{protocol::sampler{options.traces->ratio, options.traces->follow_parent},
              [outlet = std::move(outlet)](const unit& from, protocol::span&& one) { outlet.put(from, one); }});
  for (auto* one : units)
    one->trace(how);
}

gateway_traces::~gateway_traces() {
  if (exporter_)
    caf::anon_send(exporter_, spans_over{});
}

} // namespace troupe::actors
