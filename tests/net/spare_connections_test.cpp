#include "net/spare_connections.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace troupe::tests::spare_connections_test {

using net::spare_connections;

namespace {

/// The spare connections of a thread, and a record of those that were closed.
struct thread_of_test {
  spare_connections::number adds(const std::string& name) {
    return it.add([this, name] { closed.push_back(name); });
  }

  std::vector<std::string> closed;
  spare_connections it{3};
};

using names = std::vector<std::string>;

} // namespace

TEST(spare_connections, close_the_oldest_beyond_their_limit) {
  thread_of_test one;
  for (auto name : {"a", "b", "c"})
    one.adds(name);
  EXPECT_EQ(one.closed, names{});
  one.adds("d");
  EXPECT_EQ(one.closed, names{"a"});
  one.adds("e");
  EXPECT_EQ(one.closed, (names{"a", "b"}));
}

TEST(spare_connections, do_not_count_once_they_are_needed_again) {
  thread_of_test one;
  auto first = one.adds("a");
  one.adds("b");
  one.adds("c");
  one.it.remove(first);
  one.it.remove(first);
  one.it.remove(0);
  one.adds("d");
  EXPECT_EQ(one.closed, names{});
  one.adds("e");
  EXPECT_EQ(one.closed, names{"b"});
}

TEST(spare_connections, have_one_limit_for_all_threads_of_which_each_may_have_one) {
  thread_of_test one;
  std::optional<thread_of_test> other{std::in_place};
  for (auto name : {"a", "b", "c"})
    one.adds(name);
  other->adds("x");
  EXPECT_EQ(other->closed, names{});
  other->adds("y");
  EXPECT_EQ(other->closed, names{"x"});
  EXPECT_EQ(one.closed, names{});
  one.adds("d");
  EXPECT_EQ(one.closed, (names{"a", "b"}));
  other.reset();
  one.adds("e");
  EXPECT_EQ(one.closed, (names{"a", "b"})) << "those of a thread that is over count no more";
}

TEST(spare_connections, are_closed_oldest_first_for_who_needs_a_descriptor) {
  thread_of_test one;
  EXPECT_FALSE(one.it.close_oldest());
  one.adds("a");
  one.adds("b");
  EXPECT_TRUE(one.it.close_oldest());
  EXPECT_EQ(one.closed, names{"a"});
  EXPECT_TRUE(one.it.close_oldest());
  EXPECT_FALSE(one.it.close_oldest());
}

} // namespace troupe::tests::spare_connections_test
