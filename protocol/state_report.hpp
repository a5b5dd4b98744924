#pragma once

#include "protocol/delivery.hpp"

#include <chrono>
#include <cstddef>
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

/// One server that runs.
struct upstream_report {
  int pid = 0;
  std::chrono::milliseconds age = {};
  /// How logs call its session.
  std::string session;
};

/// What a gateway holds: counts to see it by.
struct state_report {
  std::vector<session_report> sessions;
  std::vector<upstream_report> upstreams;
  /// All actors that run, whatever they are.
  std::size_t actors = 0;
  /// Those of them that serve an HTTP exchange.
  std::size_t brokers = 0;
};

/// The report as a JSON object.
std::string json_text(const state_report& report);

} // namespace troupe::protocol
