#include "protocol/catalog/catalog_names.hpp"
#include "protocol/catalog/member_uris.hpp"
#include "protocol/catalog/merged_names.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace troupe::tests::meant_items_test {

using namespace protocol;

namespace {

using items = std::vector<meant_item>;
using servers = std::vector<prefixed_server>;

const servers three{{"a", "a"}, {"b", "a__b"}, {"plain", ""}};

/// True if the item that the catalog finds is among those whose rules are applied.
bool is_among(const std::optional<owned_name>& found, const items& meant, const servers& all) {
  return !found || std::ranges::any_of(meant, [&](auto& one) {
    return all[one.server].name == found->owner->server.name && one.original == found->original;
  });
}

} // namespace

TEST(meant_items, of_a_name_are_those_of_each_server_with_its_prefix) {
  EXPECT_EQ(items_of_name("a__x", three), (items{{0, "x"}, {2, "a__x"}}));
  EXPECT_EQ(items_of_name("a__b__x", three), (items{{0, "b__x"}, {1, "x"}, {2, "a__b__x"}}));
  EXPECT_EQ(items_of_name("a_x", three), (items{{2, "a_x"}}));
  EXPECT_EQ(items_of_name("a__", three), (items{{0, ""}, {2, "a__"}}));
  EXPECT_EQ(items_of_name("c__x", {{"a", "a"}}), items{});
}

TEST(meant_items, of_a_name_have_the_name_that_was_merged) {
  for (auto* prefix : {"", "a", "my_server"})
    EXPECT_EQ(read_merged_name(merged_name("s", prefix, "x__y"), prefix), "x__y") << prefix;
  EXPECT_EQ(read_merged_name("ax__y", "a"), std::nullopt);
  EXPECT_EQ(read_merged_name("a_", "a"), std::nullopt);
}

TEST(meant_items, of_a_marked_uri_are_those_of_the_server_in_it) {
  EXPECT_EQ(items_of_uri("troupe://b/file:///x", three), (items{{1, "file:///x"}}));
  EXPECT_EQ(items_of_uri("ui://a/view/x", three), (items{{0, "ui://view/x"}}));
}

TEST(meant_items, of_another_uri_are_those_of_servers_without_a_prefix) {
  EXPECT_EQ(items_of_uri("file:///x", three), (items{{2, "file:///x"}}));
  EXPECT_EQ(items_of_uri("troupe://c/x", three), (items{{2, "troupe://c/x"}}));
  EXPECT_EQ(items_of_uri("file:///x", {{"a", ""}, {"b", ""}}), (items{{0, "file:///x"}, {1, "file:///x"}}));
}

TEST(meant_items, of_a_ui_are_those_of_an_unmarked_server_only_if_it_is_alone) {
  EXPECT_EQ(items_of_uri("ui://c/x", three), items{});
  EXPECT_EQ(items_of_uri("ui://a/x", {{"a", ""}}), (items{{0, "ui://a/x"}}));
}

TEST(meant_items, include_the_one_that_the_catalog_finds) {
  for (auto& all : {three, servers{{"a", ""}}, servers{{"a", "a"}}, servers{{"a", ""}, {"b", ""}}}) {
    std::vector<catalog_server> configured;
    for (auto& one : all)
      configured.push_back({.id = configured.size() + 1, .name = one.name, .prefix = one.prefix});
    catalog_members members{std::move(configured)};
    for (auto* uri : {"file:///x", "troupe://a/file:///x", "troupe://c/x", "troupe://a", "ui://a/x", "ui://c/x", "ui:"})
      EXPECT_TRUE(is_among(owner_of_uri(members, uri), items_of_uri(uri, all), all)) << uri;
    for (auto* name : {"x", "a__x", "a__b__x", "a__", "a__b__", "", "__x"})
      EXPECT_TRUE(is_among(catalog_names{members}.by_prefix(name), items_of_name(name, all), all)) << name;
  }
}

} // namespace troupe::tests::meant_items_test
