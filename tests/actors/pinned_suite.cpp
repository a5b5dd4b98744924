// An actor that throws ends with an error.

#define CAF_SUITE pinned

#include "tests/support/unit_world.hpp"

namespace troupe::tests::pinned_suite {

namespace {

struct clumsy_state {
  using interface = caf::typed_actor<caf::reacts_to<int>>;
  static constexpr const char* name = "clumsy";

  clumsy_state(actors::pinned<interface>*, bool at_once) : at_once_{at_once} {}
  interface::behavior_type make_behavior() const {
    if (at_once_)
      throw std::runtime_error{"at once"};
    return {[](int number) {
      if (number == 1)
        throw std::runtime_error{"one"};
      throw number;
    }};
  }

  bool at_once_;
};

struct pinned_world : unit_world {
  caf::typed_actor<caf::reacts_to<int>> spawn(bool at_once) {
    auto result = sys.spawn<actors::actor_of<clumsy_state>>(std::ref(static_cast<actors::unit&>(at)), at_once);
    self->monitor(result);
    return result;
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(pinned_tests, pinned_world)

CAF_TEST(an actor that throws ends by that and its gateway says so) {
  for (int number : {1, 2}) {
    caf::anon_send(spawn(false), number);
    CAF_CHECK_EQUAL(end(), caf::sec::runtime_error);
  }
  CAF_CHECK_EQUAL(log, (lines{"an actor failed actor=clumsy why=one",
                              "an actor failed actor=clumsy why=what was thrown is no std::exception"}));
}

CAF_TEST(an actor that throws before it has a behavior ends in the same way) {
  spawn(true);
  CAF_CHECK_EQUAL(end(), caf::sec::runtime_error);
  CAF_CHECK_EQUAL(log, lines{"an actor failed actor=clumsy why=at once"});
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::pinned_suite
