// Actors without a mailbox.

#define CAF_SUITE direct

#include "actors/runtime/direct.hpp"
#include "tests/support/unit_world.hpp"

namespace troupe::tests::direct_suite {

namespace {

using listener_actor = caf::typed_actor<caf::reacts_to<int>, caf::reacts_to<std::string>>;

/// Records each number that it receives. On 1 it sends itself a message, on 2 it quits, on 3 it throws.
struct listener_state {
  using interface = listener_actor;
  static constexpr const char* name = "listener";

  listener_state(actors::direct* self, lines& received) : self_{self}, received_{received} {}
  ~listener_state() { received_.push_back("gone"); }
  void handle(const int& number) {
    if (number == 1)
      caf::anon_send(caf::actor_cast<listener_actor>(self_->ctrl()), std::string{"by itself"});
    received_.push_back(std::to_string(number));
    if (number == 2)
      self_->quit();
    if (number == 3)
      throw std::runtime_error{"three"};
  }
  void handle(std::string& text) { received_.push_back(std::exchange(text, {})); }

  actors::direct* self_;
  lines& received_;
};

struct direct_world : unit_world {
  lines received;
  listener_actor one = actors::spawn_direct<listener_state>(at, std::ref(received));
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(direct_tests, direct_world)

CAF_TEST(what it is told it does before the sender goes on) {
  caf::anon_send(one, 7);
  caf::anon_send(one, std::string{"text"});
  CAF_CHECK_EQUAL(received, (lines{"7", "text"}));
}

CAF_TEST(what it is told on another thread waits for its own) {
  at.be_elsewhere(true);
  caf::anon_send(one, 7);
  caf::anon_send(one, 8);
  CAF_CHECK_EQUAL(received, lines{});
  at.be_elsewhere(false);
  run();
  CAF_CHECK_EQUAL(received, (lines{"7", "8"}));
}

CAF_TEST(what it tells itself comes after what it does) {
  caf::anon_send(one, 1);
  CAF_CHECK_EQUAL(received, lines{"1"});
  run();
  CAF_CHECK_EQUAL(received, (lines{"1", "by itself"}));
}

CAF_TEST(a message that others have too is copied) {
  auto shared = caf::make_message(std::string{"text"});
  auto kept = shared;
  caf::actor_cast<caf::actor>(one)->enqueue(nullptr, caf::make_message_id(), shared, nullptr);
  CAF_CHECK_EQUAL(received, lines{"text"});
  CAF_CHECK_EQUAL(kept.get_as<std::string>(0), "text");
}

CAF_TEST(its state goes when it quits and nothing more is heard) {
  self->monitor(one);
  caf::anon_send(one, 2);
  caf::anon_send(one, 7);
  CAF_CHECK_EQUAL(received, (lines{"2", "gone"}));
  CAF_CHECK_EQUAL(end(), caf::exit_reason::normal);
  CAF_CHECK_EQUAL(at.live_actors()->size(), 0u);
}

CAF_TEST(its state goes when nobody can tell it anything any more) {
  self->monitor(one);
  one = nullptr;
  CAF_CHECK_EQUAL(received, lines{"gone"});
  CAF_CHECK_EQUAL(end(), caf::exit_reason::unreachable);
}

CAF_TEST(it goes with whom it is linked to unless that ends well) {
  auto other = actors::spawn_direct<listener_state>(at, std::ref(received));
  self->link_to(one);
  self->link_to(other);
  self->send_exit(other, caf::exit_reason::normal);
  CAF_CHECK_EQUAL(received, lines{});
  self->send_exit(one, caf::exit_reason::user_shutdown);
  CAF_CHECK_EQUAL(received, lines{"gone"});
}

CAF_TEST(one that throws ends by that and harms no sender) {
  self->monitor(one);
  caf::anon_send(one, 3);
  CAF_CHECK_EQUAL(received, (lines{"3", "gone"}));
  CAF_CHECK_EQUAL(end(), caf::sec::runtime_error);
  CAF_CHECK_EQUAL(log, lines{"an actor failed actor=listener why=three"});
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::direct_suite
