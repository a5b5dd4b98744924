#pragma once

#include "tests/simulation/client.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace troupe::tests::simulation {

/// Checks that each call of these clients has ended, unless its server is silent, and each exchange of a session that
/// has ended.
void expect_answers(const std::vector<std::shared_ptr<client>>& clients, history& log);

/// Probes of the sessions that clients have: a session that lives answers.
class session_probes {
public:
  session_probes(history& log, const model& checks) : log_{log}, model_{checks} {}

  /// Calls at one node.
  void send(client& by, std::size_t host, const std::string& place);
  /// Number of probes without an answer.
  std::size_t open() const { return *open_; }

private:
  history& log_;
  const model& model_;
  std::shared_ptr<std::size_t> open_ = std::make_shared<std::size_t>(0);
};

} // namespace troupe::tests::simulation
