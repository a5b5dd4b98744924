#pragma once

#include "tests/simulation/client_checks.hpp"
#include "tests/simulation/hostile_client.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace troupe::tests::simulation {

/// All clients of a run, and the checks of their answers at its end.
class all_clients {
public:
  all_clients(scheduler& time, history& log, model& checks, front& to)
      : time_{time}, log_{log}, model_{checks}, front_{to}, probes_{log, checks} {}

  void begin(std::size_t number, const client_habits& habits);
  /// Begins one more client, which keeps to no rule.
  void begin_hostile();
  void rest();
  void leave();

  // -- checks
  void expect_answers() const { simulation::expect_answers(clients_, log_); }
  /// Calls the session of each client at each of these places: a session that lives answers.
  void probe(const std::vector<std::string>& places);
  /// Checks that each probe has an answer.
  void expect_probed() const;

private:
  scheduler& time_;
  history& log_;
  model& model_;
  front& front_;
  std::vector<std::shared_ptr<client>> clients_;
  /// Null without a hostile client.
  std::shared_ptr<hostile_client> hostile_;
  session_probes probes_;
};

} // namespace troupe::tests::simulation
