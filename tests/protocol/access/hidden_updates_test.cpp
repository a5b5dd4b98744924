// Notifications about resources that are hidden from a user (2025-11-25, resources, "Subscriptions").

#include "protocol/access/server_guard.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::hidden_updates_test {

using namespace protocol;

namespace {

const auto reader = std::make_shared<const principal>(principal{.issuer = "as", .subject = "ann"});
const auto staff = std::make_shared<const principal>(principal{.issuer = "as", .subject = "bob", .groups = {"staff"}});

std::shared_ptr<const permissions> rules_for(offered kind, const std::string& pattern) {
  return std::make_shared<const permissions>(access_rule{},
                                             std::vector<named_rule>{{kind, pattern, {.groups = {"staff"}}}});
}

message update(const std::string& params) {
  auto text = R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":)" + params + "}";
  return std::get<message>(read_message(std::move(text)));
}

bool hears(const std::string& params, const caller& who, const std::shared_ptr<const permissions>& rules) {
  server_guard guard{rules, "-none"};
  const auto from = update(params);
  const auto shown = guard.for_client(from, who);
  if (shown) {
    EXPECT_EQ(*shown, from);
  }
  return shown.has_value();
}

const auto rules = rules_for(offered::resource, "file:///secret/*");

} // namespace

TEST(hidden_updates, are_told_only_to_those_for_whom_the_resource_exists) {
  EXPECT_TRUE(hears(R"({"uri":"file:///public/a"})", reader, rules));
  EXPECT_TRUE(hears(R"({"uri":"file:///secret/a"})", staff, rules));
  for (const std::string uri :
       {"file:///secret/a", "file:///public/../secret/a", "FILE:///secret/a", "file:/secret/a", "file:///secret/%61"}) {
    EXPECT_FALSE(hears(R"({"uri":")" + uri + R"(","title":"t"})", reader, rules)) << uri;
    EXPECT_FALSE(hears(R"({"uri":")" + uri + "\"}", nullptr, rules)) << uri;
  }
}

TEST(hidden_updates, are_those_that_some_client_could_take_for_hidden_ones) {
  EXPECT_FALSE(hears(R"({"uri":"file:///public","uri":"file:///secret/a"})", reader, rules));
  EXPECT_FALSE(hears(R"({"uri":"file:///secret/a","uri":"file:///public"})", reader, rules));
  EXPECT_FALSE(hears(R"({"uri":"file:///secret/)" + std::string(longest_named, 'a') + "\"}", reader, rules));
  std::string many;
  for (std::size_t i = 0; i < most_named; ++i)
    many += R"("uri":"x:y",)";
  EXPECT_FALSE(hears("{" + many + R"("uri":"file:///secret/a"})", reader, rules));
}

TEST(hidden_updates, are_none_where_no_rule_is_about_resources) {
  EXPECT_TRUE(hears(R"({"uri":"file:///secret/a"})", reader, nullptr));
  EXPECT_TRUE(hears(R"({"uri":"file:///secret/a"})", reader, std::make_shared<const permissions>()));
  EXPECT_TRUE(hears(R"({"uri":"file:///secret/a"})", reader, rules_for(offered::tool, "*")));
}

TEST(hidden_updates, leave_all_else_that_a_server_says) {
  server_guard guard{rules, "-none"};
  for (auto method : {"notifications/resources/list_changed", "notifications/message", "notifications/progress"}) {
    auto text = R"({"jsonrpc":"2.0","method":")" + std::string{method} + R"(","params":{"uri":"file:///secret/a"}})";
    EXPECT_TRUE(guard.for_client(std::get<message>(read_message(std::move(text))), reader)) << method;
  }
}

} // namespace troupe::tests::hidden_updates_test
