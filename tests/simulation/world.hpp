#pragma once

#include "tests/simulation/common_world.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace troupe::tests::simulation {

/// A cluster with its clients, its store and its network, for one run.
class world final : public common_world {
public:
  world(const run_setup& setup, fault_plan plan);
  ~world() override;

  void send(request what, const std::shared_ptr<connection>& by, std::optional<std::size_t> to) override;

private:
  void begin() override;
  void heal() override;
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

  // -- restarts in order
  void restart(std::size_t host, span_of_time grace, std::function<void()> then);
  void restart_from(std::size_t host, span_of_time grace);
  void restart_after(std::size_t host, span_of_time grace, time_point latest);
  void watch_stop(std::size_t host, const std::weak_ptr<node>& who, span_of_time grace, time_point until);

  // -- the end
  void expect_nodes() override;
  std::vector<std::string> places() const override;
  void expect_empty() override;

  redis_server store_;
  std::vector<std::shared_ptr<node>> nodes_;
  std::vector<std::shared_ptr<node>> gone_;
  /// Hosts to which the load balancer sends requests.
  std::vector<bool> ready_;
  std::vector<double> speeds_;
  std::vector<members_kept> memories_;
  std::size_t next_ = 0;
  /// Whether the store will need its earlier data.
  bool goes_back_ = false;
  bool is_healed_ = false;
};

/// Draws the plan of a run.
fault_plan plan_of(const run_setup& setup, const std::set<fault_kind>& kinds);

/// Runs a plan. With `out`, prints the last lines of its history.
run_result run_once(const run_setup& setup, const fault_plan& plan, std::ostream* out = nullptr,
                    std::size_t lines = 60);

/// Leaves out the faults of a plan without which the same rule is broken, too.
fault_plan shrink(const run_setup& setup, fault_plan plan, rule broken, std::size_t most_runs = 200);

} // namespace troupe::tests::simulation
