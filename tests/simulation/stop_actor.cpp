#include "tests/simulation/stop_actor.hpp"

#include "tests/simulation/node.hpp"

#include <utility>

namespace troupe::tests::simulation {

namespace {

constexpr auto quiet = 250ms;
constexpr auto quiet_limit = 2000ms;
constexpr auto glance = 50ms;
constexpr auto farewell = 500ms;

} // namespace

// -- facts -----------------------------------------------------------------------------------

void stop_actor::begin(span_of_time grace, std::function<void()> then) {
  post([this, grace, then = std::move(then)]() mutable {
    then_ = std::move(then);
    grace_ = grace;
    until_ = now() + grace;
    node_.registry().drain(drain_step::begin);
    enter(stage::sessions);
    go_on();
  });
}

void stop_actor::left() {
  post([this] {
    has_left_ = true;
    go_on();
  });
}

void stop_actor::registry_ended() {
  post([this] {
    has_left_ = has_registry_ended_ = true;
    go_on();
  });
}

void stop_actor::cluster_ended() {
  post([this] {
    has_cluster_ended_ = true;
    go_on();
  });
}

// -- stages ----------------------------------------------------------------------------------

void stop_actor::enter(stage next) {
  at_stage_ = next;
  since_ = now();
}

void stop_actor::go_on() {
  while (at_stage_ != stage::none && !has_to_wait())
    finish_stage();
  if (at_stage_ != stage::none)
    remind(now() + glance);
}

bool stop_actor::has_to_wait() const {
  switch (at_stage_) {
  case stage::none:
    return true;
  case stage::sessions:
    return !has_left_ && now() < until_ - grace_ / 4;
  case stage::late:
    return !has_left_ && has_time();
  case stage::load_balancers:
    return has_time() && (node_.probes().is_awaited(now()) || is_asked());
  case stage::answers:
    return has_time() && node_.probes().is_watched(now()) && node_.is_answering_since(since_ - quiet);
  case stage::connections:
    return has_time() && node_.is_answering_since(now());
  case stage::registry:
    return has_time() && !has_registry_ended_;
  case stage::hurried:
    return !has_registry_ended_ && now() < since_ + farewell;
  case stage::farewell:
    return node_.is_answering_since(now()) && now() < since_ + farewell;
  case stage::actors:
    return !has_registry_ended_ || !has_cluster_ended_;
  }
  return true;
}

/// Whether a request came lately, in a stage that may last for `quiet_limit`.
bool stop_actor::is_asked() const { return now() < node_.last_request() + quiet && now() < since_ + quiet_limit; }

void stop_actor::finish_stage() {
  auto& registry = node_.registry();
  switch (at_stage_) {
  case stage::none:
    return;
  case stage::sessions:
    if (!has_left_)
      registry.drain(drain_step::late);
    return enter(has_left_ ? stage::load_balancers : stage::late);
  case stage::late:
    return enter(has_left_ ? stage::load_balancers : stage::registry);
  case stage::load_balancers:
    registry.drain(drain_step::begin);
    return enter(stage::answers);
  case stage::answers:
    node_.close_listener();
    registry.drain(drain_step::begin);
    return enter(stage::connections);
  case stage::connections:
    registry.drain(drain_step::last);
    return enter(stage::registry);
  case stage::registry:
    if (!has_registry_ended_)
      registry.drain(drain_step::at_once);
    node_.close_listener();
    return enter(has_registry_ended_ ? stage::farewell : stage::hurried);
  case stage::hurried:
    if (!has_registry_ended_)
      registry.stop();
    return enter(stage::farewell);
  case stage::farewell:
    return enter(stage::actors);
  case stage::actors:
    at_stage_ = stage::none;
    return then_();
  }
}

} // namespace troupe::tests::simulation
