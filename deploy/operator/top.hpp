#pragma once

#include "deploy/operator/operator_client.hpp"
#include "deploy/operator/operator_command.hpp"

namespace troupe::deploy {

/// Shows what a gateway does: on a terminal again and again, until the operator wants no more, else once. Throws
/// `operator_failure` when there is nothing to show.
void run_top(const operator_client& client, const operator_options& options, const show_top& wish);

} // namespace troupe::deploy
