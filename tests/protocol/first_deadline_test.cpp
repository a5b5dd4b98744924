#include "protocol/deadlines.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace troupe::tests::first_deadline_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

constexpr time_point start{1h};

/// Objects with the deadlines `start`, one second later, and so on.
struct objects {
  explicit objects(int count) {
    for (int i = 0; i < count; ++i)
      first.add(all.emplace_back(start + i * 1s));
  }
  void remove_first() {
    all.erase(all.begin());
    first.changed();
  }
  time_point answer() {
    return first.of(all, [this](time_point one) { return ++looks, one; });
  }

  std::vector<time_point> all;
  first_deadline first;
  int looks = 0;
};

} // namespace

TEST(first_deadline, is_never_when_there_is_nothing) {
  EXPECT_EQ(objects{0}.answer(), time_point::max());
  EXPECT_FALSE(first_deadline{}.may_be_late(time_point::max() - 1ns));
}

TEST(first_deadline, is_that_of_the_first_without_a_look) {
  objects some{3};
  EXPECT_EQ(some.answer(), start);
  some.first.add(start - 1s);
  EXPECT_EQ(some.answer(), start - 1s);
  EXPECT_EQ(some.looks, 0);
}

TEST(first_deadline, is_exact_when_there_are_eight_or_less) {
  objects nine{9};
  nine.remove_first();
  EXPECT_EQ(nine.all.size(), 8u);
  EXPECT_EQ(nine.answer(), start + 1s);
  nine.remove_first();
  EXPECT_EQ(nine.answer(), start + 2s);
}

TEST(first_deadline, may_stay_until_an_eighth_has_changed) {
  objects many{17 + 8};
  many.remove_first();
  many.remove_first();
  EXPECT_EQ(many.answer(), start);
  many.remove_first();
  EXPECT_EQ(many.all.size(), 22u);
  EXPECT_EQ(many.answer(), start + 3s);
  EXPECT_EQ(many.looks, 22);
}

TEST(first_deadline, is_not_looked_for_when_a_later_one_goes) {
  objects some{8};
  some.all.pop_back();
  some.first.changed(start + 7s);
  EXPECT_EQ(some.answer(), start);
  EXPECT_EQ(some.looks, 0);
  some.all.erase(some.all.begin());
  some.first.changed(start);
  EXPECT_EQ(some.answer(), start + 1s);
}

TEST(first_deadline, is_reached_at_its_time_and_not_before) {
  objects some{2};
  EXPECT_FALSE(some.first.may_be_late(start - 1ns));
  EXPECT_TRUE(some.first.may_be_late(start));
}

TEST(first_deadline, is_exact_after_a_look) {
  objects many{100};
  many.remove_first();
  many.first.look(many.all, [](time_point one) { return one; });
  EXPECT_EQ(many.answer(), start + 1s);
}

} // namespace troupe::tests::first_deadline_test
