// The servers behind a path, and whether its sessions can be restored.

#include "protocol/session/session_admission.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::server_paths_test {

using namespace protocol;

namespace {

server_paths with(std::vector<server_paths::server> all, bool merges_one = false) {
  server_paths it{merges_one};
  it.serve(std::move(all));
  return it;
}

} // namespace

TEST(server_paths, lead_to_servers_by_name) {
  auto it = with({{"a"}, {"b"}});
  EXPECT_EQ(it.find_one("a"), 0u);
  EXPECT_EQ(it.find_one("b"), 1u);
  EXPECT_EQ(it.find_one("c"), std::nullopt);
  EXPECT_FALSE(it.is_unknown("b"));
  EXPECT_TRUE(it.is_unknown("c"));
}

TEST(server_paths, merge_all_under_the_empty_one) {
  auto it = with({{"a"}, {"b"}});
  EXPECT_EQ(it.find_one(""), std::nullopt);
  EXPECT_FALSE(it.is_unknown(""));
}

TEST(server_paths, merge_a_single_server_only_when_told_to) {
  EXPECT_EQ(with({{"a"}}).find_one(""), 0u);
  EXPECT_EQ(with({{"a"}}, true).find_one(""), std::nullopt);
  EXPECT_EQ(with({{"a"}}, true).find_one("a"), 0u);
}

TEST(server_paths, merge_no_single_server_for_a_lease_that_has_its_own_names) {
  server_paths::server plain{.name = "a", .is_plain_alone = true};
  EXPECT_EQ(with({plain}, true).find_one("", true), 0u);
  EXPECT_EQ(with({plain}, true).find_one(""), std::nullopt);
  EXPECT_EQ(with({{"a"}}, true).find_one("", true), std::nullopt);
  EXPECT_EQ(with({plain, {"b"}}, true).find_one("", true), std::nullopt);
}

TEST(server_paths, have_an_empty_one_without_servers) {
  auto it = with({});
  EXPECT_EQ(it.find_one(""), std::nullopt);
  EXPECT_FALSE(it.is_unknown(""));
  EXPECT_TRUE(it.is_unknown("a"));
  EXPECT_FALSE(it.restore(""));
}

TEST(server_paths, change_with_the_servers) {
  auto it = with({{"a"}, {"b"}});
  it.serve({{"b"}});
  EXPECT_EQ(it.find_one("b"), 0u);
  EXPECT_TRUE(it.is_unknown("a"));
  EXPECT_EQ(it.find_one(""), 0u);
}

TEST(server_paths, restore_sessions_whose_servers_are_all_restored) {
  auto some = with({{"a", true}, {"b", false}});
  EXPECT_TRUE(some.restore("a"));
  EXPECT_FALSE(some.restore("b"));
  EXPECT_FALSE(some.restore("")) << "it would be left in pieces";
  auto all = with({{"a", true}, {"b", true}});
  EXPECT_TRUE(all.restore(""));
  EXPECT_TRUE(with({{"a", true}}).restore(""));
  EXPECT_FALSE(with({{"a", false}}).restore(""));
}

} // namespace troupe::tests::server_paths_test
