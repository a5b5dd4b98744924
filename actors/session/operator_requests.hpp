#pragma once

#include "actors/session/collectors.hpp"
#include "actors/session/registry_parts.hpp"
#include "actors/session/server_changes.hpp"
#include "actors/session/session_drain.hpp"
#include "protocol/admin/admin_command.hpp"
#include "protocol/admin/operator_views.hpp"
#include "protocol/admin/server_views.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe::actors {

/// Requests of operators, answered through their broker: views of the node, its sessions and servers, and orders.
class operator_requests {
public:
  /// The references outlive it.
  operator_requests(registry_parts& parts, server_changes& changes, session_drain& drain)
      : parts_{parts}, changes_{changes}, drain_{drain}, began_{parts.now()} {}

  /// Answers a request for this node, and passes one for another node on.
  void handle(admin_request& msg);
  /// Answers with the counts of all sessions and servers.
  void collect(broker_actor to);

private:
  void answer(const protocol::show_state&, const broker_actor& to) { collect(to); }
  void answer(const protocol::show_node&, const broker_actor& to);
  void answer(const protocol::show_readiness_now& what, const broker_actor& to);
  void answer(const protocol::list_sessions& what, const broker_actor& to);
  void answer(const protocol::show_session& what, const broker_actor& to);
  void answer(const protocol::end_session_now& what, const broker_actor& to);
  void answer(const protocol::end_call_now& what, const broker_actor& to);
  void answer(const protocol::follow_session& what, const broker_actor& to);
  void answer(const protocol::list_calls& what, const broker_actor& to);
  void answer(const protocol::list_servers& what, const broker_actor& to);
  void answer(const protocol::change_server& what, const broker_actor& to);
  void answer(const protocol::drain_gateway& what, const broker_actor& to) { drain_.answer(what, to); }
  void answer(const protocol::undrain_gateway& what, const broker_actor& to) { drain_.answer(what, to); }
  template <class Order>
  void answer(const Order& what, const broker_actor& to) {
    parts_.setup.carry_out(what, to);
  }
  bool is_shown(const std::string& id, const known_session& one, const protocol::list_sessions& to) const;
  protocol::live_session beginning_of(const std::string& id, const known_session& one) const;
  /// Describes sessions, in the order of their numbers.
  void describe(const std::vector<std::uint64_t>& sessions, const broker_actor& to,
                session_collector_state::writer write);
  std::vector<protocol::limit_report> limits() const;
  /// Describes the configured servers, or the one of that name, as far as the registry knows them; with `details` also
  /// their failures and lines.
  std::vector<protocol::live_server> describe_servers(const std::string& name, bool details) const;
  /// Requests reports from all sessions and servers.
  void ask_all(const collector_actor& to) const;

  registry_parts& parts_;
  server_changes& changes_;
  session_drain& drain_;
  protocol::time_point began_;
};

} // namespace troupe::actors
