#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/upstream/bare_user.hpp"
#include "actors/upstream/faced_wire.hpp"
#include "actors/upstream/served_user.hpp"

#include <vector>

namespace troupe::actors {

/// UPSTREAM on stdio: a broker between its user and the pipes of a child process, which it owns: the child is stopped
/// when it ends, and it ends when the child is lost or the user ends.
class stdio_upstream_state {
public:
  using interface = stdio_upstream_actor;
  static constexpr const char* name = "upstream";

  stdio_upstream_state(pinned<interface>* self, const wire_maker& make, const bare_user& whom);
  interface::behavior_type make_behavior();

private:
  void hear(protocol::message&& what);
  void tell(std::vector<protocol::show_user> shown);
  void report(const collector_actor& to);

  pinned<interface>* self_;
  served_user user_;
  faced_wire wire_;
  reminder reminder_;
};

using stdio_upstream = actor_of<stdio_upstream_state>;

} // namespace troupe::actors
