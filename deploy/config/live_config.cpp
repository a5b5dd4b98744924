#include "deploy/config/live_config.hpp"

#include "deploy/config/config_gateway.hpp"

#include <algorithm>
#include <utility>

namespace troupe::deploy {

namespace {

using servers = std::vector<server_options>;

const server_options* named(const servers& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &server_options::name);
  return found == all.end() ? nullptr : &*found;
}

servers missing_from(const servers& some, const servers& all) {
  servers result;
  std::ranges::copy_if(all, std::back_inserter(result), [&](auto& one) { return !named(some, one.name); });
  return result;
}

servers changed(const servers& before, const servers& after) {
  servers result;
  std::ranges::copy_if(after, std::back_inserter(result), [&](auto& one) {
    const auto* const old = named(before, one.name);
    return old && *old != one;
  });
  return result;
}

log_record change(const servers& before, const servers& after) {
  log_record result{log_level::info, "configuration changed", {}};
  auto add = [&](const char* what, const servers& which) {
    if (!which.empty())
      result.fields.emplace_back(what, names_of(which));
  };
  add("added", missing_from(before, after));
  add("removed", missing_from(after, before));
  add("changed", changed(before, after));
  return result;
}

} // namespace

config_change live_config::read_again(const log_sink& log) {
  auto next = load_config(path_, flags_);
  log_problems(log, next.problems);
  if (has_error(next.problems)) {
    log({log_level::error, "configuration not changed", {{"file", path_}}});
    const auto first = std::ranges::find(next.problems, severity::error, &config_problem::severity);
    return {.why_not = problem_line(path_, *first)};
  }
  for (auto& key : gateway_changes(current_, next))
    log({log_level::warning, "needs a restart", {{"key", std::move(key)}}});
  const auto before = std::exchange(current_, std::move(next));
  if (before.gateway.servers == current_.gateway.servers) {
    log({log_level::info, "servers are as they were", {{"file", path_}}});
    return {};
  }
  log(change(before.gateway.servers, current_.gateway.servers));
  return {.servers = current_.gateway.servers};
}

void log_problems(const log_sink& log, const std::vector<config_problem>& problems) {
  for (const auto& problem : problems)
    log({problem.severity == severity::error ? log_level::error : log_level::warning,
         problem.text,
         {{"key", problem.key}, {"line", std::to_string(problem.line)}}});
}

std::string names_of(const servers& all) {
  std::string result;
  for (const auto& one : all)
    result += (result.empty() ? "" : ",") + one.name;
  return result;
}

} // namespace troupe::deploy
