#pragma once

#include "tests/simulation/all_clients.hpp"
#include "tests/simulation/faults.hpp"
#include "tests/simulation/node.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
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
  bool has_store = true;
  /// Each node knows the address of the first one only, and clients begin with the first node.
  bool joins_one = false;
  /// Nodes remember their members across a restart.
  bool remembers = false;
  span_of_time time = 40s;
  /// Time without faults and without new calls, until all must be quiet.
  span_of_time settle = 25s;
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

/// A cluster with its clients, its store and its network, for one run.
class world final : public front {
public:
  world(const run_setup& setup, fault_plan plan);
  ~world() override;

  run_result run();
  void print(std::ostream& out, std::size_t lines) const { log_.print(out, lines); }

  void send(request what, const std::shared_ptr<connection>& by, std::optional<std::size_t> to) override;

private:
  void start(std::size_t host);
  void deliver(request what, const std::shared_ptr<connection>& by, std::size_t host, std::size_t tries);
  std::vector<std::string> seeds() const;
  void probe_node(std::size_t host);
  void begin_clients();
  void remember_store();

  // -- faults
  void plan(const fault& one);
  void carry_out(const fault& one);
  void disturb(const fault& one);
  void go_back(span_of_time how_far);
  void break_store_lines();
  void end(const fault& one);
  void kill(std::size_t host, bool silent);
  void part(const fault& one, bool is_cut);
  void heal();

  // -- restarts in order
  void restart(std::size_t host, span_of_time grace, std::function<void()> then);
  void restart_from(std::size_t host, span_of_time grace);
  void restart_after(std::size_t host, span_of_time grace, time_point latest);
  void watch_stop(std::size_t host, const std::weak_ptr<node>& who, span_of_time grace, time_point until);

  // -- the end
  void expect_members();
  std::vector<std::string> places() const;
  void expect_empty();

  run_setup setup_;
  fault_plan plan_;
  scheduler time_;
  history log_;
  network net_;
  redis_server store_;
  model model_;
  surroundings around_;
  std::vector<std::shared_ptr<node>> nodes_;
  std::vector<std::shared_ptr<node>> gone_;
  /// Hosts to which the load balancer sends requests.
  std::vector<bool> ready_;
  std::vector<double> speeds_;
  std::vector<members_kept> memories_;
  std::uint64_t last_life_ = 0;
  std::size_t next_ = 0;
  time_point begun_;
  /// Whether the store will need its earlier data.
  bool goes_back_ = false;
  bool is_healed_ = false;
  all_clients clients_;
};

/// Draws the plan of a run.
fault_plan plan_of(const run_setup& setup, const std::set<fault_kind>& kinds);

/// Runs a plan. With `out`, prints the last lines of its history.
run_result run_once(const run_setup& setup, const fault_plan& plan, std::ostream* out = nullptr,
                    std::size_t lines = 60);

/// Leaves out the faults of a plan without which the same rule is broken, too.
fault_plan shrink(const run_setup& setup, fault_plan plan, rule broken, std::size_t most_runs = 200);

} // namespace troupe::tests::simulation
