#include "actors/gateway/trace_rules.hpp"

#include "protocol/text/url.hpp"

#include <algorithm>
#include <cstddef>

namespace troupe::actors {

std::optional<std::string> why_not_traces(const gateway_options& options) {
  constexpr std::size_t most_spans = 1'000'000;
  if (!options.traces)
    return std::nullopt;
  const auto& traces = *options.traces;
  std::string why_not;
  if (!protocol::parse_http_url(traces.endpoint, why_not))
    return "traces.endpoint " + why_not;
  if (!(traces.ratio >= 0 && traces.ratio <= 1))
    return "traces.ratio must be 0 to 1";
  if (traces.queue > most_spans)
    return "traces.queue must be at most " + std::to_string(most_spans);
  if (traces.batch == 0 || traces.batch > traces.queue)
    return "traces.batch must be above zero and at most traces.queue";
  if (std::min({traces.delay, traces.timeout, traces.patience}).count() <= 0)
    return "traces.delay, traces.timeout and traces.patience must be above zero";
  return std::nullopt;
}

} // namespace troupe::actors
