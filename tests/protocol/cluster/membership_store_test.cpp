// Tenures that nodes report to each other, and the consequences.

#include "tests/support/membership_driver.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <iterator>

namespace troupe::tests::membership_store_test {

namespace {

const auto patience = membership_options{}.store_patience;

/// Node m, and node a with a configurable tenure.
struct beside_a : member {
  beside_a() {
    begin(now);
    meets('a', 1);
  }

  membership_effects receives_tenure(bool runs) {
    auto hello = hello_of('a');
    hello.has_tenure = runs;
    return greeted(1, hello, now);
  }
  membership_effects sees_own(bool runs) {
    auto said = tenure_runs(runs);
    std::ranges::move(tick(now), std::back_inserter(said));
    return said;
  }
};

using cut_offs = std::vector<store_cut_off>;
cut_offs told(const membership_effects& all) { return only<store_cut_off>(all); }

} // namespace

TEST(membership, tells_the_others_whenever_its_tenure_begins_or_ends) {
  beside_a m;
  EXPECT_EQ(m.sees_own(false), membership_effects{});
  auto said = only<greet>(m.sees_own(true));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_TRUE(said[0].hello.has_tenure);
  EXPECT_EQ(m.sees_own(true), membership_effects{});
  m.is_called('b', 2);
  EXPECT_TRUE(only<greet>(m.hears('b', 2)).back().hello.has_tenure) << "and whoever joins";
  EXPECT_EQ(only<greet>(m.sees_own(false)).size(), 2u);
}

TEST(membership, tells_that_this_node_alone_has_lost_the_store_and_when_that_is_over) {
  beside_a m;
  m.sees_own(true);
  m.receives_tenure(true);
  EXPECT_EQ(told(m.sees_own(false)), cut_offs{});
  m.now += patience;
  auto said = m.sees_own(false);
  EXPECT_EQ(told(said), cut_offs{{true}});
  EXPECT_EQ(only<log_note>(said).size(), 1u);
  EXPECT_EQ(m.sees_own(false), membership_effects{});
  EXPECT_EQ(told(m.sees_own(true)), cut_offs{{false}});
}

TEST(membership, waits_for_a_store_that_no_other_member_reaches) {
  for (auto leaves : {true, false}) {
    beside_a m;
    m.receives_tenure(true);
    m.sees_own(false);
    if (leaves)
      m.link_lost(1, m.now);
    else
      m.receives_tenure(false);
    m.now += patience;
    EXPECT_EQ(told(m.sees_own(false)), cut_offs{});
    m.now += patience;
    EXPECT_EQ(told(m.sees_own(false)), cut_offs{});
  }
}

TEST(membership, misses_no_store_where_there_is_none) {
  beside_a m;
  m.receives_tenure(true);
  for (auto n = 0; n < 10; ++n)
    EXPECT_EQ(told(m.after(patience)), cut_offs{});
}

} // namespace troupe::tests::membership_store_test
