// The scopes that a POST lacks, and what a client listens to.

#include "protocol/access/entry_scopes.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::entry_scopes_test {

using namespace protocol;

namespace {

std::shared_ptr<const permissions> rules_of_staff() {
  return std::make_shared<const permissions>(
      access_rule{}, std::vector<named_rule>{{offered::resource, "file:///etc/*", {.groups = {"staff"}}}});
}

const principal reader{.issuer = "as", .subject = "ann", .scopes = {"read"}};
const principal writer{.issuer = "as", .subject = "bob", .scopes = {"write"}, .groups = {"staff"}};

message request(const std::string& method, const std::string& params) {
  auto text = R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" + params + "}";
  return std::get<message>(read_message(std::move(text)));
}

std::optional<std::string> under_prefix(const named_thing& shown) {
  auto is_own = shown.name.starts_with("s__");
  return is_own ? std::optional{shown.name.substr(3)} : std::nullopt;
}

std::optional<std::vector<std::string>> lacked(std::vector<message> messages, const principal& who) {
  auto needs_two = std::make_shared<const permissions>(
      access_rule{.scopes = {"mcp"}}, std::vector<named_rule>{{offered::tool, "write_*", {.scopes = {"write"}}},
                                                              {offered::tool, "drop", {.scopes = {"admin"}}},
                                                              {offered::tool, "hidden", {.names = {"eve"}}}});
  return scopes_lacked({std::move(messages), false}, {{under_prefix, needs_two}}, who);
}

message call(const std::string& tool) { return request("tools/call", R"({"name":")" + tool + "\"}"); }

using scopes = std::vector<std::string>;

} // namespace

TEST(scopes_lacked, are_all_that_the_requests_need) {
  const principal has_one{.issuer = "as", .subject = "ann", .scopes = {"mcp"}};
  EXPECT_EQ(lacked({call("s__write_x")}, has_one), (scopes{"mcp", "write"}));
  EXPECT_EQ(lacked({call("s__write_x"), call("s__read"), call("s__drop")}, has_one), (scopes{"mcp", "write", "admin"}));
  EXPECT_EQ(lacked({call("s__read")}, has_one), std::nullopt);
}

TEST(scopes_lacked, are_none_where_no_scope_would_help) {
  const principal has_none{.issuer = "as", .subject = "ann"};
  EXPECT_EQ(lacked({call("s__hidden")}, has_none), std::nullopt);
  EXPECT_EQ(lacked({call("write_x")}, has_none), std::nullopt);
  EXPECT_EQ(lacked({request("tools/list", "{}")}, has_none), std::nullopt);
}

// -- what a client listens to ------------------------------------------------------------

namespace {

std::string listens(const std::string& notifications, const principal& who) {
  auto is_own = [](const named_thing& shown) { return std::optional{shown.name}; };
  auto told = without_hidden_subscriptions(
      request("subscriptions/listen", R"({"notifications":)" + notifications + "}"), {{is_own, rules_of_staff()}}, who);
  return std::string{find_member(told.text, {"params", "notifications"}).value_or("")};
}

} // namespace

// 2026-07-28, subscriptions
TEST(hidden_subscriptions, are_left_out) {
  EXPECT_EQ(listens(R"({"resourceSubscriptions":["file:///etc/a","x:y","file:///etc/b"]})", reader),
            R"({"resourceSubscriptions":["x:y"]})");
  EXPECT_EQ(
      listens(R"({"resourceSubscriptions":["file:///etc/a"],"resourceSubscriptions":["file://%2Fetc/b"]})", reader),
      R"({"resourceSubscriptions":[],"resourceSubscriptions":[]})");
  EXPECT_EQ(listens(R"({"resourceSubscriptions":["file:///etc/a"]})", writer),
            R"({"resourceSubscriptions":["file:///etc/a"]})");
  EXPECT_EQ(listens(R"({"resourceSubscriptions":[7]})", reader), R"({"resourceSubscriptions":[7]})");
  EXPECT_EQ(listens(R"({"toolsListChanged":true})", reader), R"({"toolsListChanged":true})");
}

// A request with more is refused where it is read.
TEST(hidden_subscriptions, are_looked_for_among_so_many) {
  auto list = [](std::size_t count) {
    std::string uris;
    for (std::size_t i = 0; i < count; ++i)
      uris.append(uris.empty() ? "" : ",").append(R"("file:///etc/a")");
    return R"({"resourceSubscriptions":[)" + uris + "]}";
  };
  EXPECT_EQ(listens(list(most_named), reader), R"({"resourceSubscriptions":[]})");
  EXPECT_EQ(listens(list(most_named + 1), reader), list(most_named + 1));
}

TEST(hidden_subscriptions, are_no_others) {
  auto other = request("resources/subscribe", R"({"uri":"file:///etc/a"})");
  EXPECT_EQ(without_hidden_subscriptions(other, {}, reader), other);
}

TEST(scopes_lacked, are_those_of_what_is_listened_to) {
  auto rules = std::make_shared<const permissions>(
      access_rule{}, std::vector<named_rule>{{offered::resource, "x:*", {.scopes = {"watch"}}}});
  auto is_own = [](const named_thing& shown) { return std::optional{shown.name}; };
  auto listen = request("subscriptions/listen", R"({"notifications":{"resourceSubscriptions":["a:b","x:y"]}})");
  EXPECT_EQ(scopes_lacked({{listen}, false}, {{is_own, rules}}, reader), (scopes{"watch"}));
  EXPECT_EQ(scopes_lacked({{request("subscriptions/listen", "{}")}, false}, {{is_own, rules}}, reader), std::nullopt);
}

} // namespace troupe::tests::entry_scopes_test
