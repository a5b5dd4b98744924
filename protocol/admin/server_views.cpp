#include "protocol/admin/server_views.hpp"

#include "protocol/time.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace troupe::protocol {

namespace {

namespace json = boost::json;

std::string time_text(std::chrono::system_clock::time_point at) {
  return utc_text(std::chrono::floor<std::chrono::seconds>(at));
}

json::object object_of(const live_process& one) {
  json::object result{{"pid", one.pid}, {"age_ms", one.age.count()}, {"session", one.session}, {"users", one.users}};
  if (auto& uses = one.uses) {
    result["rss_bytes"] = uses->resident_bytes;
    result["cpu_ms"] = uses->cpu.count();
    result["processes"] = uses->processes;
  }
  return result;
}

json::array processes_of(const live_server& one) {
  json::array result;
  for (auto& process : one.processes)
    result.push_back(object_of(process));
  return result;
}

json::array failures_of(const live_server& one) {
  json::array result;
  for (auto& failure : one.diagnostics.failures())
    result.push_back(json::object{{"at", time_text(failure.at)},
                                  {"why", failure.why},
                                  {"after_ms", failure.after.count()},
                                  {"pid", failure.pid},
                                  {"session", failure.session},
                                  {"lines", json::array(failure.lines.begin(), failure.lines.end())}});
  return result;
}

json::array stderr_of(const live_server& one) {
  json::array result;
  for (auto& line : one.diagnostics.lines())
    result.push_back(json::object{{"at", time_text(line.at)}, {"pid", line.pid}, {"line", line.text}});
  return result;
}

json::object object_of(const live_server& one) {
  json::object states;
  for (auto& [state, count] : one.states)
    states[state] = count;
  return {{"name", one.name},
          {"kind", one.kind},
          {"enabled", one.enabled},
          {"not_ready", one.not_ready},
          {"states", std::move(states)},
          {"restarts", one.restarts},
          {"users", one.users},
          {"why", one.why},
          {"failures", one.failures}};
}

/// Describes servers, each with one more member.
json::array servers_with(std::string_view member, json::array (*value_of)(const live_server&),
                         const std::vector<live_server>& all) {
  json::array result;
  for (auto& one : all) {
    auto shown = object_of(one);
    shown[member] = value_of(one);
    result.push_back(std::move(shown));
  }
  return result;
}

} // namespace

std::string live_server_text(const live_server& one) {
  auto result = object_of(one);
  result["processes"] = processes_of(one);
  result["last_failures"] = failures_of(one);
  result["stderr"] = stderr_of(one);
  return json::serialize(result);
}

std::string live_servers_text(const std::vector<live_server>& all) {
  return json::serialize(json::object{{"servers", servers_with("processes", processes_of, all)}});
}

std::string failing_servers_text(const std::vector<live_server>& all) {
  return json::serialize(servers_with("last_failures", failures_of, all));
}

} // namespace troupe::protocol
