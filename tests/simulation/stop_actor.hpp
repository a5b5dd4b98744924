#pragma once

#include "tests/simulation/actor.hpp"

#include <functional>

namespace troupe::tests::simulation {

class node;

/// Mirrors the thread that stops a gateway (`drain_all` of `actors/gateway/gateway.cpp`, and `drain.cpp`): first the
/// sessions leave, then load balancers and connections, then the actors.
class stop_actor final : public actor {
public:
  stop_actor(std::shared_ptr<process> at, node& of) : actor{std::move(at)}, node_{of} {}

  void begin(span_of_time grace, std::function<void()> then);
  // -- from the registry and the cluster actor
  /// No session is left here.
  void left();
  void registry_ended();
  void cluster_ended();

private:
  enum class stage { none, sessions, late, load_balancers, answers, connections, registry, hurried, farewell, actors };

  void tick() override { go_on(); }
  void go_on();
  bool has_to_wait() const;
  bool is_asked() const;
  void finish_stage();
  void enter(stage next);
  bool has_time() const { return now() < until_; }

  node& node_;
  std::function<void()> then_;
  stage at_stage_ = stage::none;
  span_of_time grace_ = {};
  time_point until_ = {};
  /// When the present stage began.
  time_point since_ = {};
  bool has_left_ = false;
  bool has_registry_ended_ = false;
  bool has_cluster_ended_ = false;
};

} // namespace troupe::tests::simulation
