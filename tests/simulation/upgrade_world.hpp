#pragma once

#include "tests/simulation/all_clients.hpp"
#include "tests/simulation/world.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

namespace troupe::tests::simulation {

/// Draws the faults of a run on one host: handovers, and kills and pauses of the processes at any step of them. `one`
/// of a fault counts the processes from the oldest.
fault_plan plan_upgrades(std::uint64_t seed, span_of_time time, const std::set<fault_kind>& kinds);

/// A gateway of no cluster, with its clients: processes on one host that hand over to each other.
class upgrade_world final : public front, public process_host {
public:
  upgrade_world(const run_setup& setup, fault_plan plan);
  ~upgrade_world() override;

  run_result run();
  void print(std::ostream& out, std::size_t lines) const { log_.print(out, lines); }

  void send(request what, const std::shared_ptr<connection>& by, std::optional<std::size_t> to) override;
  // -- from processes
  std::shared_ptr<link_end> start_process(node& by) override;
  void kill_other(const link_end& end) override;
  bool has_ended(const link_end& end) const override;
  void exits(node& who) override;

private:
  std::shared_ptr<node> make_process();
  void begin(const std::shared_ptr<node>& one, std::shared_ptr<link_end> older);
  void begin_first();
  void carry_out(const fault& one);
  void kill(const std::shared_ptr<node>& one);
  /// Gives the connections that wait to a process that accepts.
  void accept_waiting();
  void watch_service();
  void expect_one();
  void expect_empty();
  bool has_socket() const;
  std::shared_ptr<node> accepting() const;

  run_setup setup_;
  fault_plan plan_;
  scheduler time_;
  history log_;
  network net_;
  model model_;
  surroundings around_;
  /// Running processes, the oldest first, and ended ones.
  std::vector<std::shared_ptr<node>> processes_;
  std::vector<std::shared_ptr<node>> gone_;
  /// Connections in the queue of the listening socket.
  std::deque<std::pair<request, std::shared_ptr<connection>>> waiting_;
  std::uint64_t last_life_ = 0;
  time_point begun_;
  /// When a process accepted clients last, or none could.
  time_point served_;
  all_clients clients_;
};

} // namespace troupe::tests::simulation
