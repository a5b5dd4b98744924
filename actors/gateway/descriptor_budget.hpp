#pragma once

#include "actors/runtime/event_log.hpp"
#include "actors/troupe/gateway.hpp"

#include <cstddef>

namespace troupe::actors {

/// How many connections clients may have, of the descriptors that this process may have.
std::size_t connections_for(const gateway_options& options);

/// Warns when the descriptors are too few for the sessions or the connections that the options allow.
void warn_of_few_descriptors(const gateway_options& options, const event_log& log);

} // namespace troupe::actors
