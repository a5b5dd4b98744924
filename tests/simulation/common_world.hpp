#pragma once

#include "tests/simulation/all_clients.hpp"
#include "tests/simulation/faults.hpp"
#include "tests/simulation/node.hpp"
#include "tests/simulation/stateless_clients.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace troupe::tests::simulation {

/// Setup of a run. The same setup and plan give the same run.
struct run_setup {
  std::uint64_t seed = 1;
  /// With one host, a gateway without a cluster hands over to newer processes.
  std::size_t hosts = 3;
  std::size_t clients = 9;
  /// Clients of revision 2026-07-28.
  std::size_t stateless = 0;
  bool has_store = true;
  /// Each node knows the address of the first one only, and clients begin with the first node.
  bool joins_one = false;
  /// Nodes remember their members across a restart.
  bool remembers = false;
  span_of_time time = 40s;
  /// Time without faults and without new calls, until all must be quiet, in addition to that in which a store that has
  /// lost data calls no session unknown.
  span_of_time settle = 15s;
  std::chrono::milliseconds heartbeat = 2s;
  server_habits servers = {};
  client_habits habits = {};
  planted wrong = planted::nothing;
  /// Rules whose breach is counted only.
  std::set<rule> tolerated = {};
};

/// The result of a run.
struct run_result {
  bool is_good = true;
  rule broken = rule::settles;
  std::string violation;
  std::uint64_t digest = 0;
  std::uint64_t steps = 0;
  std::map<std::string, std::uint64_t> counts;
};

/// World of one run: its time, network and clients, and the course of the run. A derived class has the nodes.
class common_world : public front {
public:
  run_result run();
  void print(std::ostream& out, std::size_t lines) const { log_.print(out, lines); }

protected:
  /// Parts that differ between the worlds.
  struct parts {
    /// Null without a store.
    redis_server* store = nullptr;
    /// Silence after which a link is lost.
    std::chrono::milliseconds silence = {};
    /// Time after which a session may count as gone, see `model`.
    span_of_time patience = {};
  };

  common_world(const run_setup& setup, fault_plan plan, const parts& own);

  run_setup setup_;
  fault_plan plan_;
  scheduler time_;
  history log_;
  network net_;
  model model_;
  surroundings around_;
  std::uint64_t last_life_ = 0;
  time_point begun_;
  all_clients clients_;
  stateless_clients stateless_;

private:
  /// Starts the nodes, and plans the faults and the begin of the clients.
  virtual void begin() = 0;
  virtual void heal() {}
  virtual void expect_nodes() = 0;
  /// Places at which a session that lives answers.
  virtual std::vector<std::string> places() const = 0;
  /// Checks that no node keeps anything of exchanges that are over.
  virtual void expect_empty() = 0;
};

} // namespace troupe::tests::simulation
