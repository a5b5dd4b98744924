// Merged lists when a server fails to list its items: errors, and endless pages.

#include "protocol/catalog/list_page.hpp"
#include "tests/support/catalog_driver.hpp"

namespace troupe::tests::catalog_list_failures_test {

namespace {

std::string tools(std::string items, std::string more = "") { return R"({"tools":[)" + items + "]" + more + "}"; }

std::string next(std::string cursor) { return R"(,"nextCursor":")" + cursor + '"'; }

std::string cursor(std::vector<server_cursor> parts) { return merged_cursor({std::move(parts)}); }

std::string with_cursor(std::string cursor) { return R"({"cursor":")" + cursor + R"("})"; }

std::string refused(std::string id, std::string why = "no") { return error_text(id, -32603, why); }

std::string asked_again(std::string id) { return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"tools/list"})"; }

catalog_effects notified(catalog_effects all) {
  std::erase_if(all, [](auto& one) { return !std::holds_alternative<send_to_client>(one); });
  return all;
}

/// Ready servers a and b. Our next id is 3.
struct two : catalog_driver {
  two() : catalog_driver{{fresh(1, "a"), fresh(2, "b")}} { opened(); }
  /// The client lists tools under an id. The requests to servers have our next two ids.
  void lists(std::string id) { says(request(id, "tools/list")); }
};

} // namespace

// Errors like those of a rate limit, a broken database or a login page.
TEST(catalog_list_failures, report_a_part_that_failed_and_ask_for_it_again) {
  struct {
    std::string answer, why;
  } forms[]{{error_text("4", -32603, "rate limited"), "rate limited"},
            {error_text("4", -32000, ""), "it answers with an error"},
            {error_text("4", -32602, "bad cursor"), "bad cursor"},
            {result("4", "[]"), "its answer is no list"},
            {result("4", "null"), "its answer is no list"},
            {result("4", R"({"tools":{}})"), "its answer is no list"},
            {result("4", R"({"tools":null})"), "its answer is no list"}};
  for (auto& [answer, why] : forms) {
    two t;
    t.lists("9");
    t.server(1, result("3", tools(named("x"))));
    const member_list which{2, list_kind::tools};
    EXPECT_EQ(t.server(2, answer),
              (catalog_effects{list_part_failed{which, why}, client(result("9", tools(named("a__x"))))}));
    EXPECT_EQ(t.it.deadline(), t.now + 1s);
    EXPECT_EQ(t.after(1s - 1ns), catalog_effects{});
    EXPECT_EQ(t.after(1ns), (catalog_effects{to(2, asked_again("5"))}));
    EXPECT_EQ(t.server(2, error_text("5", -32603, "still")), (catalog_effects{list_part_failed{which, "still"}}));
    EXPECT_EQ(t.after(2s), (catalog_effects{to(2, asked_again("6"))}));
    EXPECT_EQ(t.server(2, result("6", tools(named("y")))),
              (catalog_effects{list_part_recovered{which}, client(changed("tools"))}));
    EXPECT_EQ(t.it.deadline(), time_point::max());
  }
}

TEST(catalog_list_failures, ask_no_more_for_a_part_that_the_client_has_by_now) {
  two t;
  t.lists("9");
  t.server(1, result("3", tools("")));
  t.server(2, refused("4"));
  t.lists("10");
  t.server(1, result("5", tools("")));
  EXPECT_EQ(t.server(2, result("6", tools(named("y")))),
            (catalog_effects{list_part_recovered{{2, list_kind::tools}}, client(result("10", tools(named("b__y"))))}));
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(catalog_list_failures, ask_a_server_no_more_that_was_removed) {
  two t;
  t.lists("9");
  t.server(1, result("3", tools("")));
  t.server(2, refused("4"));
  t.change({fresh(1, "a")});
  EXPECT_EQ(t.after(1min), catalog_effects{});
}

TEST(catalog_list_failures, ask_again_where_a_server_does_not_answer) {
  const member_list which{2, list_kind::tools};
  const list_part_failed silent{which, "it does not answer within 60 s"};
  two t;
  t.lists("9");
  t.server(1, result("3", tools("")));
  t.server(2, refused("4"));
  EXPECT_EQ(t.after(1s), (catalog_effects{to(2, asked_again("5"))}));
  EXPECT_EQ(t.after(60s - 1ns), catalog_effects{});
  EXPECT_EQ(t.after(1ns), (catalog_effects{to(2, cancellation_of("5", "no answer in time").text), silent}));
  EXPECT_EQ(t.server(2, result("5", tools(""))), catalog_effects{}) << "too late";
  EXPECT_EQ(t.after(2s), (catalog_effects{to(2, asked_again("6"))}));
  EXPECT_EQ(t.server(2, result("6", tools(""))),
            (catalog_effects{list_part_recovered{which}, client(changed("tools"))}));
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(catalog_list_failures, ask_again_where_a_late_part_never_comes) {
  two t;
  t.lists("9");
  t.server(1, result("3", tools("")));
  t.after(5s);
  EXPECT_EQ(t.after(60s), (catalog_effects{to(2, cancellation_of("4", "no answer in time").text),
                                           list_part_failed{{2, list_kind::tools}, "it does not answer within 60 s"}}));
  EXPECT_EQ(t.after(1s), (catalog_effects{to(2, asked_again("5"))}));
}

// The client lists again at each notification.
TEST(catalog_list_failures, notify_less_and_less_often_of_a_server_that_is_always_slow) {
  two t;
  auto own = 3;
  std::vector<std::chrono::nanoseconds> pauses;
  for (auto round = 0; round < 8; ++round) {
    t.lists(std::to_string(100 + round));
    t.server(1, result(std::to_string(own), tools("")));
    t.after(5s);
    const auto answered = t.now;
    auto told = notified(t.server(2, result(std::to_string(own + 1), tools(""))));
    if (told.empty())
      told = t.after(t.it.deadline() - t.now);
    EXPECT_EQ(told, (catalog_effects{client(changed("tools"))})) << round;
    pauses.push_back(t.now - answered);
    own += 2;
  }
  EXPECT_EQ(pauses, (std::vector<std::chrono::nanoseconds>{0s, 1s, 2s, 4s, 8s, 16s, 32s, 60s}));
}

TEST(catalog_list_failures, ask_at_least_once_a_minute) {
  two t;
  t.lists("9");
  t.server(1, result("3", tools("")));
  t.server(2, refused("4"));
  for (auto pause : {1, 2, 4, 8, 16, 32, 60, 60}) {
    EXPECT_EQ(t.it.deadline(), t.now + std::chrono::seconds{pause});
    auto again = t.after(std::chrono::seconds{pause});
    ASSERT_EQ(again.size(), 1U);
    t.server(2, refused(std::get<send_to_member>(again[0]).what.id));
  }
}

// A server without resource templates answers -32601.
TEST(catalog_list_failures, lack_nothing_where_a_server_does_not_know_the_method) {
  two t;
  t.says(request("9", "resources/templates/list"));
  t.server(1, result("3", R"({"resourceTemplates":[]})"));
  EXPECT_EQ(t.server(2, error_text("4", -32601, "Method not found")),
            (catalog_effects{client(result("9", R"({"resourceTemplates":[]})"))}));
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(catalog_list_failures, end_with_an_empty_cursor) {
  catalog_driver t{{fresh(1, "a")}};
  t.opened();
  t.says(request("9", "tools/list"));
  EXPECT_EQ(t.server(1, result("2", tools(named("x"), next("")))),
            (catalog_effects{client(result("9", tools(named("a__x"))))}));
}

TEST(catalog_list_failures, of_a_later_page_last_until_that_page_can_be_had) {
  const member_list which{1, list_kind::tools};
  two t;
  t.lists("9");
  t.server(1, result("3", tools("", next("b"))));
  t.server(2, result("4", tools("")));
  t.says(request("10", "tools/list", with_cursor(cursor({{1, R"("b")"}}))));
  EXPECT_EQ(t.server(1, refused("5")).front(), (catalog_effect{list_part_failed{which, "no"}}));
  t.lists("11");
  EXPECT_EQ(t.server(1, result("6", tools("", next("b")))), catalog_effects{}) << "the first page was there before";
  t.server(2, result("7", tools("")));
  EXPECT_EQ(t.after(1s), (catalog_effects{to(1, asked_again("8"))}));
  EXPECT_EQ(t.server(1, result("8", tools("", next("c")))),
            (catalog_effects{to(1, request("9", "tools/list", with_cursor("c")))}));
  EXPECT_EQ(t.server(1, refused("9")), (catalog_effects{list_part_failed{which, "no"}}));
  EXPECT_EQ(t.after(2s), (catalog_effects{to(1, asked_again("10"))}));
  t.server(1, result("10", tools("", next("d"))));
  EXPECT_EQ(t.server(1, result("11", tools("", next("e")))),
            (catalog_effects{list_part_recovered{which}, client(changed("tools"))}));
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(catalog_list_failures, of_a_later_page_are_over_where_the_list_ends_before_it) {
  const member_list which{1, list_kind::tools};
  two t;
  t.lists("9");
  t.server(1, result("3", tools("", next("b"))));
  t.server(2, result("4", tools("")));
  t.says(request("10", "tools/list", with_cursor(cursor({{1, R"("b")"}}))));
  t.server(1, refused("5"));
  t.lists("11");
  EXPECT_EQ(t.server(1, result("6", tools(""))), (catalog_effects{}));
  EXPECT_EQ(t.server(2, result("7", tools(""))).front(), catalog_effect{list_part_recovered{which}});
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(catalog_list_failures, are_cursors_that_are_no_text_or_too_long_for_the_one_of_the_client) {
  const auto told_of = [](const std::string& token) {
    catalog_driver t{{fresh(1, "a")}};
    t.opened();
    t.says(request("9", "tools/list"));
    return t.server(1, result("2", tools("", R"(,"nextCursor":)" + token)));
  };
  for (auto token : {"7", "true", "{}", "[]"})
    EXPECT_EQ(told_of(token).front(),
              (catalog_effect{list_part_failed{{1, list_kind::tools}, "its cursor is no text"}}))
        << token;
  const auto told = told_of('"' + std::string(longest_cursor, 'x') + '"');
  EXPECT_EQ(told,
            (catalog_effects{list_part_failed{{1, list_kind::tools}, "its cursor is too long to be a part of another"},
                             client(result("9", tools("")))}));
}

TEST(catalog_list_failures, are_requests_that_are_longer_than_all_servers_should_get) {
  for (auto size : {2 * longest_cursor - 1, 2 * longest_cursor, 2 * longest_cursor + 1}) {
    two t;
    auto text = request("9", "tools/list", R"({"a":""})");
    text.insert(text.size() - 3, std::string(size - text.size(), 'a'));
    const auto told = t.says(text);
    EXPECT_EQ(told.size(), size > 2 * longest_cursor ? 1U : 2U);
    if (size > 2 * longest_cursor) {
      EXPECT_EQ(told, (catalog_effects{client(error_text("9", -32602, "Invalid params: too long for a list"))}));
    }
  }
}

TEST(catalog_list_failures, end_where_a_server_repeats_a_cursor) {
  two t;
  t.lists("9");
  t.server(1, result("3", tools("", next("again"))));
  t.server(2, result("4", tools("")));
  t.says(request("10", "tools/list", with_cursor(cursor({{1, R"("again")"}}))));
  EXPECT_EQ(t.server(1, result("5", tools(named("x"), next("again")))),
            (catalog_effects{list_part_failed{{1, list_kind::tools}, "the list does not end: it repeats a cursor"},
                             client(result("10", tools(named("a__x"))))}));
}

TEST(catalog_list_failures, end_where_cursors_come_round) {
  const list_part_failed endless{{1, list_kind::tools}, "the list does not end: it repeats a cursor"};
  for (auto before : {0, 1, 5})
    for (auto length : {1, 2, 3, 7, 16, 100}) {
      catalog_driver t{{fresh(1, "a")}};
      t.opened();
      auto cursor_at = [&](int page) {
        return std::to_string(page < before ? page : before + (page - before) % length);
      };
      std::string params = "{}";
      auto pages = 0;
      catalog_effects told;
      for (; pages < 1000 && !params.empty(); ++pages) {
        t.says(request("9", "tools/list", params));
        told = t.server(1, result(std::to_string(2 + pages), tools("", next(cursor_at(pages)))));
        auto next_place = find_member(std::get<send_to_client>(told.back()).what.text, {"result", "nextCursor"});
        params = next_place ? R"({"cursor":)" + std::string{*next_place} + "}" : "";
      }
      EXPECT_LE(pages, 3 * (before + length) + 2) << before << ' ' << length;
      EXPECT_GT(pages, before + length) << "not before all was seen";
      EXPECT_EQ(told.front(), catalog_effect{endless});
    }
}

TEST(catalog_list_failures, go_on_as_long_as_cursors_are_new) {
  catalog_driver t{{fresh(1, "a")}};
  t.opened();
  std::string params = "{}";
  for (auto page = 0; page < 300; ++page) {
    t.says(request("9", "tools/list", params));
    auto told = t.server(1, result(std::to_string(2 + page), tools("", next(std::to_string(page)))));
    ASSERT_EQ(told.size(), 1U) << page;
    auto cursor = find_member(std::get<send_to_client>(told.back()).what.text, {"result", "nextCursor"});
    ASSERT_TRUE(cursor) << page;
    params = R"({"cursor":)" + std::string{*cursor} + "}";
  }
}

} // namespace troupe::tests::catalog_list_failures_test
