#include "protocol/catalog/list_announcements.hpp"
#include "tests/support/catalog_driver.hpp"

namespace troupe::tests::list_announcements_test {

namespace {

/// A driver for the missing parts of a client's lists, after the client was told all capabilities.
struct announcements_driver {
  announcements_driver() {
    told([&](auto& out) { greeting.begin(gateway_message(hello("0")), time_point{1h}, out); });
  }

  template <class Fact>
  catalog_effects told(Fact fact) {
    catalog_effects out;
    fact(out);
    return out;
  }
  catalog_effects returns() {
    return told([&](auto& out) { it.returned(1, out); });
  }
  catalog_effects comes_late(list_kind kind) {
    return told([&](auto& out) { it.came_late(1, kind, out); });
  }
  catalog_effects announces() {
    return told(
        [&](auto& out) { it.announced(*members.find(1), list_group::tools, gateway_message(changed("tools")), out); });
  }

  catalog_members members{{configured(1, "a")}};
  member_request_table requests;
  request_sender sender{members, requests, 1000};
  catalog_initialization greeting{sender, 2s, 29s, "1.0"};
  list_announcements it{greeting, sender};
};

} // namespace

TEST(list_announcements, say_once_that_what_was_left_out_can_be_had) {
  announcements_driver t;
  EXPECT_EQ(t.returns(), catalog_effects{});
  t.it.left_out(1, list_kind::templates);
  EXPECT_EQ(t.returns(), (catalog_effects{client(changed("resources"))}));
  EXPECT_EQ(t.returns(), catalog_effects{});
}

TEST(list_announcements, say_that_a_lost_server_may_have_other_lists) {
  announcements_driver t;
  t.it.lost(1);
  EXPECT_EQ(t.returns(),
            (catalog_effects{client(changed("tools")), client(changed("prompts")), client(changed("resources"))}));
}

TEST(list_announcements, say_nothing_of_a_late_part_that_the_client_has_by_now) {
  announcements_driver t;
  for (auto kind : {list_kind::tools, list_kind::prompts})
    t.it.left_out(1, kind);
  EXPECT_EQ(t.told([&](auto& out) { t.it.included(1, list_kind::prompts, out); }), catalog_effects{});
  EXPECT_EQ(t.comes_late(list_kind::tools), (catalog_effects{client(changed("tools"))}));
  EXPECT_EQ(t.comes_late(list_kind::tools), catalog_effects{});
  EXPECT_EQ(t.comes_late(list_kind::prompts), catalog_effects{});
}

TEST(list_announcements, report_each_failure_and_once_that_the_part_is_back) {
  announcements_driver t;
  const member_list which{1, list_kind::tools};
  auto fails = [&](const char* why) { return t.told([&](auto& out) { t.it.failed(which, 0, why, out); }); };
  auto includes = [&] { return t.told([&](auto& out) { t.it.included(1, list_kind::tools, out); }); };
  EXPECT_EQ(fails("no"), (catalog_effects{list_part_failed{which, "no"}}));
  EXPECT_EQ(fails("no"), (catalog_effects{list_part_failed{which, "no"}}));
  EXPECT_EQ(fails("other"), (catalog_effects{list_part_failed{which, "other"}}));
  EXPECT_EQ(t.returns(), catalog_effects{}) << "nothing was left out";
  EXPECT_EQ(includes(), (catalog_effects{list_part_recovered{which}}));
  EXPECT_EQ(includes(), catalog_effects{});
  EXPECT_EQ(fails("no"), (catalog_effects{list_part_failed{which, "no"}}));
}

TEST(list_announcements, report_once_that_a_server_is_down_and_that_it_is_back) {
  announcements_driver t;
  const missing_part all{1, std::nullopt};
  auto misses = [&] {
    return t.told([&](auto& out) {
      t.it.left_out(1, list_kind::tools);
      t.it.server_missing(1, out);
    });
  };
  t.it.down(1, "exit 1");
  EXPECT_EQ(misses(), (catalog_effects{list_part_failed{all, "exit 1"}}));
  t.it.down(1, "exit 2");
  EXPECT_EQ(misses(), catalog_effects{});
  EXPECT_EQ(t.returns(), (catalog_effects{list_part_recovered{all}, client(changed("tools"))}));
  EXPECT_EQ(t.returns(), catalog_effects{});
  t.it.down(1, "exit 3");
  EXPECT_EQ(misses(), (catalog_effects{list_part_failed{all, "exit 3"}}));
}

TEST(list_announcements, report_that_a_late_part_is_back_before_they_announce_it) {
  announcements_driver t;
  const member_list which{1, list_kind::tools};
  t.it.left_out(1, list_kind::tools);
  t.told([&](auto& out) { t.it.failed(which, 0, "no", out); });
  auto answers = [&] { return t.told([&](auto& out) { t.it.answered_late(1, list_kind::tools, out); }); };
  EXPECT_EQ(answers(), (catalog_effects{list_part_recovered{which}}));
  EXPECT_EQ(answers(), catalog_effects{});
  EXPECT_EQ(t.comes_late(list_kind::tools), (catalog_effects{client(changed("tools"))}));
}

TEST(list_announcements, know_the_last_request_for_each_late_part) {
  announcements_driver t;
  EXPECT_EQ(t.it.expect_late(1, list_kind::tools, 7), 0U);
  EXPECT_EQ(t.it.expect_late(1, list_kind::prompts, 8), 0U);
  EXPECT_EQ(t.it.expect_late(1, list_kind::tools, 9), 7U);
}

TEST(list_announcements, of_a_server_reach_the_client_unless_it_has_to_be_initialised_first) {
  announcements_driver t;
  EXPECT_EQ(t.announces(), (catalog_effects{client(changed("tools"))}));
  t.it.lost(1);
  EXPECT_EQ(t.announces(), (catalog_effects{greets(1, "1")}));
}

} // namespace troupe::tests::list_announcements_test
