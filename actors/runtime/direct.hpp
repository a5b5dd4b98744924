#pragma once

#include "actors/runtime/unit.hpp"

#include <caf/all.hpp>
#include <optional>
#include <utility>

namespace troupe::actors {

/// A typed actor without a mailbox, on one unit. Handles a message from another actor on the unit's thread at once,
/// before the sender continues. Queues messages from itself or from another thread.
///
/// For actors that only forward messages. They may be made in great numbers: actor and message cost a fraction of those
/// with a mailbox. Messages from one thread keep their order. A message from another thread may be overtaken by later
/// ones from this thread.
class direct : public caf::monitorable_actor {
public:
  direct(caf::actor_config& config, unit& at);

  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit* from) override;
  using caf::monitorable_actor::enqueue;
  void on_destroy() override;

  unit& at() { return unit_; }
  /// Ends the actor once it has handled its current message. Call from its own state only.
  void quit() { ends_ = true; }
  /// Handles a message that had to wait. Call on the thread of the unit only.
  void handle(caf::mailbox_element& what);

protected:
  /// Hands a message to the state. False if the message is not part of the actor's interface.
  virtual bool tell_state(caf::type_erased_tuple& what) = 0;
  /// Destroys the state.
  virtual void drop_state() = 0;

private:
  std::optional<caf::error> tell(caf::type_erased_tuple& what) noexcept;
  void end(caf::error why);

  unit& unit_;
  /// Counts until the actor ends, not until it is destroyed: handles to it may outlive the unit.
  std::optional<counted_alive> counted_;
  bool is_busy_ = false;
  bool ends_ = false;
};

/// Actor without a mailbox for a state class, which has an `interface`, a `name` and a `handle(T&)` for each message.
/// The state is constructed with the actor and the arguments of `spawn_direct`. It is destroyed when the actor ends,
/// not with the last handle: its destructor does the cleanup.
template <class State>
class direct_actor_of final : public direct {
public:
  template <class... Ts>
  direct_actor_of(caf::actor_config& config, unit& at, Ts&&... xs)
      : direct{config, at}, state_{std::in_place, this, std::forward<Ts>(xs)...} {}

  const char* name() const override { return State::name; }

protected:
  bool tell_state(caf::type_erased_tuple& what) override {
    return what.size() == 1 && tell_one_of(what, what.type(0), typename State::interface::signatures{});
  }
  void drop_state() override { state_.reset(); }

private:
  template <class... Ts>
  bool tell_one_of(caf::type_erased_tuple& what, caf::rtti_pair type,
                   caf::detail::type_list<caf::typed_mpi<caf::detail::type_list<Ts>, caf::output_tuple<void>>...>) {
    return ((is<Ts>(type) && tell<Ts>(what)) || ...);
  }
  template <class T>
  static bool is(caf::rtti_pair type) {
    auto own = caf::make_rtti_pair<T>();
    return type.first == own.first && (type.second == own.second || *type.second == *own.second);
  }
  template <class T>
  bool tell(caf::type_erased_tuple& what) {
    if (!what.shared()) {
      state_->handle(what.get_mutable_as<T>(0));
    } else if constexpr (requires(State & state, const T& one) { state.handle(one); }) {
      state_->handle(what.get_as<T>(0));
    } else {
      auto own = what.get_as<T>(0);
      state_->handle(own);
    }
    return true;
  }

  std::optional<State> state_;
};

/// Spawns an actor without a mailbox on a unit. The actor lives until it ends or its last handle is gone.
template <class State, class... Ts>
typename State::interface spawn_direct(unit& at, Ts&&... xs) {
  caf::actor_config config{&at};
  auto& system = at.system();
  auto made = caf::make_actor<direct_actor_of<State>, caf::strong_actor_ptr>(
      system.next_actor_id(), system.node(), &system, config, at, std::forward<Ts>(xs)...);
  made->get()->register_at_system();
  return caf::actor_cast<typename State::interface>(std::move(made));
}

} // namespace troupe::actors
