// The versions of the node protocol that two nodes have in common.

#include "protocol/cluster/node_identity.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::spoken_versions_test {

using namespace protocol;

namespace {

using version = std::optional<std::uint32_t>;

} // namespace

TEST(spoken_versions, are_read_as_they_were_written) {
  EXPECT_EQ(versions_text({8, 8}), "8");
  EXPECT_EQ(versions_text({8, 9}), "8-9");
  for (auto one : {spoken_versions{1, 1}, {8, 8}, {8, 9}, {9, 10}, {1, 4294967295}, {4294967295, 4294967295}})
    EXPECT_EQ(read_versions(versions_text(one)), one);
}

TEST(spoken_versions, are_nothing_when_the_text_is_no_version_and_no_range) {
  for (auto text : {"",
                    "-",
                    "8-",
                    "-8",
                    "9-8",
                    "8-8",
                    "8-9-10",
                    "8--9",
                    "0",
                    "0-8",
                    "08",
                    "8-09",
                    "+8",
                    "8.0",
                    "8,9",
                    "v8",
                    "8a",
                    " 8",
                    "8 ",
                    "4294967296",
                    "8-4294967296",
                    "99999999999999999999",
                    "8-9999999999999999999999",
                    "0x8",
                    "\xff"})
    EXPECT_EQ(read_versions(text), std::nullopt) << text;
}

TEST(spoken_versions, have_in_common_the_newest_that_both_know) {
  EXPECT_EQ(common_version({8, 8}, {8, 8}), version{8});
  EXPECT_EQ(common_version({8, 9}, {8, 8}), version{8});
  EXPECT_EQ(common_version({8, 9}, {8, 9}), version{9});
  EXPECT_EQ(common_version({8, 9}, {9, 10}), version{9});
  EXPECT_EQ(common_version({1, 20}, {5, 7}), version{7});
  EXPECT_EQ(common_version({8, 8}, {9, 9}), std::nullopt);
  EXPECT_EQ(common_version({8, 9}, {10, 11}), std::nullopt);
}

TEST(spoken_versions, have_the_same_in_common_whoever_asks) {
  for (std::uint32_t seed = 0; seed < 625; ++seed) {
    spoken_versions one{1 + seed % 5, 1 + seed % 5 + seed / 5 % 5};
    spoken_versions other{1 + seed / 25 % 5, 1 + seed / 25 % 5 + seed / 125 % 5};
    auto common = common_version(one, other);
    EXPECT_EQ(common, common_version(other, one));
    for (std::uint32_t version = 1; version < 12; ++version) {
      auto both = one.oldest <= version && version <= one.newest && other.oldest <= version && version <= other.newest;
      EXPECT_TRUE(!both || common >= version) << versions_text(one) << ' ' << versions_text(other);
    }
  }
}

// Versions may be added. `spoken_versions` documents the requirements.
TEST(spoken_versions, of_this_program_are_those_of_the_first_release) {
  EXPECT_EQ(versions_text(versions_spoken_here()), "8");
}

} // namespace troupe::tests::spoken_versions_test
