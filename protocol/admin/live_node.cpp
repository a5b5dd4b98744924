#include "protocol/admin/live_node.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace troupe::protocol {

std::string live_node_text(const live_node& one) {
  boost::json::array nodes;
  for (auto& other : one.nodes)
    nodes.push_back(boost::json::object{{"name", other.name}, {"draining", other.draining}});
  const auto& can = one.can;
  boost::json::object result{
      {"node", one.name},
      {"version", one.version},
      {"pid", one.pid},
      {"uptime_ms", one.uptime.count()},
      {"draining", one.draining},
      {"sessions", one.sessions},
      {"leases", one.leases},
      {"max_sessions", one.max_sessions},
      {"log_level", one.log_level},
      {"nodes", std::move(nodes)},
      {"can", {{"reload", can.reload}, {"drain", can.drain}, {"log_level", can.log_level}, {"content", can.content}}}};
  if (auto& at = one.drain)
    result.emplace("drain", boost::json::object{{"rate", at->rate},
                                                {"to_move", at->to_move},
                                                {"moved", at->moved},
                                                {"stay", at->stay},
                                                {"calls", at->calls}});
  return boost::json::serialize(result);
}

} // namespace troupe::protocol
