#include "actors/session/lister.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

namespace {

constexpr auto longest_listing = std::chrono::milliseconds{500};

} // namespace

lister_state::lister_state(pinned<interface>* self, broker_actor to, std::vector<protocol::live_session> asked,
                           writer write)
    : self_{self}, to_{std::move(to)}, missing_{asked.size()}, write_{std::move(write)}, all_{std::move(asked)},
      reminder_{self->at()} {}

lister_actor::behavior_type lister_state::make_behavior() {
  alive_ = caf::actor_cast<lister_actor>(self_);
  reminder_.set(self_->address(), self_->at().now() + (missing_ == 0 ? longest_listing.zero() : longest_listing));
  return {
      [this](session_described& msg) { take(std::move(msg.what)); },
      [this](tick&) {
        reminder_.arrived();
        answer();
      },
  };
}

void lister_state::take(protocol::live_session&& what) {
  auto of = std::ranges::lower_bound(all_, what.number, {}, &protocol::live_session::number);
  *of = std::move(what);
  if (--missing_ == 0)
    answer();
}

void lister_state::answer() {
  answer_with(self_, to_, write_(std::move(all_)));
  self_->quit();
}

} // namespace troupe::actors
