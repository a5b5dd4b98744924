#include "protocol/session/state_report.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <iterator>

namespace troupe::protocol {

namespace {

namespace json = boost::json;

/// Returns the sum of a number over all sessions.
template <class Number>
std::uint64_t total(const state_report& report, Number of) {
  std::uint64_t result = 0;
  for (auto& one : report.sessions)
    result += of(one);
  return result;
}

json::object streams_of(const state_report& report) {
  return {{"primary", total(report, [](auto& one) { return one.delivery.primary; })},
          {"shadow", total(report, [](auto& one) { return one.delivery.shadow; })},
          {"call", total(report, [](auto& one) { return one.delivery.call; })},
          {"detached", total(report, [](auto& one) { return one.delivery.detached; })}};
}

json::object leases_of(const state_report& report) {
  lease_report all;
  for (auto& one : report.leases) {
    all.calls += one.calls;
    all.parked += one.parked;
    all.listens += one.listens;
  }
  return {{"now", report.leases.size()}, {"calls", all.calls}, {"parked", all.parked}, {"listens", all.listens}};
}

json::array upstreams_of(const state_report& report) {
  json::array result;
  for (auto& one : report.upstreams)
    result.push_back(
        json::object{{"server", one.server}, {"pid", one.pid}, {"age_ms", one.age.count()}, {"session", one.session}});
  return result;
}

json::array servers_of(const state_report& report) {
  json::array result;
  for (auto& one : report.servers)
    result.push_back(json::object{{"name", one.server},
                                  {"session", one.session},
                                  {"state", one.state},
                                  {"restarts", one.restarts},
                                  {"why", one.why},
                                  {"users", one.users}});
  return result;
}

json::object limits_of(const state_report& report) {
  json::object result;
  for (auto& one : report.limits)
    result[one.name] = json::object{{"used", one.used}, {"most", one.most}};
  return result;
}

json::object cluster_of(const state_report& report) {
  json::array nodes;
  for (auto& one : report.nodes)
    nodes.push_back(json::object{{"name", one.name}, {"draining", one.draining}});
  return {{"nodes", std::move(nodes)},
          {"relayed_here", report.relayed_here},
          {"relayed_elsewhere", report.relayed_elsewhere}};
}

} // namespace

std::size_t state_report::calls() const {
  std::size_t result = 0;
  for (auto& one : sessions)
    result += one.calls;
  for (auto& one : leases)
    result += one.calls;
  return result;
}

void add(state_report& to, state_report part) {
  auto append = [](auto& all, auto& more) { std::move(more.begin(), more.end(), std::back_inserter(all)); };
  append(to.sessions, part.sessions);
  append(to.leases, part.leases);
  append(to.upstreams, part.upstreams);
  append(to.servers, part.servers);
  append(to.nodes, part.nodes);
  append(to.limits, part.limits);
  append(to.not_ready, part.not_ready);
  append(to.problems, part.problems);
  to.relayed_here += part.relayed_here;
  to.relayed_elsewhere += part.relayed_elsewhere;
  to.actors += part.actors;
}

std::string json_text(const state_report& report) {
  json::object stored{{"events", total(report, [](auto& one) { return one.delivery.stored_events; })},
                      {"bytes", total(report, [](auto& one) { return one.delivery.stored_bytes; })}};
  return json::serialize(json::object{{"sessions", report.sessions.size()},
                                      {"leases", leases_of(report)},
                                      {"streams", streams_of(report)},
                                      {"brokers", report.brokers},
                                      {"calls", total(report, [](auto& one) { return one.calls; })},
                                      {"questions", total(report, [](auto& one) { return one.questions; })},
                                      {"waiting", total(report, [](auto& one) { return one.delivery.waiting; })},
                                      {"stored", std::move(stored)},
                                      {"dropped", total(report, [](auto& one) { return one.delivery.dropped; })},
                                      {"upstreams", upstreams_of(report)},
                                      {"servers", servers_of(report)},
                                      {"limits", limits_of(report)},
                                      {"cluster", cluster_of(report)},
                                      {"problems", json::array(report.problems.begin(), report.problems.end())},
                                      {"actors", report.actors}});
}

} // namespace troupe::protocol
