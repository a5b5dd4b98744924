#pragma once

#include "protocol/delivery/delivery.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace troupe::protocol {

/// What one session holds.
struct session_report {
  delivery_counts delivery;
  std::size_t calls = 0;
  std::size_t questions = 0;
  /// Brokers that await an answer of the session.
  std::size_t brokers = 0;
};

/// What one lease holds.
struct lease_report {
  std::size_t calls = 0;
  /// Calls that wait for their client to answer a question.
  std::size_t parked = 0;
  std::size_t listens = 0;
};

/// A process that runs, or a connection to a remote server.
struct upstream_report {
  std::string server;
  int pid = 0;
  std::chrono::milliseconds age = {};
  /// How logs call its session; empty when it has none, or several.
  std::string session;
};

/// A server that is kept running, for all or for one session.
struct server_report {
  std::string server;
  std::string session;
  /// `idle`, `starting`, `ready`, `waiting` for its restart, or `resting` because it keeps stopping.
  std::string state;
  std::uint64_t restarts = 0;
  /// Why it was lost the last time.
  std::string why;
  /// Sessions that use it.
  std::size_t users = 0;
};

/// Another node, as this one sees it.
struct node_report {
  std::string name;
  bool draining = false;
};

/// What is limited for all clients together: how much there is of it, and the limit.
struct limit_report {
  std::string name;
  std::uint64_t used = 0;
  std::uint64_t most = 0;
};

/// What a gateway holds: counts to see it by.
struct state_report {
  std::vector<session_report> sessions;
  std::vector<lease_report> leases;
  std::vector<upstream_report> upstreams;
  std::vector<server_report> servers;
  std::vector<node_report> nodes;
  std::vector<limit_report> limits;
  /// What is wrong with the configuration, as it showed while it was used; each in one line.
  std::vector<std::string> problems;
  /// Exchanges whose connection another node has; those that another node answers.
  std::size_t relayed_here = 0;
  std::size_t relayed_elsewhere = 0;
  /// The actors that were asked; in the end the number of all that run.
  std::size_t actors = 0;
  /// Those of them that serve an HTTP exchange.
  std::size_t brokers = 0;

  /// Of all sessions and leases.
  std::size_t calls() const;
};

/// Adds what another one holds.
void add(state_report& to, state_report part);

/// The report as a JSON object.
std::string json_text(const state_report& report);

} // namespace troupe::protocol
