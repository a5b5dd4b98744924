#include "actors/session/collectors.hpp"

#include <algorithm>

namespace troupe::actors {

collector_state::collector_state(pinned<interface>* self, broker_actor to, std::size_t asked,
                                 std::shared_ptr<const live_count> brokers, writer write)
    : self_{self}, to_{std::move(to)}, awaited_{self, asked}, brokers_{std::move(brokers)}, write_{std::move(write)} {}

collector_actor::behavior_type collector_state::make_behavior() {
  awaited_.begin(self_);
  return {
      [this](counted& msg) {
        add(report_, std::move(msg.part));
        if (awaited_.took_last(msg.asked))
          answer();
      },
      [this](tick&) {
        awaited_.are_late();
        answer();
      },
  };
}

void collector_state::answer() {
  report_.actors = self_->system().registry().running();
  report_.brokers = brokers_->size();
  answer_with(self_, to_, write_(report_));
  self_->quit();
}

session_collector_state::session_collector_state(pinned<interface>* self, broker_actor to,
                                                 std::vector<protocol::live_session> asked, writer write)
    : self_{self}, to_{std::move(to)}, awaited_{self, asked.size()}, write_{std::move(write)}, all_{std::move(asked)} {}

session_collector_actor::behavior_type session_collector_state::make_behavior() {
  awaited_.begin(self_);
  return {
      [this](session_described& msg) { add(std::move(msg.what)); },
      [this](tick&) {
        awaited_.are_late();
        answer();
      },
  };
}

void session_collector_state::add(protocol::live_session&& what) {
  auto of = std::ranges::lower_bound(all_, what.number, {}, &protocol::live_session::number);
  *of = std::move(what);
  if (awaited_.took_last())
    answer();
}

void session_collector_state::answer() {
  answer_with(self_, to_, write_(std::move(all_)));
  self_->quit();
}

} // namespace troupe::actors
