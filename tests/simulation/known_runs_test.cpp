// Runs that once broke a rule keep all of them.

#include "tests/simulation/known_runs.hpp"
#include "tests/simulation/names.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <sstream>
#include <string>

namespace troupe::tests::known_runs_test {

using namespace simulation;

namespace {

/// Number of seeds for each known run: after a change of the wiring another seed may show the same.
constexpr std::uint64_t seeds = 8;

class known : public testing::TestWithParam<known_run> {};

} // namespace

TEST_P(known, keeps_all_rules) {
  auto setup = GetParam().setup;
  for (const auto last = setup.seed + seeds; setup.seed < last; ++setup.seed) {
    std::ostringstream lines;
    auto result = run_once(setup, GetParam().plan, &lines);
    EXPECT_TRUE(result.is_good) << "seed " << setup.seed << ": " << result.violation << '\n' << lines.str();
  }
}

INSTANTIATE_TEST_SUITE_P(runs, known, testing::ValuesIn(known_runs()), [](auto& one) {
  std::string name;
  for (char letter : one.param.what)
    name += std::isalnum(static_cast<unsigned char>(letter)) ? letter : '_';
  return name;
});

TEST(names, has_one_for_each_value) {
  EXPECT_EQ(names<fault_kind>().size(), fault_kinds);
  EXPECT_EQ(named<rule>("survives"), rule::survives);
  EXPECT_EQ(named<planted>("member_kept"), planted::member_kept);
  EXPECT_EQ(named<rule>("no rule"), std::nullopt);
}

} // namespace troupe::tests::known_runs_test
