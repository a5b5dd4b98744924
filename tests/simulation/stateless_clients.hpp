#pragma once

#include "tests/simulation/stateless_client.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace troupe::tests::simulation {

/// The stateless clients of a run. Every third one has no name, so that its calls share no lease.
class stateless_clients {
public:
  stateless_clients(scheduler& time, history& log, model& checks, front& to, std::size_t count, std::uint64_t seed);

  void begin();
  void rest();
  /// Each call has ended, unless its server is silent.
  void expect_answers() const;
  /// Lets each client with a name call at each of so many nodes.
  void probe(std::size_t hosts);
  /// All probes of a client were answered by one lease, and none is open.
  void expect_one_lease() const;
  void leave();

private:
  history& log_;
  model& model_;
  std::vector<std::shared_ptr<stateless_client>> all_;
  /// Leases that answered the probes of each client.
  std::map<std::string, std::set<std::string>> leases_;
};

} // namespace troupe::tests::simulation
