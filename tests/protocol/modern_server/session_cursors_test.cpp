#include "protocol/message/lists.hpp"
#include "tests/support/server_as_legacy_driver.hpp"

namespace troupe::tests::session_cursors_test {

namespace {

std::string page(const std::string& cursor) {
  return R"({"resultType":"complete","x":[1.0],"nextCursor":)" + cursor + "}";
}

/// The client's cursor for that of the server, as a JSON token.
std::string shown(server_as_legacy_driver& t, const std::string& method, const std::string& cursor,
                  const char* own = "1") {
  t.user(request("7", method));
  auto answer = std::get<deliver_to_user>(t.server(result(own, page(cursor))).at(0)).what.text;
  return std::string{find_member(answer, {"result", "nextCursor"}).value_or("none")};
}

/// The cursor that the server gets when the client continues.
std::string given_back(server_as_legacy_driver& t, const std::string& method, const std::string& cursor) {
  auto asked =
      std::get<deliver_to_server>(t.user(request("8", method, R"({"cursor":)" + cursor + "}")).at(0)).what.text;
  return std::string{find_member(asked, {"params", "cursor"}).value_or("none")};
}

const std::vector<std::string> lists = {"tools/list", "prompts/list", "resources/list", "resources/templates/list"};

} // namespace

// 2026-07-28, pagination: an empty cursor is an ordinary one. For older clients it ends a list.
TEST(session_cursors, an_empty_cursor_of_a_modern_server_goes_on_for_a_client_of_a_session) {
  for (auto& method : lists) {
    server_as_legacy_driver t;
    t.opened();
    auto cursor = shown(t, method, R"("")");
    EXPECT_TRUE(has_next_page(cursor, false)) << method << cursor;
    EXPECT_EQ(given_back(t, method, cursor), R"("")") << method;
  }
}

TEST(session_cursors, each_cursor_comes_back_as_the_server_gave_it) {
  server_as_legacy_driver t;
  t.opened();
  auto marked = shown(t, "tools/list", R"("")");
  auto twice = std::string{marked}.insert(1, marked, 1, marked.size() - 2);
  auto own = 1;
  for (auto& cursor : {std::string{R"("n")"}, std::string{R"("\u0063")"}, marked, twice, std::string{R"("a b")"}}) {
    own += 2;
    auto to_client = shown(t, "tools/list", cursor, std::to_string(own - 1).c_str());
    EXPECT_EQ(given_back(t, "tools/list", to_client), cursor) << to_client;
    EXPECT_EQ(to_client == cursor, cursor != marked && cursor != twice) << cursor;
  }
}

TEST(session_cursors, what_is_no_text_stays) {
  for (auto& cursor : {"null", "1", "{}"}) {
    server_as_legacy_driver t;
    t.opened();
    EXPECT_EQ(shown(t, "tools/list", cursor), cursor);
    EXPECT_EQ(given_back(t, "tools/list", cursor), cursor);
  }
}

TEST(session_cursors, belong_to_lists_alone) {
  server_as_legacy_driver t;
  t.opened();
  EXPECT_EQ(shown(t, "tools/call", R"("")"), R"("")");
  auto marked = shown(t, "tools/list", R"("")", "2");
  EXPECT_EQ(given_back(t, "tools/call", marked), marked);
}

TEST(session_cursors, stay_for_who_reads_2026_07_28) {
  auto initialize = gateway_message(hello("0"));
  initialize.claims_modern = true;
  server_as_legacy_driver t;
  t.opened();
  auto who = std::make_shared<const user_envelope>(initialize, 1000);
  t.user_of_many(request("7", "tools/list"), who);
  auto answer = std::get<deliver_to_user>(t.server(result("1", page(R"("")"))).at(0)).what.text;
  EXPECT_EQ(find_member(answer, {"result", "nextCursor"}), R"("")");
  auto back = std::get<deliver_to_server>(t.user_of_many(request("8", "tools/list", R"({"cursor":""})"), who).at(0));
  EXPECT_EQ(find_member(back.what.text, {"params", "cursor"}), R"("")");
}

} // namespace troupe::tests::session_cursors_test
