#pragma once

#include "actors/session/lease_keys.hpp"
#include "actors/session/registry_parts.hpp"
#include "protocol/metrics/metric.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace troupe::actors {

/// Changes of the servers: by the configuration, by operators, and by failures. Tells the sessions, or ends those that
/// cannot go on.
class server_changes {
public:
  /// The references outlive it.
  server_changes(registry_parts& parts, const lease_keys& keys);

  /// Takes a new configuration. A server that comes back into it is enabled.
  void configure(actors::configure& msg);
  /// Enables or disables a configured server for operators.
  void enable(const std::string& name, bool is_so);
  /// Starts a server again: what several sessions use of it, and what each session has of its own.
  void restart(const gateway_server& which);
  /// Replaces a server that has failed; does nothing for other actors.
  void replace(const caf::actor_addr& gone);
  void note(server_readiness&& what, const caf::strong_actor_ptr& server);
  void note(name_omitted&& what);
  void note(list_part_changed&& what);

  /// Last configuration.
  const std::vector<server_options>& configured() const { return configured_; }
  bool is_disabled(const std::string& name) const { return disabled_.contains(name); }

private:
  std::vector<server_options> enabled() const;
  void change(std::vector<server_options> wanted);
  void tell_members();
  void retire(const gateway_server& gone);
  void end_misplaced_leases();
  void end_leases_of(std::uint64_t server);

  registry_parts& parts_;
  const lease_keys& keys_;
  std::vector<server_options> configured_;
  /// Names of the servers that operators have disabled.
  std::set<std::string> disabled_;
  /// Metric of the essential servers that are not ready.
  protocol::metric_share unready_;
};

} // namespace troupe::actors
