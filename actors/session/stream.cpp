#include "actors/session/stream.hpp"

namespace troupe::actors {

stream_state::stream_state(pinned<interface>* self, std::chrono::milliseconds keep_alive)
    : self_{self}, machine_{keep_alive, self->at().now()}, reminder_{self->at()} {}

stream_actor::behavior_type stream_state::make_behavior() {
  self_->set_exit_handler([this](caf::exit_msg& msg) { on_exit_of(msg); });
  return {
      [this](stream_attach& msg) { attach(std::move(msg.broker)); },
      [this](stream_publish& msg) {
        machine_.spoke(self_->at().now());
        self_->send(broker_, sse_event{std::move(msg.text)});
      },
      [this](stream_end&) {
        self_->send(broker_, sse_end{});
        self_->quit();
      },
      [this](tick&) {
        reminder_.arrived();
        keep_alive();
      },
  };
}

void stream_state::attach(broker_actor broker) {
  broker_ = std::move(broker);
  self_->link_to(broker_);
  self_->send(broker_, sse_begin{});
  keep_alive();
}

void stream_state::keep_alive() {
  if (auto comment = machine_.tick(self_->at().now()))
    self_->send(broker_, sse_event{std::move(*comment)});
  reminder_.set(self_->address(), machine_.deadline());
}

void stream_state::on_exit_of(const caf::exit_msg& msg) {
  if (msg.source == broker_.address())
    self_->quit();
  else
    self_->quit(msg.reason);
}

} // namespace troupe::actors
