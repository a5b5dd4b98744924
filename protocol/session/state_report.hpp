#pragma once

#include "protocol/delivery/delivery.hpp"
#include "protocol/readiness.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace troupe::protocol {

/// Counts of one session.
struct session_report {
  delivery_counts delivery;
  std::size_t calls = 0;
  std::size_t questions = 0;
  /// Brokers that wait for the session.
  std::size_t brokers = 0;
};

/// Counts of one lease.
struct lease_report {
  std::size_t calls = 0;
  /// Calls that wait for the client's answer to a question.
  std::size_t parked = 0;
  std::size_t listens = 0;
};

/// A process that runs, or a connection to a remote server.
struct upstream_report {
  std::string server;
  int pid = 0;
  std::chrono::milliseconds age = {};
  /// Session's name in logs; empty without a session, or with several.
  std::string session;
  /// Sessions that use it.
  std::size_t users = 0;
};

/// A server that the gateway keeps running, for all sessions or for one.
struct server_report {
  std::string server;
  std::string session;
  /// `idle`, `starting`, `ready`, `waiting` for its restart, or `resting` because it keeps stopping.
  std::string state;
  std::uint64_t restarts = 0;
  /// Reason of the last loss.
  std::string why;
  /// Number of sessions that use the server.
  std::size_t users = 0;
};

/// A node of the cluster, from this node's point of view.
struct node_report {
  std::string name;
  bool draining = false;
};

/// Limit on all clients together, and its current use.
struct limit_report {
  std::string name;
  std::uint64_t used = 0;
  std::uint64_t most = 0;
};

/// Snapshot of a gateway, for `/debug/state`.
struct state_report {
  std::vector<session_report> sessions;
  std::vector<lease_report> leases;
  std::vector<upstream_report> upstreams;
  std::vector<server_report> servers;
  std::vector<node_report> nodes;
  std::vector<limit_report> limits;
  /// Reasons why the gateway is not ready for new sessions.
  std::vector<unready> not_ready;
  /// Problems with the configuration found at run time, one line each.
  std::vector<std::string> problems;
  /// Exchanges relayed for other nodes, which have their connections; and exchanges relayed to other nodes.
  std::size_t relayed_here = 0;
  std::size_t relayed_elsewhere = 0;
  /// Queried actors; in the final report all running actors.
  std::size_t actors = 0;
  /// Actors that serve an HTTP exchange.
  std::size_t brokers = 0;

  /// Calls of all sessions and leases.
  std::size_t calls() const;
};

/// Adds another report to this one.
void add(state_report& to, state_report part);

/// Returns the report as a JSON object.
std::string json_text(const state_report& report);

} // namespace troupe::protocol
