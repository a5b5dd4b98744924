#include "protocol/catalog/list_page.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::sealed_cursors_test {

using namespace protocol;

namespace {

/// A seal of the usual length.
cursor_seal seal_of(const std::string& whose, bool has_older = false) {
  return [=](std::string_view text) {
    auto made = [&](const std::string& key) {
      auto number = std::to_string(std::hash<std::string>{}(key + std::string{text}));
      return std::string(20 - number.size(), '0') + number;
    };
    std::vector<std::string> result{made(whose)};
    if (has_older)
      result.insert(result.begin(), made(whose + " newer"));
    return result;
  };
}

message request(const std::string& params, const std::string& method = "tools/list", const std::string& id = "1") {
  auto text = R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":)" + params + "}";
  return std::get<message>(read_message(text));
}

message answer(const std::string& result, const std::string& id = "1") {
  return gateway_message(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + result + "}");
}

/// The caller's version of a server's cursor.
std::string given(sealed_cursors& to, const std::string& cursor) {
  auto asked = request("{}");
  EXPECT_FALSE(to.refuse(asked));
  auto shown = to.for_client(answer(R"({"tools":[],"nextCursor":")" + cursor + "\"}"));
  return string_value(*find_member(shown.text, {"result", "nextCursor"})).value();
}

/// The server's version of a caller's cursor; `refused` if there is none.
std::string passed(sealed_cursors& by, const std::string& cursor, const std::string& method = "tools/list") {
  auto asked = request(R"({"cursor":")" + cursor + "\"}", method);
  if (auto refused = by.refuse(asked)) {
    EXPECT_EQ(refused->text, R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid cursor"}})");
    return "refused";
  }
  return string_value(*find_member(asked.text, {"params", "cursor"})).value();
}

} // namespace

TEST(sealed_cursors, are_the_servers_own_for_the_server) {
  sealed_cursors one{seal_of("ada")}, later{seal_of("ada", true)};
  for (auto cursor : {"2", "a\\\"b", "[1]"}) {
    auto shown = given(one, cursor);
    EXPECT_NE(shown, cursor);
    EXPECT_EQ(protocol::quoted(passed(one, shown)), '"' + std::string{cursor} + '"');
    EXPECT_EQ(passed(later, shown), passed(one, shown));
  }
}

TEST(sealed_cursors, are_those_of_one_caller) {
  sealed_cursors hers{seal_of("ada")}, his{seal_of("bob")};
  auto shown = given(hers, "2");
  EXPECT_EQ(passed(his, shown), "refused");
  for (auto cursor : {"2", "Mg", "!", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})
    EXPECT_EQ(passed(hers, cursor), "refused") << cursor;
  for (auto method : {"prompts/list", "resources/list", "resources/templates/list", "tasks/list"})
    EXPECT_EQ(passed(hers, "2", method), "refused") << method;
}

TEST(sealed_cursors, are_of_lists_alone) {
  sealed_cursors one{seal_of("ada")};
  EXPECT_EQ(passed(one, "2", "tools/call"), "2");
  EXPECT_EQ(one.for_client(answer(R"({"nextCursor":"2"})")), answer(R"({"nextCursor":"2"})"));
  for (auto params : {"{}", R"({"cursor":null})", R"({"cursor":""})", R"({"cursor":7})"}) {
    auto asked = request(params);
    EXPECT_FALSE(one.refuse(asked));
    EXPECT_EQ(asked, request(params));
  }
  for (auto result : {R"({"tools":[]})", R"({"nextCursor":""})", "[]", R"({"nextCursor":null})"}) {
    auto asked = request("{}");
    one.refuse(asked);
    EXPECT_EQ(one.for_client(answer(result)), answer(result));
  }
}

// Peers disagree on which of two equal members counts.
TEST(sealed_cursors, are_all_that_stand_there) {
  sealed_cursors one{seal_of("ada")};
  auto shown = given(one, "2");
  auto asked = request(R"({"cursor":")" + shown + R"(","cursor":"2"})");
  EXPECT_TRUE(one.refuse(asked));
  auto again = request("{}");
  one.refuse(again);
  EXPECT_EQ(one.for_client(answer(R"({"nextCursor":"2","x":1,"nextCursor":"2"})")),
            answer(R"({"nextCursor":")" + shown + R"(","x":1,"nextCursor":")" + shown + "\"}"));
}

TEST(sealed_cursors, await_no_answer_to_what_was_cancelled_or_lost) {
  sealed_cursors one{seal_of("ada")};
  auto asked = request("{}", "tools/list", "1"), other = request("{}", "tools/list", "2");
  auto cancelled = cancellation_of("1", "late");
  one.refuse(asked);
  one.refuse(other);
  one.refuse(cancelled);
  EXPECT_EQ(one.for_client(answer(R"({"nextCursor":"2"})", "1")), answer(R"({"nextCursor":"2"})", "1"));
  one.server_lost();
  EXPECT_EQ(one.for_client(answer(R"({"nextCursor":"2"})", "2")), answer(R"({"nextCursor":"2"})", "2"));
}

namespace {

/// The cache scope of the caller's page for these parameters.
std::string scope_of(const std::string& params, const std::string& members) {
  sealed_cursors one{seal_of("ada")};
  auto asked = request(params);
  EXPECT_FALSE(one.refuse(asked));
  auto shown = one.for_client(answer(R"({"tools":[])" + members + R"(,"ttlMs":5,"cacheScope":"public"})"));
  return string_value(*find_member(shown.text, {"result", "cacheScope"})).value();
}

} // namespace

// 2026-07-28, caching, "Cache Scope"
TEST(sealed_cursors, are_in_no_page_that_others_are_shown) {
  sealed_cursors one{seal_of("ada")};
  const auto next = R"({"cursor":")" + given(one, "2") + "\"}";
  EXPECT_EQ(scope_of("{}", R"(,"nextCursor":"2")"), "private");
  EXPECT_EQ(scope_of("{}", R"(,"nextCursor":"")"), "private") << "the list goes on";
  EXPECT_EQ(scope_of(next, R"(,"nextCursor":"3")"), "private");
  EXPECT_EQ(scope_of(next, ""), "private") << "the last page";
  EXPECT_EQ(scope_of(R"({"cursor":""})", ""), "private");
  EXPECT_EQ(scope_of("{}", ""), "public") << "the whole list";
  EXPECT_EQ(scope_of(R"({"cursor":null})", R"(,"nextCursor":null)"), "public");
}

} // namespace troupe::tests::sealed_cursors_test
