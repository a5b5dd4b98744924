#pragma once

#include "actors/troupe/gateway.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::actors {

/// Why a gateway cannot serve these servers, which have their names, in one line that has no value of an option but
/// names of servers; nothing when it can. `merged` is whether they are merged.
std::optional<std::string> why_not_serve(const std::vector<server_options>& servers, bool merged);

} // namespace troupe::actors
