#include "protocol/message/lists.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::list_kind_test {

using namespace protocol;

TEST(list_kind, is_read_from_the_method_that_asks_for_it) {
  for (auto kind : {list_kind::tools, list_kind::prompts, list_kind::resources, list_kind::templates})
    EXPECT_EQ(list_asked_by(list_method(kind)), kind);
  EXPECT_EQ(list_asked_by("resources/templates/list"), list_kind::templates);
  for (auto other : {"tools/call", "tools/lis", "", "roots/list"})
    EXPECT_EQ(list_asked_by(other), std::nullopt);
}

TEST(list_kind, has_its_items_under_a_name_of_its_own) {
  EXPECT_EQ(items_member(list_kind::templates), "resourceTemplates");
  EXPECT_EQ(key_member(list_kind::templates), "uriTemplate");
  EXPECT_EQ(key_member(list_kind::resources), "uri");
  EXPECT_EQ(key_member(list_kind::prompts), "name");
}

TEST(list_group, is_announced_for_resources_and_templates_together) {
  EXPECT_EQ(group_of(list_kind::templates), list_group::resources);
  EXPECT_EQ(group_of(list_kind::resources), list_group::resources);
  EXPECT_EQ(changed_method(group_of(list_kind::prompts)), "notifications/prompts/list_changed");
  EXPECT_EQ(group_changed_by("notifications/resources/list_changed"), list_group::resources);
  EXPECT_EQ(group_changed_by("notifications/roots/list_changed"), std::nullopt);
}

} // namespace troupe::tests::list_kind_test
