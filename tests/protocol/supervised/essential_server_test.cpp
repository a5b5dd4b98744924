#include "protocol/supervised/essential_server.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::essential_server_test {

using namespace std::chrono_literals;
using namespace protocol;
using begun = essential_server::begun;
using phase = server_status::phase;

namespace {

constexpr time_point start{100h};
const essential_effects nothing_new;
const std::string exited = "the MCP server exited with status 1";
const show_readiness is_ready{""};
const show_readiness unknown{std::string{not_greeted_yet}};
const show_readiness fails{"it does not start: " + exited};

server_status status_of(phase is, std::string why = {}) { return {.is = is, .restarts = 0, .why = std::move(why)}; }

/// A server that has started and is initialized.
essential_server ready(begun how) {
  essential_server it{how};
  it.begin();
  it.showed(status_of(phase::ready), how == begun::by_trial);
  return it;
}

} // namespace

// -- shared processes -----------------------------------------------------------------------

TEST(essential_server, that_runs_for_all_is_ready_from_its_first_greeting_on) {
  essential_server it{begun::for_all};
  EXPECT_EQ(it.begin(), essential_effects{unknown});
  EXPECT_EQ(it.showed(status_of(phase::starting), false), nothing_new);
  EXPECT_EQ(it.showed(status_of(phase::ready), false), essential_effects{is_ready});
  EXPECT_EQ(it.showed(status_of(phase::ready), false), nothing_new);
}

TEST(essential_server, that_runs_for_all_stays_ready_while_it_is_started_at_once_after_a_loss) {
  auto it = ready(begun::for_all);
  EXPECT_EQ(it.showed(status_of(phase::starting, exited), false), nothing_new);
  EXPECT_EQ(it.showed(status_of(phase::ready, exited), false), nothing_new);
}

TEST(essential_server, that_runs_for_all_is_not_ready_while_it_waits_or_rests_and_until_it_greets_again) {
  for (auto down : {phase::waiting, phase::resting}) {
    auto it = ready(begun::for_all);
    EXPECT_EQ(it.showed(status_of(down, exited), false), essential_effects{fails});
    EXPECT_EQ(it.showed(status_of(phase::starting, exited), false), nothing_new);
    EXPECT_EQ(it.showed(status_of(phase::ready, exited), false), essential_effects{is_ready});
  }
}

TEST(essential_server, that_runs_for_all_hears_nothing_new_from_starts_for_users) {
  auto it = ready(begun::for_all);
  EXPECT_EQ(it.start_failed(exited, 60s, start), nothing_new);
  EXPECT_EQ(it.spoke(), nothing_new);
  EXPECT_EQ(it.deadline(), time_point::max());
}

TEST(essential_server, is_tried_when_the_one_that_runs_for_all_waits_for_a_user_to_start_it) {
  auto it = ready(begun::for_all);
  EXPECT_EQ(it.showed(status_of(phase::idle, exited), false), essential_effects{begin_trial{}});
  EXPECT_EQ(it.ended(), nothing_new);
  EXPECT_EQ(it.showed(status_of(phase::waiting, exited), true), essential_effects{fails});
  EXPECT_EQ(it.showed(status_of(phase::ready), true), (essential_effects{end_trial{}, is_ready}));
}

// -- attempted starts -----------------------------------------------------------------------

TEST(essential_server, is_tried_until_it_greets) {
  essential_server it{begun::by_trial};
  EXPECT_EQ(it.begin(), (essential_effects{begin_trial{}, unknown}));
  EXPECT_EQ(it.showed(status_of(phase::starting), true), nothing_new);
  EXPECT_EQ(it.showed(status_of(phase::starting, exited), true), essential_effects{fails});
  EXPECT_EQ(it.showed(status_of(phase::resting, exited), true), nothing_new);
  EXPECT_EQ(it.showed(status_of(phase::ready, exited), true), (essential_effects{end_trial{}, is_ready}));
}

TEST(essential_server, is_not_ready_because_a_process_has_spoken_that_has_not_greeted) {
  essential_server it{begun::by_trial};
  it.begin();
  EXPECT_EQ(it.spoke(), nothing_new);
}

TEST(essential_server, stays_ready_while_it_is_tried_again_after_a_start_that_failed_for_a_user) {
  auto it = ready(begun::by_trial);
  EXPECT_EQ(it.start_failed(exited, {}, start), essential_effects{begin_trial{}});
  EXPECT_EQ(it.start_failed(exited, 60s, start), nothing_new);
  EXPECT_EQ(it.showed(status_of(phase::ready), true), essential_effects{end_trial{}});
}

TEST(essential_server, is_not_ready_when_a_trial_fails_after_a_start_that_failed_for_a_user) {
  auto it = ready(begun::by_trial);
  it.start_failed(exited, {}, start);
  EXPECT_EQ(it.showed(status_of(phase::starting, exited), true), essential_effects{fails});
  EXPECT_EQ(it.showed(status_of(phase::ready, exited), true), (essential_effects{end_trial{}, is_ready}));
}

TEST(essential_server, is_tried_again_in_a_second_when_a_trial_was_lost_by_a_fault_of_ours) {
  essential_server it{begun::by_trial};
  it.begin();
  it.trial_lost(start);
  EXPECT_EQ(it.deadline(), start + 1s);
  EXPECT_EQ(it.tick(start + 1s - 1ns), nothing_new);
  EXPECT_EQ(it.tick(start + 1s), essential_effects{begin_trial{}});
  EXPECT_EQ(it.deadline(), time_point::max());
}

// -- servers started by users only ----------------------------------------------------------

TEST(essential_server, that_only_users_start_is_ready_until_starts_are_refused_and_when_they_are_not_any_more) {
  essential_server it{begun::by_users};
  EXPECT_EQ(it.begin(), essential_effects{is_ready});
  EXPECT_EQ(it.start_failed(exited, {}, start), nothing_new);
  EXPECT_EQ(it.start_failed(exited, 60s, start), essential_effects{fails});
  EXPECT_EQ(it.deadline(), start + 60s);
  EXPECT_EQ(it.tick(start + 60s - 1ns), nothing_new);
  EXPECT_EQ(it.tick(start + 60s), essential_effects{is_ready});
  EXPECT_EQ(it.deadline(), time_point::max());
}

TEST(essential_server, that_only_users_start_is_ready_when_it_has_spoken) {
  essential_server it{begun::by_users};
  it.begin();
  it.start_failed(exited, 60s, start);
  EXPECT_EQ(it.spoke(), essential_effects{is_ready});
  EXPECT_EQ(it.deadline(), time_point::max());
}

// -- other behavior -------------------------------------------------------------------------

TEST(essential_server, does_not_tell_what_the_server_itself_has_said) {
  auto it = ready(begun::for_all);
  EXPECT_EQ(it.showed(status_of(phase::waiting, "it refused to initialize: the key k123 is not valid"), false),
            essential_effects{show_readiness{"it refused to initialize; the log tells more"}});
}

TEST(essential_server, that_was_removed_is_not_tried_and_tells_nothing_more) {
  essential_server tried{begun::by_trial};
  tried.begin();
  EXPECT_EQ(tried.retire(), essential_effects{end_trial{}});
  EXPECT_EQ(tried.showed(status_of(phase::ready), true), nothing_new);
  EXPECT_EQ(tried.start_failed(exited, 60s, start), nothing_new);
  tried.trial_lost(start);
  EXPECT_EQ(tried.deadline(), time_point::max());
  auto for_all = ready(begun::for_all);
  EXPECT_EQ(for_all.retire(), nothing_new);
  EXPECT_EQ(for_all.ended(), nothing_new);
  essential_server by_users{begun::by_users};
  by_users.begin();
  by_users.start_failed(exited, 60s, start);
  by_users.retire();
  EXPECT_EQ(by_users.deadline(), time_point::max());
}

} // namespace troupe::tests::essential_server_test
