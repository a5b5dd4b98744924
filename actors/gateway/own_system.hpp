#pragma once

#include "actors/troupe/gateway.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

namespace troupe::actors {

/// The actor system of a gateway whose host has none.
class own_system {
public:
  explicit own_system(const gateway_options& options);
  caf::actor_system& system() { return system_; }

private:
  struct configuration : caf::actor_system_config {
    explicit configuration(const gateway_options& options);
  };

  configuration configuration_;
  caf::actor_system system_;
};

} // namespace troupe::actors
