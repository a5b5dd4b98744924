#include "tests/simulation/lease_model.hpp"

#include "protocol/ids.hpp"

namespace troupe::tests::simulation {

void lease_model::begins(const std::string& id, const std::string& owner, const std::string& place) {
  log_.note(place, "begins lease " + protocol::shown(id), owner);
  log_.count("leases");
  all_[id].owner = owner;
}

void lease_model::takes(const std::string& id) {
  if (all_[id].has_ended)
    log_.broken(rule::stays_ended, "lease " + protocol::shown(id) + " takes a request after its end");
}

void lease_model::answers(const std::string& id, const std::string& owner, const std::string& token) {
  auto found = all_.find(id);
  if (found == all_.end())
    return log_.broken(rule::own_answers_only, token + " is answered by " + id + ", which is no lease");
  auto& one = found->second;
  if (one.owner.empty() && one.token.empty())
    one.token = token;
  if (one.owner != owner || (owner.empty() && one.token != token))
    log_.broken(rule::own_answers_only, token + " is answered by the lease of " + one.owner + one.token);
}

} // namespace troupe::tests::simulation
