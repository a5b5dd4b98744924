#include "actors/session/collector.hpp"

namespace troupe::actors {

namespace {

constexpr auto patience = std::chrono::milliseconds{500};

} // namespace

collector_state::collector_state(pinned<interface>* self, broker_actor to, std::size_t asked,
                                 std::shared_ptr<const live_count> brokers, writer write)
    : self_{self}, to_{std::move(to)}, missing_{asked}, brokers_{std::move(brokers)}, write_{std::move(write)},
      reminder_{self->at()} {}

collector_actor::behavior_type collector_state::make_behavior() {
  alive_ = caf::actor_cast<collector_actor>(self_);
  reminder_.set(self_->address(), self_->at().now() + (missing_ == 0 ? patience.zero() : patience));
  return {
      [this](counted& msg) {
        add(report_, std::move(msg.part));
        missing_ += msg.asked;
        if (--missing_ == 0)
          answer();
      },
      [this](tick&) {
        reminder_.arrived();
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

} // namespace troupe::actors
