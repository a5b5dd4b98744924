#include "actors/runtime/direct.hpp"

#include <exception>

namespace troupe::actors {

namespace {

/// Returns the reason if the message is an exit message that ends the actor; empty otherwise.
std::optional<caf::error> exit_by(const caf::type_erased_tuple& what) {
  if (!what.match_elements<caf::exit_msg>())
    return std::nullopt;
  auto& why = what.get_as<caf::exit_msg>(0).reason;
  return why ? std::optional{why} : std::nullopt;
}

/// A message that waits for its actor's thread, or until its actor is free.
class waiting_message final : public caf::resumable {
public:
  waiting_message(caf::strong_actor_ptr to, caf::mailbox_element_ptr what)
      : to_{std::move(to)}, what_{std::move(what)} {}

  subtype_t subtype() const override { return io_actor; }
  resume_result resume(caf::execution_unit*, std::size_t) override {
    static_cast<direct*>(to_->get())->handle(*what_);
    return done;
  }
  // The executing unit is the only owner.
  void intrusive_ptr_add_ref_impl() override {}
  void intrusive_ptr_release_impl() override { delete this; }

private:
  caf::strong_actor_ptr to_;
  caf::mailbox_element_ptr what_;
};

} // namespace

direct::direct(caf::actor_config& config, unit& at)
    : caf::monitorable_actor{config}, unit_{at}, counted_{std::in_place, at.live_actors()} {}

/// Returns early for an ended actor: its unit may be gone.
void direct::enqueue(caf::mailbox_element_ptr what, caf::execution_unit*) {
  if (getf(is_terminated_flag))
    return;
  if (unit_.is_current() && !is_busy_)
    handle(*what);
  else
    unit_.exec_later(new waiting_message{caf::strong_actor_ptr{ctrl()}, std::move(what)});
}

void direct::handle(caf::mailbox_element& what) {
  if (getf(is_terminated_flag))
    return;
  is_busy_ = true;
  auto why = tell(what.content());
  if (why)
    end(std::move(*why));
  else if (ends_)
    end(caf::exit_reason::normal);
  else
    is_busy_ = false;
}

/// Catches exceptions of the state: they are not the sender's fault.
std::optional<caf::error> direct::tell(caf::type_erased_tuple& what) noexcept {
  try {
    return tell_state(what) ? std::nullopt : exit_by(what);
  } catch (...) {
    unit_.log_failure(name(), std::current_exception());
    return caf::sec::runtime_error;
  }
}

/// Ends an actor whose last handle is gone: no message can reach it any more.
void direct::on_destroy() {
  if (!getf(is_terminated_flag))
    end(caf::exit_reason::unreachable);
  caf::monitorable_actor::on_destroy();
}

/// Destroys the state while the actor is busy: messages that it sends to the actor meanwhile are not handled at once.
void direct::end(caf::error why) {
  is_busy_ = true;
  drop_state();
  unregister_from_system();
  cleanup(std::move(why), &unit_);
  counted_.reset();
}

} // namespace troupe::actors
