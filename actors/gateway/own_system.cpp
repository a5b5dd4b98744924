#include "actors/gateway/own_system.hpp"

#include "actors/troupe/caf.hpp"

namespace troupe::actors {

own_system::own_system(const gateway_options& options) : configuration_{options}, system_{configuration_} {}

/// The gateway's actors have threads of their own; CAF's serve what CAF itself starts.
own_system::configuration::configuration(const gateway_options& options) {
  set("scheduler.policy", caf::atom("sharing"));
  set("scheduler.max-threads", std::size_t{1});
  if (options.cluster)
    troupe::configure(*this, *options.cluster);
  else
    troupe::configure(*this);
}

} // namespace troupe::actors
