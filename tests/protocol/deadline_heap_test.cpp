#include "protocol/deadlines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <list>
#include <random>
#include <utility>

namespace troupe::tests::deadline_heap_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

constexpr time_point start{1h};

struct thing {
  std::uint64_t own = 0;
  time_point at = start;
  std::size_t place = 0;
  time_point deadline() const { return at; }
};

} // namespace

TEST(deadline_heap, has_no_first_when_it_is_empty) {
  deadline_heap<thing> all;
  EXPECT_EQ(all.first(), nullptr);
  thing one{1};
  all.add(one);
  all.remove(one);
  EXPECT_EQ(all.first(), nullptr);
}

TEST(deadline_heap, has_the_lowest_first_of_those_with_one_deadline) {
  thing one{1}, two{2}, three{3};
  deadline_heap<thing> all;
  all.add(two);
  all.add(three);
  all.add(one);
  EXPECT_EQ(all.first(), &one);
  all.remove(one);
  EXPECT_EQ(all.first(), &two);
}

TEST(deadline_heap, notices_that_a_deadline_was_put_off) {
  thing one{1, start}, two{2, start + 1s};
  deadline_heap<thing> all;
  all.add(one);
  all.add(two);
  one.at = start + 2s;
  EXPECT_EQ(all.first(), &two);
  two.at = start + 3s;
  EXPECT_EQ(all.first(), &one);
}

TEST(deadline_heap, has_the_same_first_as_a_look_at_all) {
  std::mt19937 dice{1};
  auto any_time = [&] { return start + std::chrono::seconds{dice() % 50}; };
  auto earlier = [](const thing& a, const thing& b) { return std::pair{a.at, a.own} < std::pair{b.at, b.own}; };
  std::list<thing> things;
  deadline_heap<thing> all;
  for (std::uint64_t step = 1; step <= 20'000; ++step) {
    auto grows = step % 1000 < 500;
    auto one = things.empty() ? things.end() : std::next(things.begin(), static_cast<long>(dice() % things.size()));
    if (one == things.end() || dice() % 4 < (grows ? 2 : 1)) {
      all.add(things.emplace_back(thing{step, any_time()}));
    } else if (dice() % 3 == 0) {
      one->at = std::max(one->at, any_time());
    } else {
      all.remove(*one);
      things.erase(one);
    }
    auto first = things.empty() ? nullptr : &*std::min_element(things.begin(), things.end(), earlier);
    ASSERT_EQ(all.first(), first) << step;
  }
}

} // namespace troupe::tests::deadline_heap_test
