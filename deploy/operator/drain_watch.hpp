#pragma once

#include "deploy/operator/operator_client.hpp"
#include "deploy/operator/operator_command.hpp"

namespace troupe::deploy {

/// Orders the drain at a rate and shows how far it has come, a line for each change, until the gateway has ended.
/// Throws `operator_failure`, also when it is to stay after all.
void run_drain(const operator_client& client, const operator_options& options, const drain_gateway& wish);

} // namespace troupe::deploy
