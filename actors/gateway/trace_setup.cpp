#include "actors/gateway/trace_setup.hpp"

#include "actors/trace/span_exporter.hpp"
#include "protocol/trace/otlp_export.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace troupe::actors {

namespace {

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
