#include "actors/collector.hpp"

namespace troupe::actors {

namespace {

constexpr auto patience = std::chrono::milliseconds{500};

} // namespace

collector_state::collector_state(pinned<interface>* self, broker_actor to, std::size_t sessions)
    : self_{self}, to_{std::move(to)}, sessions_{sessions}, reminder_{self->at()} {}

collector_actor::behavior_type collector_state::make_behavior() {
  alive_ = caf::actor_cast<collector_actor>(self_);
  reminder_.set(self_->address(), self_->at().now() + (sessions_ == 0 ? patience.zero() : patience));
  return {
      [this](session_counted& msg) {
        report_.sessions.push_back(msg.report);
        answer_when_complete();
      },
      [this](upstream_counted& msg) {
        report_.upstreams.push_back(std::move(msg.report));
        answer_when_complete();
      },
      [this](tick&) {
        reminder_.arrived();
        answer();
      },
  };
}

void collector_state::answer_when_complete() {
  if (report_.sessions.size() == sessions_ && report_.upstreams.size() == sessions_)
    answer();
}

/// What is neither session, server nor stream, nor the registry, nor the collector itself, serves an exchange.
void collector_state::answer() {
  report_.actors = self_->system().registry().running();
  auto others = report_.sessions.size() + report_.upstreams.size() + 2;
  for (auto& one : report_.sessions)
    others += one.delivery.primary + one.delivery.shadow + one.delivery.call;
  report_.brokers = report_.actors - std::min(others, report_.actors);
  self_->send(to_, http_reply{protocol::json_text(report_), {}});
  self_->quit();
}

} // namespace troupe::actors
