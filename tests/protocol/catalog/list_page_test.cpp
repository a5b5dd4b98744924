#include "protocol/catalog/list_page.hpp"
#include "tests/support/catalog_driver.hpp"

namespace troupe::tests::list_page_test {

namespace {

message list_request(std::string params) { return gateway_message(request("7", "tools/list", params)); }

} // namespace

TEST(list_page, is_the_first_without_a_cursor) {
  for (auto first : {"{}", R"({"cursor":null})", R"({"_meta":{"cursor":"c"}})"})
    EXPECT_TRUE(asks_for_first_page(list_request(first))) << first;
  EXPECT_TRUE(asks_for_first_page(gateway_message(request("7", "tools/list"))));
  EXPECT_FALSE(asks_for_first_page(list_request(R"({"cursor":""})")));
}

TEST(list_page, is_asked_for_with_a_servers_cursor_in_place_of_the_clients) {
  EXPECT_EQ(with_cursor(list_request(R"({"_meta":{ },"cursor":"ours"})"), R"("\u00e9")"),
            list_request(R"({"_meta":{ },"cursor":"\u00e9"})"));
  EXPECT_EQ(with_cursor(list_request(R"({"cursor":null,"a":1})"), {}), list_request(R"({"a":1})"));
  EXPECT_EQ(with_cursor(list_request("{}"), R"("c")"), list_request("{}"));
}

TEST(list_page, says_whether_the_list_goes_on) {
  for (auto is_modern : {false, true}) {
    EXPECT_EQ(next_cursor(result("7", R"({"nextCursor":"c"})"), is_modern), R"("c")");
    for (auto last : {"{}", R"({"nextCursor":null})", R"({"nextCursor":1})"})
      EXPECT_EQ(next_cursor(result("7", last), is_modern), "") << last;
    EXPECT_EQ(continuation_in(result("7", R"({"nextCursor":1})"), is_modern), "1") << "though that is no cursor";
    EXPECT_EQ(continuation_in(result("7", R"({"nextCursor":null})"), is_modern), "");
  }
}

// 2026-07-28, server/utilities/pagination
TEST(list_page, ends_with_an_empty_cursor_before_2026_07_28_only) {
  EXPECT_EQ(next_cursor(result("7", R"({"nextCursor":""})"), false), "");
  EXPECT_EQ(next_cursor(result("7", R"({"nextCursor":""})"), true), R"("")");
}

TEST(list_page, has_a_result_or_not) {
  EXPECT_TRUE(has_object_result(result("7")));
  for (auto& none : {std::string{}, result("7", "[]"), result("7", "null"), error_text("7", -1, "no")})
    EXPECT_FALSE(has_object_result(none)) << none;
}

TEST(list_page, is_answered_with_where_each_server_goes_on) {
  auto answer = list_answer("\"i\"", list_kind::templates, "1,2", {{{4, R"("c")"}}});
  EXPECT_EQ(answer.text,
            result("\"i\"", R"({"resourceTemplates":[1,2],"nextCursor":")" + merged_cursor({{{4, R"("c")"}}}) + "\"}"));
  EXPECT_EQ(answer.id, "\"i\"");
  EXPECT_EQ(answer.text.substr(answer.id_at.at, answer.id_at.size), answer.id);
  EXPECT_EQ(list_answer("7", list_kind::tools, "", {}).text, result("7", R"({"tools":[]})"));
  EXPECT_FALSE(answer.claims_modern);
}

TEST(list_page, says_how_long_it_may_be_kept_to_whom_it_concerns) {
  auto answer = list_answer("7", list_kind::tools, "", {}, {}, cache_hints{5, true});
  EXPECT_EQ(answer.text, result("7", R"({"tools":[],"ttlMs":5,"cacheScope":"public"})"));
  EXPECT_TRUE(answer.claims_modern);
}

} // namespace troupe::tests::list_page_test
