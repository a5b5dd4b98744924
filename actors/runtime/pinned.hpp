#pragma once

#include "actors/runtime/unit.hpp"

#include <caf/all.hpp>
#include <optional>
#include <utility>

namespace troupe::actors {

/// Closes the mailbox of an ending actor and destroys the messages in it: they may hold the last handles to other
/// actors. Call from the actor itself only.
void drop_mailbox(caf::scheduled_actor& of);

/// A typed actor that is pinned to one unit: it runs on that unit's thread only.
template <class Interface>
class pinned : public Interface::base {
public:
  pinned(caf::actor_config& config, unit& at)
      : Interface::base(config), unit_{at}, counted_{std::in_place, at.live_actors()} {
    // CAF's default handlers print to the terminal of the host.
    this->set_default_handler(caf::drop);
    this->set_exception_handler([this](std::exception_ptr& thrown) { return end_by(thrown); });
  }

  void enqueue(caf::mailbox_element_ptr element, caf::execution_unit*) override {
    Interface::base::enqueue(std::move(element), &unit_);
  }
  void enqueue(caf::strong_actor_ptr from, caf::message_id id, caf::message content, caf::execution_unit*) override {
    enqueue(caf::make_mailbox_element(std::move(from), id, {}, std::move(content)), nullptr);
  }
  void launch(caf::execution_unit*, bool lazy, bool hide) override { Interface::base::launch(&unit_, lazy, hide); }
  caf::resumable::subtype_t subtype() const override { return caf::resumable::io_actor; }

  /// Replaces CAF's version, which also wakes the clock thread to cancel timeouts: these actors have none.
  bool cleanup(caf::error&& why, caf::execution_unit* host) override {
    drop_mailbox(*this);
    this->unregister_from_system();
    caf::monitorable_actor::cleanup(std::move(why), host); // NOLINT(bugprone-parent-virtual-call)
    counted_.reset();
    return true;
  }

  unit& at() { return unit_; }

private:
  caf::error end_by(const std::exception_ptr& thrown) {
    unit_.log_failure(this->name(), thrown);
    return caf::sec::runtime_error;
  }

  unit& unit_;
  /// Counts until the actor ends, not until it is destroyed: handles to it may outlive the unit.
  std::optional<counted_alive> counted_;
};

/// Actor for a state class, which has an `interface`, a `name` and `make_behavior()`. The state is constructed with the
/// actor and the arguments of `spawn`. It is destroyed when the actor ends, not with the last handle: its destructor
/// does the cleanup.
template <class State>
class actor_of : public pinned<typename State::interface> {
public:
  template <class... Ts>
  actor_of(caf::actor_config& config, unit& at, Ts&&... xs)
      : pinned<typename State::interface>(config, at), state_(std::in_place, this, std::forward<Ts>(xs)...) {}

  const char* name() const override { return State::name; }
  void on_exit() override {
    state_.reset();
    pinned<typename State::interface>::on_exit();
  }

protected:
  typename State::interface::behavior_type make_behavior() override { return state_->make_behavior(); }

private:
  std::optional<State> state_;
};

/// Spawns an actor of a state class on a unit, as the linked child of another actor.
template <class State, class Owner, class... Ts>
auto spawn_linked(Owner* owner, unit& at, Ts&&... xs) {
  return owner->template spawn<actor_of<State>, caf::linked>(std::ref(at), std::forward<Ts>(xs)...);
}

} // namespace troupe::actors
