#include "actors/session/lister.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

lister_state::lister_state(pinned<interface>* self, broker_actor to, std::vector<protocol::live_session> asked,
                           writer write)
    : self_{self}, to_{std::move(to)}, awaited_{self, asked.size()}, write_{std::move(write)}, all_{std::move(asked)} {}

lister_actor::behavior_type lister_state::make_behavior() {
  awaited_.begin(self_);
  return {
      [this](session_described& msg) { take(std::move(msg.what)); },
      [this](tick&) {
        awaited_.are_late();
        answer();
      },
  };
}

void lister_state::take(protocol::live_session&& what) {
  auto of = std::ranges::lower_bound(all_, what.number, {}, &protocol::live_session::number);
  *of = std::move(what);
  if (awaited_.took_last())
    answer();
}

void lister_state::answer() {
  answer_with(self_, to_, write_(std::move(all_)));
  self_->quit();
}

} // namespace troupe::actors
