#include "actors/session/collector.hpp"

namespace troupe::actors {

namespace {

constexpr auto patience = std::chrono::milliseconds{500};

} // namespace

collector_state::collector_state(pinned<interface>* self, broker_actor to, std::size_t asked,
                                 std::shared_ptr<const live_count> brokers,
                                 std::function<protocol::client_totals()> clients)
    : self_{self}, to_{std::move(to)}, missing_{asked}, brokers_{std::move(brokers)}, clients_{std::move(clients)},
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
  report_.clients = clients_();
  self_->send(to_, http_reply{protocol::json_text(report_), {}});
  self_->quit();
}

} // namespace troupe::actors
