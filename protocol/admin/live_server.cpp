#include "protocol/admin/live_server.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace troupe::protocol {

namespace {

boost::json::object object_of(const live_process& one) {
  return {{"pid", one.pid}, {"age_ms", one.age.count()}, {"session", one.session}};
}

boost::json::object object_of(const live_server& one) {
  boost::json::object states;
  for (auto& [state, count] : one.states)
    states[state] = count;
  boost::json::array processes;
  for (auto& process : one.processes)
    processes.push_back(object_of(process));
  return {{"name", one.name},
          {"kind", one.kind},
          {"enabled", one.enabled},
          {"not_ready", one.not_ready},
          {"states", std::move(states)},
          {"restarts", one.restarts},
          {"users", one.users},
          {"why", one.why},
          {"processes", std::move(processes)}};
}

} // namespace

std::string live_server_text(const live_server& one) { return boost::json::serialize(object_of(one)); }

std::string live_servers_text(const std::vector<live_server>& all) {
  boost::json::array servers;
  for (auto& one : all)
    servers.push_back(object_of(one));
  return boost::json::serialize(boost::json::object{{"servers", std::move(servers)}});
}

} // namespace troupe::protocol
