#include "protocol/catalog/catalog_names.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::name_table_test {

using namespace protocol;

namespace {

struct names : name_table {
  names() { set_servers({2, 1}); }
  std::string whose(std::string_view name) const {
    auto known = find(name);
    return known ? std::to_string(known->server) + " " + known->original : "nobody's";
  }
};

} // namespace

TEST(name_table, knows_whose_a_name_is) {
  names t;
  t.begin(1);
  EXPECT_TRUE(t.learn(1, "a__x", "x", true));
  EXPECT_EQ(t.whose("a__x"), "1 x");
  EXPECT_EQ(t.whose("x"), "nobody's");
}

TEST(name_table, gives_a_name_to_the_first_server_in_configured_order) {
  names t;
  t.begin(2), t.begin(1);
  EXPECT_TRUE(t.learn(2, "x", "x", true));
  EXPECT_FALSE(t.learn(1, "x", "x", true));
  EXPECT_EQ(t.whose("x"), "2 x");
  names other;
  other.begin(2), other.begin(1);
  EXPECT_TRUE(other.learn(1, "x", "x", true));
  EXPECT_TRUE(other.learn(2, "x", "x", true));
  EXPECT_EQ(other.whose("x"), "2 x");
}

TEST(name_table, shows_a_client_that_pages_no_name_twice) {
  names t;
  t.begin(2), t.begin(1);
  EXPECT_TRUE(t.learn(1, "x", "x", true));
  EXPECT_FALSE(t.learn(2, "x", "x", false));
  EXPECT_EQ(t.whose("x"), "1 x");
}

TEST(name_table, forgets_what_a_later_list_has_no_more) {
  names t;
  t.begin(1);
  t.learn(1, "x", "x", true), t.learn(1, "y", "y", true);
  t.begin(1);
  t.learn(1, "y", "y", true);
  EXPECT_EQ(t.whose("x"), "1 x");
  t.complete(1);
  EXPECT_EQ(t.whose("x"), "nobody's");
  EXPECT_EQ(t.whose("y"), "1 y");
}

TEST(name_table, gives_a_name_away_that_its_server_had_before) {
  names t;
  t.begin(2);
  t.learn(2, "x", "x", true);
  t.begin(2), t.begin(1);
  EXPECT_TRUE(t.learn(1, "x", "x", true));
  EXPECT_EQ(t.whose("x"), "1 x");
}

TEST(name_table, forgets_servers_that_are_gone) {
  names t;
  t.begin(1), t.begin(2);
  t.learn(1, "x", "x", true), t.learn(2, "y", "y", true);
  t.set_servers({2});
  EXPECT_EQ(t.whose("x"), "nobody's");
  EXPECT_EQ(t.whose("y"), "2 y");
}

TEST(name_table, is_bounded_for_each_server) {
  names t;
  t.begin(1), t.begin(2);
  for (std::size_t i = 0; i < names_per_server - 1; ++i)
    t.learn(1, "n" + std::to_string(i), "n", true);
  EXPECT_TRUE(t.learn(1, "last", "last", true));
  EXPECT_EQ(t.whose("last"), "1 last");
  EXPECT_TRUE(t.learn(1, "more", "more", true));
  EXPECT_EQ(t.whose("more"), "nobody's");
  EXPECT_TRUE(t.learn(2, "more", "more", true));
  EXPECT_EQ(t.whose("more"), "2 more");
  t.begin(1), t.complete(1);
  EXPECT_EQ(t.whose("last"), "nobody's");
  t.learn(1, "again", "again", true);
  EXPECT_EQ(t.whose("again"), "1 again");
}

} // namespace troupe::tests::name_table_test
