#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/program/signals.hpp"

namespace troupe::deploy {

/// Drains the gateway and waits until it has ended; another SIGTERM or SIGINT ends the grace period.
void drain(gateway& running, signals& arrived, const log_sink& log);

} // namespace troupe::deploy
