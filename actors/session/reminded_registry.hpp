#pragma once

#include "actors/messages.hpp"

namespace troupe::actors {

/// REGISTRY, as it sees itself: it asks to be reminded.
using reminded_registry_actor = registry_actor::extend<caf::reacts_to<tick>>;

} // namespace troupe::actors
