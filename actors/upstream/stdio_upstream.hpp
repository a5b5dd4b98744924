#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/upstream/bare_user.hpp"
#include "actors/upstream/served_user.hpp"
#include "actors/upstream/stdio_wire.hpp"

#include <memory>
#include <string>

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
  void tell(std::optional<protocol::message>&& what);
  void report(const collector_actor& to);

  pinned<interface>* self_;
  served_user user_;
  std::unique_ptr<stdio_wire> wire_;
};

using stdio_upstream = actor_of<stdio_upstream_state>;

} // namespace troupe::actors
