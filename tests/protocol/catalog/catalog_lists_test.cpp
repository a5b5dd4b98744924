// Merged lists of several servers: their order, pages, missing servers, and later notifications.

#include "protocol/catalog/list_page.hpp"
#include "protocol/catalog/merged_names.hpp"
#include "tests/support/catalog_driver.hpp"

namespace troupe::tests::catalog_lists_test {

namespace {

std::string tools(std::string items, std::string more = "") { return R"({"tools":[)" + items + "]" + more + "}"; }

std::string next(std::string cursor) { return R"(,"nextCursor":")" + cursor + '"'; }

std::string cursor(std::vector<server_cursor> parts) { return merged_cursor({std::move(parts)}); }

std::string with_cursor(std::string cursor) { return R"({"cursor":")" + cursor + R"("})"; }

std::string refused(std::string id, std::string why = "no") { return error_text(id, -32603, why); }

/// The effects that clients and servers can see.
catalog_effects without_reports(catalog_effects all) {
  std::erase_if(all, [](auto& one) { return std::holds_alternative<list_part_failed>(one); });
  return all;
}

list_part_failed is_late(std::uint64_t server, list_kind kind = list_kind::tools) {
  return {{server, kind}, "it takes longer than 5000 ms to answer"};
}

/// Ready servers a and b. Our next id is 3.
struct two : catalog_driver {
  two() : catalog_driver{{fresh(1, "a"), fresh(2, "b")}} { opened(); }
  /// The client lists tools under an id. The requests to servers have our next two ids.
  void lists(std::string id) { says(request(id, "tools/list")); }
};

} // namespace

TEST(catalog_lists, are_asked_of_all_and_merged_in_configured_order) {
  two t;
  EXPECT_EQ(t.says(request("9", "tools/list", R"({"_meta":{"k":[ 1 ]}})")),
            (catalog_effects{to(1, request("3", "tools/list", R"({"_meta":{"k":[ 1 ]}})")),
                             to(2, request("4", "tools/list", R"({"_meta":{"k":[ 1 ]}})"))}));
  EXPECT_EQ(t.server(2, result("4", tools(R"({ "title" : "T","name":"x", "n":1.0e2 })"))), catalog_effects{});
  EXPECT_EQ(t.server(1, result("3", tools(named("x") + " , " + named("y")))),
            (catalog_effects{client(result(
                "9", tools(named("a__x") + "," + named("a__y") + R"(,{ "title" : "T","name":"b__x", "n":1.0e2 })")))}));
}

TEST(catalog_lists, are_of_four_kinds) {
  struct {
    std::string method, items, theirs, ours;
  } kinds[]{{"prompts/list", "prompts", named("x"), named("a__x")},
            {"resources/list", "resources", at_uri("file:///x"), at_uri("troupe://a/file:///x")},
            {"resources/templates/list", "resourceTemplates", R"({"uriTemplate":"x://{y}"})",
             R"({"uriTemplate":"troupe://a/x://{y}"})"}};
  for (auto& [method, items, theirs, ours] : kinds) {
    catalog_driver t{{fresh(1, "a")}};
    t.opened();
    EXPECT_EQ(t.says(request("9", method)), (catalog_effects{to(1, request("2", method))}));
    EXPECT_EQ(t.server(1, result("2", "{\"" + items + "\":[" + theirs + "]}")),
              (catalog_effects{client(result("9", "{\"" + items + "\":[" + ours + "]}"))}));
  }
}

TEST(catalog_lists, are_asked_only_of_servers_that_may_have_them) {
  catalog_driver t{{configured(1, "a", can(R"({"prompts":{}})")), configured(2, "b", can(R"({"tools":{}})"))}};
  t.opened();
  EXPECT_EQ(t.says(request("9", "tools/list")), (catalog_effects{greets(2, "2")}));
  EXPECT_EQ(t.says(request("10", "resources/list")), (catalog_effects{client(result("10", R"({"resources":[]})"))}));
}

TEST(catalog_lists, are_empty_when_no_server_has_an_answer) {
  two t;
  t.lists("9");
  EXPECT_EQ(t.server(1, refused("3")), catalog_effects{});
  EXPECT_EQ(without_reports(t.server(2, error_text("4", -32601, "no"))),
            (catalog_effects{client(result("9", tools("")))}));
  EXPECT_EQ(catalog_driver{{}}.opened().says(request("9", "tools/list")),
            (catalog_effects{client(result("9", tools("")))}));
}

TEST(catalog_lists, take_a_malformed_answer_for_an_empty_one) {
  for (auto bad : {"{}", "null", "[]", R"({"tools":1})", R"({"tools":[1,null,{},{"name":1}]})"}) {
    two t;
    t.lists("9");
    t.server(1, result("3", bad));
    EXPECT_EQ(without_reports(t.server(2, result("4", tools(named("x"))))),
              (catalog_effects{client(result("9", tools(named("b__x"))))}))
        << bad;
  }
}

TEST(catalog_lists, leave_out_a_name_that_is_too_long_to_be_remembered) {
  for (auto size : {1023U, 1024U, 1025U}) {
    catalog_driver t{{fresh(1, "a")}};
    t.opened().says(request("9", "tools/list"));
    std::string long_name(size, 'x');
    auto expected = size <= 1024 ? named(merged_name("a", "a", long_name)) : "";
    EXPECT_EQ(t.server(1, result("2", tools(named(long_name)))),
              (catalog_effects{client(result("9", tools(expected)))}));
  }
}

// -- pages -------------------------------------------------------------------------

TEST(catalog_lists, go_on_with_the_servers_that_have_more) {
  two t;
  t.lists("9");
  t.server(1, result("3", tools(named("x"), next("one"))));
  auto both = cursor({{1, R"("one")"}, {2, R"("\u00e9")"}});
  EXPECT_EQ(t.server(2, result("4", tools(named("x"), next("\\u00e9")))),
            (catalog_effects{client(result("9", tools(named("a__x") + "," + named("b__x"), next(both))))}));
  EXPECT_EQ(t.says(request("10", "tools/list", R"({"_meta":{},"cursor":")" + both + "\"}")),
            (catalog_effects{to(1, request("5", "tools/list", R"({"_meta":{},"cursor":"one"})")),
                             to(2, request("6", "tools/list", R"({"_meta":{},"cursor":"\u00e9"})"))}));
  t.server(1, result("5", tools(named("y"))));
  auto one = cursor({server_cursor{2, R"("\u00e9")"}.followed_by(R"("more")")});
  EXPECT_EQ(t.server(2, result("6", tools(named("y"), next("more")))),
            (catalog_effects{client(result("10", tools(named("a__y") + "," + named("b__y"), next(one))))}));
  EXPECT_EQ(t.says(request("11", "tools/list", with_cursor(one))),
            (catalog_effects{to(2, request("7", "tools/list", with_cursor("more")))}));
  EXPECT_EQ(t.server(2, result("7", tools(named("z"), R"(,"nextCursor":null)"))),
            (catalog_effects{client(result("11", tools(named("b__z"))))}));
}

TEST(catalog_lists, refuse_a_cursor_that_is_not_theirs) {
  two t;
  for (auto bad : {R"("abc")", R"("")", "1", "{}", R"("e30")"})
    EXPECT_EQ(t.says(request("9", "tools/list", R"({"cursor":)" + std::string{bad} + "}")),
              (catalog_effects{client(error_text("9", -32602, "Invalid cursor"))}))
        << bad;
}

TEST(catalog_lists, begin_where_the_cursor_is_null) {
  two t;
  EXPECT_EQ(t.says(request("9", "tools/list", R"({"cursor":null,"a":1})")),
            (catalog_effects{to(1, request("3", "tools/list", R"({"a":1})")),
                             to(2, request("4", "tools/list", R"({"a":1})"))}));
}

TEST(catalog_lists, ignore_a_cursor_of_a_server_that_is_gone) {
  two t;
  EXPECT_EQ(t.says(request("9", "tools/list", with_cursor(cursor({{7, R"("x")"}})))),
            (catalog_effects{client(result("9", tools("")))}));
  EXPECT_EQ(t.says(request("10", "tools/list", with_cursor(cursor({{7, R"("x")"}, {2, R"("y")"}})))),
            (catalog_effects{to(2, request("3", "tools/list", with_cursor("y")))}));
}

// -- lifetime and audience -------------------------------------------------------------

namespace {

std::string hints(int ttl, std::string scope) {
  return R"(,"ttlMs":)" + std::to_string(ttl) + R"(,"cacheScope":")" + scope + '"';
}

/// Two servers of a 2026-07-28 client. Our next id is 3.
struct two_of_lease : catalog_driver {
  explicit two_of_lease(cursor_seal seal = {}) : catalog_driver{{fresh(1, "a"), fresh(2, "b")}, {}, std::move(seal)} {
    auto initialize = gateway_message(hello("0"));
    initialize.claims_modern = true;
    for (auto& one : it.client_sent(initialize, now)) {
      auto& told = std::get<send_to_member>(one);
      EXPECT_TRUE(told.what.claims_modern);
      server(told.server, result(told.what.id, can_all));
    }
    says(initialized);
  }
  /// An answer of a 2026-07-28 server.
  catalog_effects modern(std::uint64_t id, std::string text) {
    auto answer = gateway_message(std::move(text));
    answer.claims_modern = true;
    return it.server_sent(id, std::move(answer), now);
  }
};

catalog_effects listed(std::string id, std::string more) {
  return {client(result(std::move(id), tools("", std::move(more))))};
}

} // namespace

TEST(catalog_lists, may_be_kept_no_longer_than_any_part_and_by_no_more) {
  two_of_lease t;
  t.says(request("9", "tools/list"));
  t.modern(1, result("3", tools("", hints(7, "public"))));
  auto told = t.modern(2, result("4", tools("", hints(5, "public"))));
  EXPECT_EQ(told, listed("9", hints(5, "public")));
  EXPECT_TRUE(std::get<send_to_client>(told.front()).what.claims_modern);
  t.says(request("10", "tools/list"));
  t.modern(1, result("5", tools("", hints(7, "public"))));
  EXPECT_EQ(t.modern(2, result("6", tools("", hints(9, "private")))), listed("10", hints(7, "private")));
}

TEST(catalog_lists, must_not_be_kept_with_parts_of_servers_that_do_not_allow_it) {
  two_of_lease t;
  t.says(request("9", "tools/list"));
  t.modern(1, result("3", tools("", hints(7, "public"))));
  EXPECT_EQ(t.server(2, result("4", tools("", hints(5, "public")))), listed("9", hints(0, "private")));
  t.says(request("10", "tools/list"));
  t.modern(1, result("5", tools("", hints(7, "public"))));
  EXPECT_EQ(without_reports(t.after(5s)), listed("10", hints(0, "private")));
  t.modern(2, refused("6"));
  t.says(request("11", "tools/list"));
  t.modern(1, result("7", tools("", hints(7, "public"))));
  EXPECT_EQ(without_reports(t.modern(2, refused("8"))), listed("11", hints(0, "private")));
}

TEST(catalog_lists, must_not_be_kept_without_a_server_that_failed) {
  two_of_lease t;
  t.lost(2);
  t.says(request("9", "tools/list"));
  t.modern(1, result("3", tools("", hints(7, "public"))));
  EXPECT_EQ(without_reports(t.server(2, refused("5"))), listed("9", hints(0, "private")));
  t.says(request("10", "tools/list"));
  EXPECT_EQ(t.modern(1, result("7", tools("", hints(7, "public")))), listed("10", hints(0, "private")));
}

TEST(catalog_lists, are_for_the_same_users_on_all_pages) {
  for (const std::string scope : {"public", "private"}) {
    two_of_lease t;
    t.says(request("9", "tools/list"));
    t.modern(1, result("3", tools("", next("more") + hints(7, "public"))));
    auto place = merged_cursor({{{1, R"("more")"}}, scope == "public"});
    EXPECT_EQ(t.modern(2, result("4", tools("", hints(5, scope)))), listed("9", next(place) + hints(5, scope)));
    t.says(request("10", "tools/list", with_cursor(place)));
    EXPECT_EQ(t.modern(1, result("5", tools("", hints(7, "public")))), listed("10", hints(7, scope)));
  }
}

TEST(catalog_lists, are_for_one_caller_when_their_cursors_are) {
  const cursor_seal seal = [](std::string_view) { return std::vector<std::string>{"ada's"}; };
  two_of_lease t{seal};
  t.says(request("9", "tools/list"));
  t.modern(1, result("3", tools("", next("more") + hints(7, "public"))));
  const auto place = merged_cursor({{{1, R"("more")"}}, false}, seal);
  EXPECT_EQ(t.modern(2, result("4", tools("", hints(7, "public")))), listed("9", next(place) + hints(7, "private")));
  t.says(request("10", "tools/list", with_cursor(place)));
  EXPECT_EQ(t.modern(1, result("5", tools("", hints(7, "public")))), listed("10", hints(7, "private")))
      << "the last page";
  t.says(request("11", "tools/list", with_cursor(merged_cursor({{{1, R"("more")"}}, true}, seal))));
  EXPECT_EQ(t.modern(1, result("6", tools("", hints(7, "public")))), listed("11", hints(7, "private"))) << "of before";
  t.says(request("12", "tools/list"));
  t.modern(1, result("7", tools("", hints(7, "public"))));
  EXPECT_EQ(t.modern(2, result("8", tools("", hints(7, "public")))), listed("12", hints(7, "public"))) << "one page";
}

TEST(catalog_lists, of_no_server_must_not_be_kept) {
  catalog_driver t{{}};
  auto initialize = gateway_message(hello("0"));
  initialize.claims_modern = true;
  t.it.client_sent(initialize, t.now);
  EXPECT_EQ(t.says(request("9", "tools/list")), listed("9", hints(0, "private")));
}

// -- omitted servers ------------------------------------------------------------------

TEST(catalog_lists, go_out_without_a_server_that_takes_too_long) {
  two t;
  t.lists("9");
  t.server(2, result("4", tools(named("x"))));
  EXPECT_EQ(t.it.deadline(), t.now + 5s);
  EXPECT_EQ(t.after(5s - 1ns), catalog_effects{});
  EXPECT_EQ(t.after(1ns), (catalog_effects{is_late(1), client(result("9", tools(named("b__x"))))}));
  EXPECT_EQ(t.it.deadline(), t.now + 60s);
  const list_part_recovered recovered{{1, list_kind::tools}};
  EXPECT_EQ(t.server(1, result("3", tools(named("x")))), (catalog_effects{recovered, client(changed("tools"))}));
  EXPECT_EQ(t.server(1, result("3", tools(named("x")))), catalog_effects{});
}

TEST(catalog_lists, leave_no_more_than_one_late_answer_behind) {
  two t;
  for (auto round = 0; round < 3; ++round) {
    auto first = 3 + 2 * round;
    t.lists(std::to_string(100 + round));
    t.server(2, result(std::to_string(first + 1), tools("")));
    auto seen = without_reports(t.after(5s));
    if (round > 0) {
      EXPECT_EQ(seen.front(), (catalog_effect{to(1, cancellation_of(std::to_string(first - 2), "superseded").text)}));
    }
    EXPECT_EQ(seen.back(), (catalog_effect{client(result(std::to_string(100 + round), tools("")))}));
  }
  EXPECT_EQ(t.server(1, result("3", tools(""))), catalog_effects{});
  EXPECT_EQ(t.server(1, result("7", tools(""))),
            (catalog_effects{list_part_recovered{{1, list_kind::tools}}, client(changed("tools"))}));
}

TEST(catalog_lists, of_resources_and_of_templates_are_late_each_for_itself) {
  catalog_driver t{{fresh(1, "a")}};
  t.opened().says(request("9", "resources/templates/list"));
  EXPECT_EQ(t.after(5s),
            (catalog_effects{is_late(1, list_kind::templates), client(result("9", R"({"resourceTemplates":[]})"))}));
  t.says(request("10", "resources/list"));
  EXPECT_EQ(t.server(1, result("3", R"({"resources":[]})")),
            (catalog_effects{client(result("10", R"({"resources":[]})"))}));
  EXPECT_EQ(t.server(1, result("2", R"({"resourceTemplates":[]})")),
            (catalog_effects{list_part_recovered{{1, list_kind::templates}}, client(changed("resources"))}));
}

TEST(catalog_lists, announce_a_server_that_is_initialised_late) {
  catalog_driver t{{configured(1, "a"), fresh(2, "b")}};
  t.opened();
  EXPECT_EQ(t.says(request("9", "tools/list")), (catalog_effects{greets(1, "3"), to(2, request("4", "tools/list"))}));
  t.server(2, result("4", tools("")));
  EXPECT_EQ(t.after(5s), (catalog_effects{client(result("9", tools("")))}));
  EXPECT_EQ(t.server(1, result("3", can_all)),
            (catalog_effects{member_known{1, can_all}, initializes(1), client(changed("tools"))}));
}

TEST(catalog_lists, announce_nothing_of_a_server_that_came_in_time) {
  catalog_driver t{{configured(1, "a")}};
  t.opened().says(request("9", "tools/list"));
  t.after(4s);
  EXPECT_EQ(t.server(1, result("2", can_all)),
            (catalog_effects{member_known{1, can_all}, initializes(1), to(1, request("1", "tools/list"))}));
}

TEST(catalog_lists, announce_nothing_of_a_group_that_the_client_was_not_told_of) {
  catalog_driver t{{fresh(1, "a")}};
  t.says(hello("0"));
  t.server(1, result("1", can(R"({"tools":{}})")));
  EXPECT_EQ(t.server(1, changed("prompts")), catalog_effects{});
  EXPECT_EQ(t.server(1, changed("tools")), (catalog_effects{client(changed("tools"))}));
}

TEST(catalog_lists, try_a_server_again_that_failed_but_do_not_wait_for_it) {
  catalog_driver t{{fresh(1, "a"), configured(2, "b")}};
  t.says(hello("0"));
  t.server(1, refused("1"));
  const missing_part all{1, std::nullopt};
  EXPECT_EQ(t.says(request("9", "tools/list")),
            (catalog_effects{list_part_failed{all, "no"}, greets(1, "2"), greets(2, "4")}));
  t.server(2, result("4", can_all));
  EXPECT_EQ(t.server(2, result("3", tools(named("x")))), (catalog_effects{client(result("9", tools(named("b__x"))))}));
  EXPECT_EQ(t.server(1, result("2", can_all)), (catalog_effects{member_known{1, can_all}, initializes(1),
                                                                list_part_recovered{all}, client(changed("tools"))}));
}

TEST(catalog_lists, pass_on_announcements_of_servers) {
  two t;
  for (auto group : {"tools", "prompts", "resources"}) {
    auto text = note("notifications/" + std::string{group} + "/list_changed", R"({"_meta":{"a":1}})");
    EXPECT_EQ(t.server(1, text), (catalog_effects{client(text)}));
  }
}

TEST(catalog_lists, take_the_announcement_of_a_server_that_failed_for_its_return) {
  catalog_driver t{{fresh(1, "a"), configured(2, "b")}};
  t.says(hello("0"));
  t.server(1, refused("1"));
  EXPECT_EQ(t.server(1, changed("tools")), (catalog_effects{greets(1, "2")}));
  EXPECT_EQ(t.server(1, changed("prompts")), catalog_effects{});
  EXPECT_EQ(t.server(1, result("2", can_all)), (catalog_effects{member_known{1, can_all}, initializes(1),
                                                                client(changed("tools")), client(changed("prompts"))}));
}

TEST(catalog_lists, are_stale_when_a_server_comes_back) {
  two t;
  EXPECT_EQ(t.lost(1), catalog_effects{});
  EXPECT_EQ(t.server(1, changed("tools")), (catalog_effects{greets(1, "3")}));
  EXPECT_EQ(t.server(1, result("3", can_all)),
            (catalog_effects{member_known{1, can_all}, initializes(1), client(changed("tools")),
                             client(changed("prompts")), client(changed("resources"))}));
}

TEST(catalog_lists, miss_a_server_that_is_lost_meanwhile) {
  two t;
  t.lists("9");
  t.server(2, result("4", tools(named("x"))));
  EXPECT_EQ(t.lost(1), (catalog_effects{list_part_failed{{1, list_kind::tools}, "it crashed"},
                                        client(result("9", tools(named("b__x"))))}));
}

TEST(catalog_lists, can_be_cancelled) {
  two t;
  t.lists("9");
  t.server(2, result("4", tools("")));
  EXPECT_EQ(t.says(cancelled("9")), (catalog_effects{to(1, cancelled("3"))}));
  EXPECT_EQ(t.server(1, result("3", tools(""))), catalog_effects{});
  EXPECT_EQ(t.after(5s), catalog_effects{});
}

TEST(catalog_lists, can_be_cancelled_while_they_wait_for_a_server) {
  catalog_driver t{{configured(1, "a")}};
  t.opened().says(request("9", "tools/list"));
  EXPECT_EQ(t.says(cancelled("9")), catalog_effects{});
  EXPECT_EQ(t.server(1, result("2", can_all)), (catalog_effects{member_known{1, can_all}, initializes(1)}));
}

} // namespace troupe::tests::catalog_lists_test
