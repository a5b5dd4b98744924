#include "actors/runtime/direct.hpp"

#include "actors/runtime/thrown.hpp"

namespace troupe::actors {

namespace {

/// A message that waits for its actor's thread, or for the actor.
class waiting_message final : public caf::resumable {
public:
  waiting_message(caf::strong_actor_ptr to, caf::mailbox_element_ptr what)
      : to_{std::move(to)}, what_{std::move(what)} {}

  subtype_t subtype() const override { return io_actor; }
  resume_result resume(caf::execution_unit*, std::size_t) override {
    static_cast<direct*>(to_->get())->handle(*what_);
    return done;
  }
  // Only whoever is to run it has it.
  void intrusive_ptr_add_ref_impl() override {}
  void intrusive_ptr_release_impl() override { delete this; }

private:
  caf::strong_actor_ptr to_;
  caf::mailbox_element_ptr what_;
};

} // namespace

direct::direct(caf::actor_config& config, unit& at)
    : caf::monitorable_actor{config}, unit_{at}, counted_{std::in_place, at.live_actors()} {
  register_at_system();
}

void direct::enqueue(caf::mailbox_element_ptr what, caf::execution_unit*) {
  if (unit_.is_current() && !is_busy_)
    handle(*what);
  else
    unit_.exec_later(new waiting_message{caf::strong_actor_ptr{ctrl()}, std::move(what)});
}

void direct::handle(caf::mailbox_element& what) {
  if (getf(is_terminated_flag))
    return;
  is_busy_ = true;
  tell(what.content());
  is_busy_ = false;
  if (ends_)
    end(caf::exit_reason::normal);
}

/// What it throws is not its sender's fault.
void direct::tell(caf::type_erased_tuple& what) {
  try {
    if (!tell_state(what))
      tell_exit(what);
  } catch (...) {
    unit_.log()(log_level::error, "an actor failed", {{"actor", name()}, {"why", text_of(std::current_exception())}});
    end(caf::sec::runtime_error);
  }
}

void direct::tell_exit(const caf::type_erased_tuple& what) {
  if (!what.match_elements<caf::exit_msg>())
    return;
  if (auto& why = what.get_as<caf::exit_msg>(0).reason)
    end(why);
}

/// Nobody can tell it anything any more.
void direct::on_destroy() {
  if (!getf(is_terminated_flag))
    end(caf::exit_reason::unreachable);
  caf::monitorable_actor::on_destroy();
}

void direct::end(caf::error why) {
  ends_ = false;
  drop_state();
  unregister_from_system();
  cleanup(std::move(why), &unit_);
  counted_.reset();
}

} // namespace troupe::actors
