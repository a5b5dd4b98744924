// Each planted fault is found within some runs by the rule that forbids it. All other rules are tolerated.

#include "tests/simulation/names.hpp"
#include "tests/simulation/world.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace troupe::tests::planted_test {

using namespace simulation;

namespace {

constexpr std::uint64_t most_runs = 40;

struct planted_fault {
  planted kind;
  std::set<fault_kind> faults;
  rule broken;
  std::size_t stateless = 0;
  std::size_t stalls = 0;
};

void PrintTo(const planted_fault& one, std::ostream* out) { *out << name_of(one.kind); }

const planted_fault all[] = {
    {planted::fence_left_out, {fault_kind::pause, fault_kind::store_hangs}, rule::one_owner},
    {planted::tenure_kept, {fault_kind::pause, fault_kind::store_hangs}, rule::one_owner},
    {planted::tenure_unchecked, {fault_kind::partition}, rule::one_owner},
    {planted::owner_unchecked, {}, rule::own_answers_only},
    {planted::event_twice, {}, rule::each_event_once},
    {planted::resumed_from_start, {}, rule::each_event_once},
    {planted::answer_twice, {}, rule::one_answer_each},
    {planted::answer_misdirected, {}, rule::own_answers_only},
    {planted::answer_left_out, {fault_kind::kill}, rule::settles},
    {planted::record_kept, {}, rule::stays_ended},
    {planted::end_confirmed_early, {fault_kind::kill, fault_kind::store_hangs}, rule::stays_ended},
    {planted::dropped_at_end, {fault_kind::pause}, rule::lost_only_if_run},
    {planted::record_late, {fault_kind::kill}, rule::survives},
    {planted::exchange_kept, {}, rule::bounded},
    {planted::member_kept, {fault_kind::kill}, rule::settles},
    {planted::refused_after_run, {}, rule::runs_once},
    {planted::question_answered_twice, {}, rule::one_answer_each},
    {planted::suspension_ignored, {fault_kind::suspend}, rule::one_owner},
    {planted::two_accept, {fault_kind::hand_over}, rule::always_served},
    {planted::loss_unnoticed, {fault_kind::hand_over, fault_kind::kill}, rule::always_served},
    {planted::left_early, {fault_kind::hand_over}, rule::kept_at_handover},
    {planted::placed_here, {}, rule::one_lease, 4},
    {planted::lease_of_all, {}, rule::own_answers_only, 4},
    {planted::lease_kept, {}, rule::stays_ended, 4},
    {planted::unread_kept, {}, rule::bounded, 0, 10},
};

run_setup setup_of(const planted_fault& fault, std::uint64_t seed) {
  run_setup result;
  result.seed = seed;
  result.wrong = fault.kind;
  result.stateless = fault.stateless;
  result.habits.stalls = fault.stalls;
  if (fault.faults.contains(fault_kind::hand_over))
    result.hosts = 1;
  for (std::size_t i = 0; i < names<rule>().size(); ++i)
    if (auto other = static_cast<rule>(i); other != fault.broken)
      result.tolerated.insert(other);
  return result;
}

class planted_faults : public testing::TestWithParam<planted_fault> {};

} // namespace

TEST_P(planted_faults, are_found) {
  for (std::uint64_t seed = 1; seed <= most_runs; ++seed) {
    auto setup = setup_of(GetParam(), seed);
    auto plan = plan_of(setup, GetParam().faults);
    if (!run_once(setup, plan).is_good)
      return;
  }
  FAIL() << "not found in " << most_runs << " runs";
}

INSTANTIATE_TEST_SUITE_P(all, planted_faults, testing::ValuesIn(all),
                         [](auto& one) { return std::string{name_of(one.param.kind)}; });

TEST(planted, is_each_looked_for) { EXPECT_EQ(std::size(all) + 1, names<planted>().size()); }

} // namespace troupe::tests::planted_test
