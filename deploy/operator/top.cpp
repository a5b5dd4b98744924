#include "deploy/operator/top.hpp"

#include "deploy/log/log_line.hpp"
#include "deploy/operator/json_fields.hpp"
#include "deploy/operator/readable.hpp"
#include "deploy/operator/tables.hpp"
#include "deploy/operator/terminal.hpp"

#include <algorithm>
#include <charconv>
#include <iostream>
#include <optional>
#include <utility>

namespace troupe::deploy {

namespace {

constexpr std::string_view operations_name = "mcp_server_operation_duration_seconds_";
constexpr std::string_view error_label = "error_type=\"";

/// True if the labels name an error. Quotes in label values are escaped, so no value can imitate a label.
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

using clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds usual_interval = std::chrono::seconds{2};
/// Lines without calls: two of totals, an empty one, the titles, the number of further calls, the empty last one.
constexpr std::size_t other_lines = 6;
constexpr std::size_t most_calls = 1000;

struct metrics_reading {
  clock::time_point at;
  operation_counts counts;
};

std::string rates_text(const operation_rates& rates, const std::string& of_when) {
  auto result = readable_rate(rates.requests) + " requests/s, " + readable_rate(rates.errors) + " errors/s";
  if (rates.mean > 0)
    result += ", mean " + readable_duration(std::chrono::milliseconds{static_cast<std::int64_t>(rates.mean * 1000)});
  return result + ' ' + of_when;
}

std::string totals_text(const boost::json::value& node, const boost::json::value& calls) {
  const auto name = text_at(node, "node");
  auto result = name.empty() ? "" : "node " + escaped(name) + ", ";
  result += "up " + readable_duration(time_at(node, "uptime_ms"));
  if (flag_at(node, "draining"))
    result += ", draining";
  result +=
      ", sessions " + whole_number_text_at(node, "sessions") + " and leases " + whole_number_text_at(node, "leases");
  return result + " of " + whole_number_text_at(node, "max_sessions") + ", calls " +
         whole_number_text_at(calls, "total");
}

/// Page of `troupe top`, with the last reading of the metrics.
class top_page {
public:
  top_page(const operator_client& client, const operator_options& options)
      : client_(client), has_metrics_(options.node.empty()) {}

  /// Formats the page. Rates are since the last call of `text` or `begin`, or since the gateway's start.
  std::string text(terminal_size size) {
    const auto node = client_.get("/api/node").value;
    const auto room = size.rows > other_lines ? size.rows - other_lines : most_calls;
    const auto calls = client_.get("/api/calls", {{"limit", std::to_string(std::min(room, most_calls))}}).value;
    const auto totals = totals_text(node, calls) + '\n' + rates(time_at(node, "uptime_ms"));
    const auto& shown = array_at(calls, "calls");
    auto result = totals + '\n' + (shown.empty() ? "no calls in flight\n" : calls_table(shown, size.columns));
    if (const auto all = whole_number_at(calls, "total"); all > shown.size())
      result += "and " + std::to_string(all - shown.size()) + " more\n";
    return result;
  }

  void begin() {
    if (has_metrics_)
      last_ = read();
  }

private:
  metrics_reading read() const { return {clock::now(), read_operations(client_.get_text("/metrics"))}; }

  /// Formats rates, only for the node that is connected to: no other node's metrics are available.
  std::string rates(std::chrono::milliseconds uptime) {
    if (!has_metrics_)
      return {};
    const auto before = std::exchange(last_, read());
    const auto result =
        before ? rates_text(rates_between(before->counts, last_->counts,
                                          std::chrono::duration<double>(last_->at - before->at).count()),
                            "now")
               : rates_text(rates_between({}, last_->counts, std::chrono::duration<double>(uptime).count()),
                            "since the start");
    return result + '\n';
  }

  const operator_client& client_;
  bool has_metrics_;
  std::optional<metrics_reading> last_;
};

/// Draws over the last page, to avoid flicker.
void draw(std::string_view page, terminal_size size) {
  std::string out = "\x1b[H";
  for (std::size_t rows = 1; rows < size.rows && !page.empty(); ++rows) {
    const auto end = std::min(page.find('\n'), page.size());
    out.append(cut_to(page.substr(0, end), size.columns)).append("\x1b[K\n");
    page.remove_prefix(std::min(end + 1, page.size()));
  }
  std::cout << out << "\x1b[J" << std::flush;
}

void show_once(top_page& page, const show_top& action) {
  if (action.interval) {
    page.begin();
    pressed_keys{}.quit_within(*action.interval);
  }
  std::cout << page.text(size_of_stdout());
}

/// Shows the page until the operator quits. A restarted gateway appears as soon as it is back.
void show_on(top_page& page, std::chrono::milliseconds interval) {
  auto shown = page.text(size_of_stdout());
  pressed_keys keys;
  do {
    draw(shown, size_of_stdout());
    if (keys.quit_within(interval))
      return;
    try {
      shown = page.text(size_of_stdout());
    } catch (const operator_failure& failure) {
      shown = std::string{failure.what()} + '\n';
    }
  } while (std::cout);
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

void run_top(const operator_client& client, const operator_options& options, const show_top& action) {
  if (options.json) {
    const auto calls = client.get("/api/calls", {{"limit", std::to_string(most_calls)}});
    std::cout << safe_json(calls.text) << '\n';
    return;
  }
  top_page page{client, options};
  if (action.once || size_of_stdout().columns == 0)
    show_once(page, action);
  else
    show_on(page, action.interval.value_or(usual_interval));
}

} // namespace troupe::deploy
