#pragma once

#include "actors/runtime/pinned.hpp"
#include "actors/session_messages.hpp"
#include "actors/troupe/gateway.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

namespace troupe::actors {

/// Actor system of a gateway whose host has none.
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

/// ROOT: represents a gateway among the actors of its host. When a linked actor exits, or tells ROOT to exit, the
/// sessions end, and ROOT exits after them.
class root_state {
public:
  using interface = root_actor;
  static constexpr const char* name = "gateway";

  root_state(pinned<interface>* self, registry_actor registry) : self_{self}, registry_{std::move(registry)} {}
  interface::behavior_type make_behavior();

private:
  void on_exit_of(const caf::exit_msg& msg);

  pinned<interface>* self_;
  registry_actor registry_;
};

using root = actor_of<root_state>;

} // namespace troupe::actors
