#include "actors/collector.hpp"

namespace troupe::actors {

namespace {

constexpr auto patience = std::chrono::milliseconds{500};

} // namespace

collector_state::collector_state(pinned<interface>* self, broker_actor to, std::size_t asked)
    : self_{self}, to_{std::move(to)}, missing_{asked}, reminder_{self->at()} {}

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

/// What was not asked, is no stream, nor the registry, nor the collector itself, serves an exchange.
void collector_state::answer() {
  auto others = report_.actors + 2;
  for (auto& one : report_.sessions)
    others += one.delivery.primary + one.delivery.shadow + one.delivery.call;
  report_.actors = self_->system().registry().running();
  report_.brokers = report_.actors - std::min(others, report_.actors);
  self_->send(to_, http_reply{protocol::json_text(report_), {}});
  self_->quit();
}

} // namespace troupe::actors
