#pragma once

#include "protocol/came_by.hpp"
#include "protocol/rejection.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace troupe::protocol {

// Why a gateway refuses a request for now: whoever asks again may be served, by this node of a cluster or another.

/// `request` is the id of the refused request as a JSON token.
inline rejection gateway_stops(std::string request = {}) {
  return unavailable("the gateway is stopping", std::move(request));
}
/// The gateway lacks descriptors, memory or processes; what prevents a start may have passed soon.
inline rejection shortage(std::string why, std::string request) {
  constexpr std::chrono::seconds pause{5};
  return unavailable(std::move(why), std::move(request), pause);
}
inline rejection nodes_not_known() { return unavailable("the nodes of the cluster are still looking for each other"); }
inline rejection nodes_lost() { return unavailable("the nodes of the cluster have lost each other"); }
/// Neither the nodes that are there nor the store can tell whose session it is. Nodes know this refusal by its text.
inline rejection owner_unknown() { return unavailable("nobody can tell yet who owns the session"); }

/// The answer to a request for a session that is not restored here. A node that passed the request on takes any refusal
/// but `owner_unknown` and 404 for the word of the session's owner, and would send all later requests here.
inline rejection refused_restore(const rejection& why, came_by came) {
  return came != came_by::client && why.status == 503 ? owner_unknown() : why;
}

/// Sessions of nodes that are gone begin again one after the other.
inline rejection too_many_restores(std::chrono::seconds pause) {
  return unavailable("too many sessions are being restored", {}, pause);
}

} // namespace troupe::protocol
