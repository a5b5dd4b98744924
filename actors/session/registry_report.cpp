#include "actors/session/collector.hpp"
#include "actors/session/registry.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace troupe::actors {

std::vector<protocol::limit_report> registry_state::limits() const {
  std::vector<protocol::limit_report> result{{"sessions", sessions_.size(), setup_.max_sessions}};
  if (setup_.limits)
    std::ranges::move(setup_.limits(), std::back_inserter(result));
  return result;
}

void registry_state::collect(broker_actor to) {
  auto asked = 1 + sessions_.size() + servers_.all().size() + (cluster_.cluster ? 2 : 0);
  collector_actor collector =
      self_->spawn<actors::collector>(std::ref(self_->at()), std::move(to), asked, setup_.brokers);
  counted own;
  own.part.problems = servers_.problems();
  own.part.limits = limits();
  self_->send(collector, std::move(own));
  if (cluster_.cluster) {
    self_->send(cluster_.cluster, report_request{collector});
    self_->send(cluster_.router, report_request{collector});
  }
  ask_all(collector);
}

void registry_state::ask_all(const collector_actor& to) const {
  for (auto& [id, one] : sessions_)
    self_->send(one.session, report_request{to});
  for (auto& one : servers_.all())
    self_->send(one.as_member.actor, report_request{to});
}

} // namespace troupe::actors
