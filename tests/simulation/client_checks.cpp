#include "tests/simulation/client_checks.hpp"

#include "protocol/ids.hpp"

namespace troupe::tests::simulation {

void expect_answers(const std::vector<std::shared_ptr<client>>& clients, history& log) {
  for (auto& one : clients) {
    for (auto& token : one->overdue_calls())
      log.broken(rule::settles, "the call " + token + " of " + one->name() + " never ends");
    for (auto& which : one->unended())
      log.broken(rule::settles, "the " + which + " of " + one->name() + " never ends");
  }
}

void session_probes::send(client& by, std::size_t host, const std::string& place) {
  if (!by.has_session())
    return;
  ++*open_;
  by.probe(host, [this, open = open_, who = by.name(), session = by.session(), place](int status) {
    --*open;
    log_.note(who, "probes " + place, std::to_string(status));
    if (status != 200 && model_.lives(session))
      log_.broken(rule::settles,
                  place + " answers " + std::to_string(status) + " for " + shown(session) + " of " + who);
  });
}

} // namespace troupe::tests::simulation
