#include "protocol/catalog/catalog_members.hpp"
#include "tests/support/catalog_driver.hpp"

namespace troupe::tests::catalog_members_test {

using ids = std::vector<std::uint64_t>;

namespace {

catalog_server plain(std::uint64_t id, std::string name) { return {.id = id, .name = std::move(name)}; }

} // namespace

TEST(catalog_members, are_found_by_id_and_by_name) {
  catalog_members members{{fresh(3, "a"), fresh(1, "b")}};
  EXPECT_EQ(members.ids(), (ids{3, 1}));
  EXPECT_EQ(members.find(1)->server.name, "b");
  EXPECT_EQ(members.find_named("a")->id(), 3U);
  EXPECT_EQ(members.find(2), nullptr);
  EXPECT_EQ(members.find_named("c"), nullptr);
}

TEST(catalog_members, have_one_without_a_prefix_or_several) {
  EXPECT_EQ((catalog_members{{fresh(1, "a")}}.sole_unprefixed()), nullptr);
  EXPECT_EQ((catalog_members{{fresh(1, "a"), plain(2, "b")}}.sole_unprefixed()->id()), 2U);
  EXPECT_EQ((catalog_members{{plain(1, "a"), plain(2, "b")}}.sole_unprefixed()), nullptr);
}

TEST(catalog_members, that_stay_go_on_in_the_order_that_is_configured_now) {
  catalog_members members{{fresh(1, "a"), fresh(2, "b"), fresh(3, "c")}};
  members.find(3)->is = catalog_member::phase::ready;
  auto gone = members.replace({fresh(3, "c"), fresh(4, "d"), fresh(1, "a")});
  EXPECT_EQ(members.ids(), (ids{3, 4, 1}));
  EXPECT_TRUE(members.find(3)->ready());
  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(gone.front().id(), 2U);
}

TEST(catalog_members, that_were_removed_are_found_until_they_are_forgotten) {
  catalog_members members{{fresh(1, "a")}};
  members.keep(std::move(members.replace({}).front()));
  EXPECT_EQ(members.removed(), (ids{1}));
  EXPECT_EQ(members.find(1), nullptr);
  EXPECT_EQ(members.find_even_removed(1)->server.name, "a");
  members.forget(1);
  EXPECT_EQ(members.find_even_removed(1), nullptr);
}

TEST(catalog_members, know_what_waits_for_them) {
  catalog_members members{{fresh(1, "a"), fresh(2, "b")}};
  members.find(1)->waiting.push_back(gateway_message(request("7", "ping")));
  members.find(2)->waiting.push_back(gateway_message(request("8", "ping")));
  EXPECT_EQ(members.waiting_bytes(), 2 * request("7", "ping").size());
  EXPECT_FALSE(members.find(1)->drop_waiting(8));
  EXPECT_TRUE(members.find(1)->drop_waiting(7));
  EXPECT_EQ(members.waiting_bytes(), request("7", "ping").size());
}

} // namespace troupe::tests::catalog_members_test
