#pragma once

#include "tests/simulation/common_world.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace troupe::tests::simulation {

/// Draws the faults of a run on one host: handovers, and kills and pauses of the processes at any step of them. `one`
/// of a fault counts the processes from the oldest.
fault_plan plan_upgrades(std::uint64_t seed, span_of_time time, const std::set<fault_kind>& kinds);

/// A gateway of no cluster, with its clients: processes on one host that hand over to each other.
class upgrade_world final : public common_world, public process_host {
public:
  upgrade_world(const run_setup& setup, fault_plan plan);
  ~upgrade_world() override;

  void send(request what, const std::shared_ptr<connection>& by, std::optional<std::size_t> to) override;
  // -- from processes
  std::shared_ptr<link_end> start_process(node& by) override;
  void kill_other(const link_end& end) override;
  bool has_ended(const link_end& end) const override;
  void exits(node& who) override;

private:
  void begin() override;
  void expect_nodes() override;
  std::vector<std::string> places() const override { return {"the gateway"}; }
  void expect_empty() override;
  std::shared_ptr<node> make_process();
  void begin_upgrade(const std::shared_ptr<node>& one, std::shared_ptr<link_end> older);
  void begin_first();
  void carry_out(const fault& one);
  void kill(const std::shared_ptr<node>& one);
  /// Gives the connections that wait to a process that accepts.
  void accept_waiting();
  void watch_service();
  bool has_socket() const;
  std::shared_ptr<node> accepting() const;

  /// Running processes, the oldest first, and ended ones.
  std::vector<std::shared_ptr<node>> processes_;
  std::vector<std::shared_ptr<node>> gone_;
  /// Connections in the queue of the listening socket.
  std::deque<std::pair<request, std::shared_ptr<connection>>> waiting_;
  /// When a process accepted clients last, or none could.
  time_point served_;
  /// Whether all processes that could serve only wait for another one, which hangs.
  bool is_waiting_only_ = false;
};

} // namespace troupe::tests::simulation
