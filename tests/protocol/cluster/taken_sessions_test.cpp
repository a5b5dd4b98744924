// Sessions that a node has taken from others, for their return.

#include "protocol/cluster/taken_sessions.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::taken_sessions_test {

using namespace protocol;

namespace {

using sessions = std::vector<std::string>;

const node_life one{1, 1};
const node_life other{2, 1};

} // namespace

TEST(taken_sessions, are_extracted_once_by_their_earlier_owner) {
  taken_sessions all;
  all.add(one, "a");
  all.add(other, "b");
  all.add(one, "c");
  EXPECT_EQ(all.extract(one), (sessions{"a", "c"}));
  EXPECT_EQ(all.extract(one), sessions{});
  EXPECT_EQ(all.extract({2, 2}), sessions{}) << "a later life of the node never had it";
  EXPECT_EQ(all.extract(other), sessions{"b"});
}

TEST(taken_sessions, are_remembered_up_to_a_limit_the_oldest_dropped_first) {
  for (auto extra : {0, 1, 2}) {
    taken_sessions all;
    all.add(one, "first");
    all.add(other, "second");
    for (std::size_t i = 3; i < taken_sessions::most + static_cast<std::size_t>(extra); ++i)
      all.add({3, 1}, std::to_string(i));
    all.add({4, 1}, "last");
    EXPECT_EQ(all.extract(one), extra < 1 ? sessions{"first"} : sessions{});
    EXPECT_EQ(all.extract(other), extra < 2 ? sessions{"second"} : sessions{});
    EXPECT_EQ(all.extract({4, 1}), sessions{"last"});
  }
}

TEST(taken_sessions, of_an_owner_that_has_returned_do_not_count) {
  taken_sessions all;
  all.add(one, "a");
  for (std::size_t i = 1; i < taken_sessions::most; ++i)
    all.add(other, "b");
  EXPECT_EQ(all.extract(other).size(), taken_sessions::most - 1);
  for (std::size_t i = 1; i < taken_sessions::most; ++i)
    all.add(other, "b");
  EXPECT_EQ(all.extract(one), sessions{"a"});
}

} // namespace troupe::tests::taken_sessions_test
