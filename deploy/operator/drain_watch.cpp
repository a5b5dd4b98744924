#include "deploy/operator/drain_watch.hpp"

#include "deploy/log/log_line.hpp"
#include "deploy/operator/json_fields.hpp"
#include "deploy/operator/readable.hpp"
#include "deploy/operator/terminal.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>
#include <iostream>
#include <string_view>
#include <thread>
#include <utility>

namespace troupe::deploy {

namespace json = boost::json;

namespace {

/// Number of consecutive missing answers after which the gateway counts as exited; a single miss may be a busy gateway.
constexpr std::size_t most_misses = 3;

constexpr std::string_view word_of(drain_progress::state one) {
  using enum drain_progress::state;
  return one == moving ? "moving" : one == ending ? "ending" : one == ended ? "ended" : "stays";
}

constexpr std::chrono::milliseconds glance{500};
/// Limit of consecutive failures while the gateway listens: a minute.
constexpr std::size_t most_failures = 120;

/// Prints a line for each change; on a terminal, over the line before.
class drain_lines {
public:
  explicit drain_lines(bool is_json) : is_json_{is_json}, columns_{is_json ? 0 : size_of_stdout().columns} {}

  void show(const drain_progress& progress) {
    auto line = is_json_ ? safe_json(progress.json()) : progress.text();
    if (std::exchange(last_, line) == line)
      return;
    if (columns_ > 0)
      std::cout << '\r' << cut_to(line, columns_ - 1) << "\x1b[K" << std::flush;
    else
      std::cout << line << '\n' << std::flush;
  }
  void end() const {
    if (columns_ > 0)
      std::cout << '\n' << std::flush;
  }

private:
  bool is_json_;
  std::size_t columns_;
  std::string last_;
};

} // namespace

drain_progress::state drain_progress::update(const std::optional<json::value>& node) {
  misses_ = node ? 0 : misses_ + 1;
  if (!node)
    return is_ = misses_ < most_misses ? is_ : state::ended;
  if (!first_)
    first_ = *node;
  if (whole_number_at(*node, "pid") != whole_number_at(*first_, "pid") ||
      time_at(*node, "uptime_ms") < time_at(last_, "uptime_ms"))
    return is_ = state::ended;
  last_ = *node;
  if (!flag_at(*node, "draining"))
    return is_ = state::stays;
  return is_ = has(*node, "drain") ? state::moving : state::ending;
}

std::string drain_progress::text() const {
  if (is_ == state::ended)
    return "it has ended";
  if (is_ == state::stays)
    return "it stays";
  if (is_ == state::ending)
    return "it ends: sessions " + whole_number_text_at(last_, "sessions") + ", leases " +
           whole_number_text_at(last_, "leases");
  const auto& at = value_at(last_, "drain");
  return "to move " + whole_number_text_at(at, "to_move") + ", moved " + whole_number_text_at(at, "moved") + ", stay " +
         whole_number_text_at(at, "stay") + ", calls " + whole_number_text_at(at, "calls");
}

std::string drain_progress::json() const {
  json::object result{{"state", word_of(is_)}};
  if (is_ == state::moving)
    result["drain"] = value_at(last_, "drain");
  if (is_ == state::ending)
    for (const auto* name : {"sessions", "leases"})
      result[name] = whole_number_at(last_, name);
  return json::serialize(result);
}

void run_drain(const operator_client& client, const operator_options& options, const drain_gateway& action) {
  const auto answer = client.ask("POST", "/api/drain", {{"rate", action.rate}});
  if (!action.waits && options.json)
    std::cout << safe_json(answer.text) << '\n';
  else if (!action.waits)
    std::cout << "it drains: sessions leave at " << escaped(text_at(answer.value, "rate"))
              << ", and when all have, it ends\n";
  if (!action.waits)
    return;
  drain_progress progress;
  drain_lines lines{options.json};
  std::size_t failures = 0;
  for (;; std::this_thread::sleep_for(glance)) {
    std::optional<boost::json::value> node;
    try {
      node = client.get("/api/node").value;
      failures = 0;
    } catch (const gateway_unreachable&) {
    } catch (const operator_failure&) { // also the failure when another node has exited
      if (++failures == most_failures)
        throw;
      if (options.node.empty())
        continue;
    }
    const auto is = progress.update(node);
    lines.show(progress);
    if (is == drain_progress::state::ended || !std::cout)
      return lines.end();
    if (is == drain_progress::state::stays) {
      lines.end();
      throw operator_failure("it is to stay after all: somebody has ordered troupe undrain");
    }
  }
}

} // namespace troupe::deploy
