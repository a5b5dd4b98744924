#include "deploy/operator/operation_rates.hpp"

#include <algorithm>
#include <charconv>

namespace troupe::deploy {

namespace {

constexpr std::string_view operations_name = "mcp_server_operation_duration_seconds_";
constexpr std::string_view error_label = "error_type=\"";

/// A label's value has its quotes escaped, so that none can look like the beginning of another label's.
bool is_of_errors(std::string_view labels) {
  const auto at = labels.find(error_label);
  return at != labels.npos && labels.substr(at + error_label.size(), 1) != "\"";
}

void count_series(operation_counts& to, std::string_view line) {
  line.remove_prefix(operations_name.size());
  const auto blank = line.rfind(' ');
  if (blank == line.npos)
    return;
  double value = 0;
  std::from_chars(line.data() + blank + 1, line.data() + line.size(), value);
  const auto is_of = [&](std::string_view name) {
    return line.starts_with(name) && line.find_first_of("{ ") == name.size();
  };
  if (is_of("sum"))
    to.seconds += value;
  if (is_of("count"))
    to.requests += value;
  if (is_of("count") && is_of_errors(line))
    to.errors += value;
}

} // namespace

operation_counts read_operations(std::string_view metrics) {
  operation_counts result;
  while (!metrics.empty()) {
    const auto line = metrics.substr(0, metrics.find('\n'));
    if (line.starts_with(operations_name))
      count_series(result, line);
    metrics.remove_prefix(std::min(line.size() + 1, metrics.size()));
  }
  return result;
}

operation_rates rates_between(const operation_counts& before, const operation_counts& after, double seconds) {
  if (after.requests < before.requests)
    return rates_between({}, after, seconds);
  const auto requests = after.requests - before.requests;
  if (!(requests > 0 && seconds > 0))
    return {};
  return {requests / seconds, std::max(after.errors - before.errors, 0.0) / seconds,
          std::max(after.seconds - before.seconds, 0.0) / requests};
}

} // namespace troupe::deploy
