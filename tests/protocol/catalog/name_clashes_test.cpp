#include "protocol/catalog/list_problems.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::name_clashes_test {

using namespace protocol;

namespace {

name_hidden tool(std::string name, std::uint64_t shown = 1, std::uint64_t hidden = 2) {
  return {list_kind::tools, std::move(name), shown, hidden};
}

} // namespace

TEST(name_clashes, are_new_once) {
  name_clashes clashes;
  EXPECT_TRUE(clashes.add(tool("x")));
  EXPECT_FALSE(clashes.add(tool("x")));
  EXPECT_TRUE(clashes.add(tool("y")));
  EXPECT_TRUE(clashes.add(tool("x", 1, 3)));
  EXPECT_TRUE(clashes.add({list_kind::prompts, "x", 1, 2}));
  EXPECT_EQ(clashes.all().size(), 4U);
}

TEST(name_clashes, are_bounded) {
  name_clashes clashes;
  for (std::size_t i = 1; i < most_name_clashes; ++i)
    EXPECT_TRUE(clashes.add(tool(std::to_string(i))));
  EXPECT_TRUE(clashes.add(tool("last")));
  EXPECT_FALSE(clashes.add(tool("one more")));
}

TEST(name_clashes, are_forgotten_with_either_server) {
  name_clashes clashes;
  clashes.add(tool("x", 1, 2));
  clashes.add(tool("y", 2, 3));
  clashes.add(tool("z", 1, 3));
  clashes.keep_only({1, 3, 4});
  ASSERT_EQ(clashes.all().size(), 1U);
  EXPECT_EQ(clashes.all().begin()->name, "z");
  EXPECT_TRUE(clashes.add(tool("x", 1, 2)));
}

TEST(name_clashes, are_told_with_what_helps) {
  EXPECT_EQ(clash_text(tool("x\n"), "a", "b"),
            "the tool `x` of `b` is left out of merged lists, because `a` has one of "
            "that name: give one of the two servers another `prefix`");
  EXPECT_EQ(clash_text({list_kind::prompts, "x", 1, 2}, "a", "b").substr(0, 14), "the prompt `x`");
}

} // namespace troupe::tests::name_clashes_test
