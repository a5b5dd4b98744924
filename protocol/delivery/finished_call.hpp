#pragma once

#include "protocol/ids.hpp"
#include "protocol/message/call_outcome.hpp"

#include <string>
#include <vector>

namespace troupe::protocol {

/// A request of a client that is under way no more: the exchange that brought it, its id (a JSON token), and how it
/// ended. Changes nothing: it is for metrics and logs.
struct finished_call {
  exchange_id exchange = 0;
  std::string id;
  call_outcome how = {};
};

using finished_calls = std::vector<finished_call>;

} // namespace troupe::protocol
