#pragma once

#include "deploy/operator/operator_client.hpp"
#include "deploy/operator/operator_command.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace troupe::deploy {

/// Sessions of one page of the gateway's answer or several.
struct found_sessions {
  std::vector<boost::json::value> sessions;
  /// All that match.
  std::uint64_t total = 0;
  /// As the gateway would have answered at once.
  std::string json;
};

/// Asks for page after page, until there are as many as are wanted, or no more.
found_sessions find_sessions(const operator_client& client, const list_sessions& wish);

} // namespace troupe::deploy
