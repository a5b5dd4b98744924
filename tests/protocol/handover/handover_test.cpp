// Handover between two processes: who accepts clients, and how long the older one is needed.

#include "protocol/handover/handover.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::handover_test {

using namespace protocol;
using effect = handover_effect;
using effects = handover_effects;

namespace {

/// Older process that has handed over, with a session unless told otherwise.
struct older : handover {
  explicit older(bool can_take_back = true, bool has_sessions = true) {
    use(has_sessions, false);
    hand_over(can_take_back);
    confirmed = use(has_sessions, true);
  }

  effects confirmed;
};

const effects nothing;
const effects the_end{effect::close_sockets, effect::end};

} // namespace

TEST(handover, is_possible_for_a_process_that_is_alone) {
  handover one;
  EXPECT_EQ(one.why_not(), "");
  one.use(true, false);
  EXPECT_EQ(one.why_not(), "");
  EXPECT_TRUE(one.is_confirmed());
}

TEST(handover, waits_for_the_older_process_to_have_no_sessions) {
  handover newer;
  newer.take_over();
  EXPECT_EQ(newer.why_not(), "the old process still has sessions");
  newer.use(false, true);
  EXPECT_EQ(newer.why_not(), "the old process still has sessions");
  newer.use(false, false);
  EXPECT_EQ(newer.why_not(), "");
}

TEST(handover, does_not_end_the_newer_process_whatever_happens_to_the_older) {
  for (const auto what : {peer_fact::alive, peer_fact::leaves, peer_fact::closed, peer_fact::silent, peer_fact::late}) {
    handover newer;
    newer.take_over();
    newer.use(false, true);
    EXPECT_EQ(newer.take(what), nothing);
    EXPECT_EQ(newer.use(false, false), nothing);
    EXPECT_EQ(newer.why_not(), "");
  }
}

TEST(handover, is_confirmed_once_when_the_registry_knows_of_the_newer_process) {
  handover one;
  one.use(true, false);
  one.hand_over(true);
  EXPECT_FALSE(one.is_confirmed());
  EXPECT_EQ(one.use(true, false), nothing);
  EXPECT_EQ(one.use(true, true), effects{effect::confirm});
  EXPECT_TRUE(one.is_confirmed());
  EXPECT_EQ(one.use(true, true), nothing);
  EXPECT_EQ(one.why_not(), "it has handed over to another process already");
}

TEST(handover, ends_the_older_process_with_its_last_session) {
  older one;
  EXPECT_EQ(one.confirmed, effects{effect::confirm});
  EXPECT_EQ(one.take(peer_fact::alive), nothing);
  EXPECT_EQ(one.use(false, true), the_end);
  EXPECT_EQ(one.use(false, false), nothing) << "once";
  EXPECT_EQ(one.take(peer_fact::closed), nothing);
  EXPECT_FALSE(one.take_back());
}

TEST(handover, keeps_a_process_without_sessions_until_the_newer_one_is_known_to_serve) {
  older one{true, false};
  EXPECT_EQ(one.confirmed, effects{effect::confirm});
  EXPECT_EQ(one.take(peer_fact::alive), the_end);
}

TEST(handover, does_not_wait_for_signs_of_a_process_that_gives_none) {
  older one{false, false};
  EXPECT_EQ(one.confirmed, (effects{effect::confirm, effect::close_sockets, effect::end}));
}

TEST(handover, is_taken_back_at_each_step_after_the_loss_of_the_newer_process) {
  for (const bool is_alive : {false, true})
    for (const bool has_sessions : {false, true})
      for (const auto& [how, told] :
           {std::pair{peer_fact::closed, effect::report_closed}, std::pair{peer_fact::silent, effect::report_silent}}) {
        older one;
        if (is_alive)
          one.take(peer_fact::alive);
        EXPECT_EQ(one.take(how), effects{told});
        EXPECT_EQ(one.use(has_sessions, false), nothing) << "it is needed";
        EXPECT_EQ(one.take(peer_fact::late), nothing);
        EXPECT_EQ(one.why_not(), "the new process has just ended");
        EXPECT_TRUE(one.take_back());
        EXPECT_FALSE(one.take_back());
        EXPECT_EQ(one.why_not(), "");
        EXPECT_EQ(one.use(false, false), nothing) << "it serves";
      }
}

TEST(handover, is_taken_back_from_a_process_that_was_lost_before_the_confirmation) {
  handover one;
  one.hand_over(true);
  EXPECT_EQ(one.take(peer_fact::closed), effects{effect::report_closed});
  EXPECT_EQ(one.use(false, true), nothing) << "nobody is left to confirm it to";
  EXPECT_TRUE(one.take_back());
}

TEST(handover, is_possible_again_after_it_was_taken_back) {
  older one;
  one.take(peer_fact::alive);
  one.take(peer_fact::closed);
  one.use(true, false);
  EXPECT_TRUE(one.take_back());
  one.hand_over(true);
  EXPECT_FALSE(one.is_confirmed());
  EXPECT_EQ(one.use(false, true), effects{effect::confirm}) << "the next process has given no sign";
  EXPECT_EQ(one.take(peer_fact::alive), the_end);
}

TEST(handover, is_not_taken_back_from_a_process_that_stops) {
  older one;
  EXPECT_EQ(one.take(peer_fact::leaves), effects{effect::close_sockets});
  EXPECT_EQ(one.take(peer_fact::closed), the_end);
  older other;
  other.take(peer_fact::leaves);
  EXPECT_EQ(other.take(peer_fact::silent), the_end);
  older unable{false};
  EXPECT_EQ(unable.take(peer_fact::closed), the_end);
}

TEST(handover, closes_the_sessions_of_the_older_process_when_its_time_is_over) {
  older one;
  one.take(peer_fact::alive);
  EXPECT_EQ(one.take(peer_fact::late), effects{effect::close_sessions});
  EXPECT_EQ(one.use(false, true), the_end) << "their calls have ended";
  EXPECT_EQ(one.take(peer_fact::late), nothing);
}

TEST(handover, cuts_calls_off_when_they_had_time_to_finish) {
  older one;
  one.take(peer_fact::late);
  EXPECT_EQ(one.take(peer_fact::late), (effects{effect::close_sockets, effect::hurry, effect::end}));
  EXPECT_EQ(one.take(peer_fact::late), nothing);
}

TEST(handover, waits_for_a_sign_of_the_newer_process_when_the_time_of_sessions_is_over) {
  older one{true, false};
  EXPECT_EQ(one.take(peer_fact::late), effects{effect::close_sessions});
  EXPECT_EQ(one.use(false, true), nothing);
  EXPECT_EQ(one.take(peer_fact::alive), the_end);
}

TEST(handover, is_taken_back_while_calls_finish_after_its_time) {
  for (const auto& [how, told] :
       {std::pair{peer_fact::closed, effect::report_closed}, std::pair{peer_fact::silent, effect::report_silent}}) {
    older one;
    one.take(peer_fact::late);
    EXPECT_EQ(one.take(how), effects{told});
    EXPECT_TRUE(one.take_back());
    EXPECT_EQ(one.use(false, false), nothing) << "it serves";
    one.use(true, false);
    one.hand_over(true);
    one.use(true, true);
    EXPECT_EQ(one.take(peer_fact::late), effects{effect::close_sessions}) << "the sessions that began since";
  }
}

} // namespace troupe::tests::handover_test
