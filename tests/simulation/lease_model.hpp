#pragma once

#include "tests/simulation/history.hpp"

#include <map>
#include <string>
#include <string_view>

namespace troupe::tests::simulation {

/// Truth about the leases, whatever the nodes know: who uses each, and which have ended. Reports broken rules to the
/// history.
class lease_model {
public:
  explicit lease_model(history& log) : log_{log} {}

  // -- from the nodes
  /// `owner` is empty for a lease of one call.
  void begins(const std::string& id, const std::string& owner, const std::string& place);
  /// The lease has ended: it takes no request any more.
  void ends(const std::string& id) { all_[id].has_ended = true; }
  /// The lease takes a request.
  void takes(const std::string& id);

  // -- from the clients
  /// A client of that owner has the answer of a lease to the call of this token.
  void answers(const std::string& id, const std::string& owner, const std::string& token);

private:
  struct entry {
    std::string owner;
    /// The call of a lease without an owner.
    std::string token;
    bool has_ended = false;
  };

  history& log_;
  std::map<std::string, entry> all_;
};

} // namespace troupe::tests::simulation
