#include "protocol/access/access_report.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::access_report_test {

using namespace protocol;

namespace {

const endpoint_guard_rules open_to_all{};
const endpoint_guard_rules for_tokens{.is_open = false,
                                      .issuer = "https://as",
                                      .audience = {"https://gw", {}},
                                      .scopes = {"mcp"},
                                      .includes = {{"admin", {"mcp", "write"}}}};

principal holder(std::vector<std::string> scopes = {}) {
  return {.issuer = key_issuer, .subject = "ann", .scopes = std::move(scopes)};
}

principal with_token(std::vector<std::string> scopes, std::string audience = "https://gw") {
  return {.issuer = "https://as",
          .subject = "ann",
          .client = "desk",
          .scopes = std::move(scopes),
          .groups = {"staff"},
          .audiences = {std::move(audience)},
          .expires = calendar_time{std::chrono::seconds{1'800'000'000}}};
}

reported_server server(access_rule rule, std::vector<named_rule> things = {}, scope_hierarchy includes = {}) {
  return {.name = "a",
          .rules = std::make_shared<const permissions>(std::move(rule), std::move(things), std::move(includes))};
}

std::string told(const principal& who, const reported_server& one) {
  return report_of_servers(open_to_all, who, {one}).text;
}

access_report asked(const principal& who, const reported_server& one, std::string name, offered kind = offered::tool) {
  return report_of_thing(open_to_all, who, one, {kind, std::move(name)});
}

} // namespace

TEST(access_report, tells_who_it_is) {
  EXPECT_EQ(text_of(holder({"read", "write"})), "ann, by a key\n"
                                                "  scopes: read, write\n"
                                                "  expires: never\n");
  EXPECT_EQ(text_of({.issuer = certificate_issuer, .subject = "ann@example.com"}), "ann@example.com, by a certificate\n"
                                                                                   "  scopes: none\n");
  EXPECT_EQ(text_of(with_token({"mcp"})), "ann, by a token\n"
                                          "  issuer: https://as\n"
                                          "  client: desk\n"
                                          "  scopes: mcp\n"
                                          "  groups: staff\n"
                                          "  expires: 2027-01-15T08:00:00Z\n");
}

TEST(access_report, tells_no_expiry_that_is_not_known) {
  auto who = with_token({"mcp"});
  who.expires.reset();
  EXPECT_EQ(text_of(who).find("expires"), std::string::npos);
}

TEST(access_report, keeps_what_a_token_names_within_its_line) {
  auto who = with_token({"mcp"});
  who.subject = "ann\nserver a: allowed";
  EXPECT_EQ(text_of(who).find("\nserver"), std::string::npos);
}

TEST(access_report, tells_that_all_is_allowed_without_rules) {
  const auto report = report_of_servers(open_to_all, holder(), {{.name = "a"}});
  EXPECT_TRUE(report.allowed);
  EXPECT_EQ(report.text, "comes in\nserver a: allowed\n");
}

TEST(access_report, tells_of_each_pattern_what_it_says) {
  const auto one = server({.scopes = {"read"}}, {{offered::tool, "add", {.scopes = {"write"}}},
                                                 {offered::tool, "s*", {.groups = {"ops"}, .names = {"eve", "bob"}}},
                                                 {offered::prompt, "*", {.names = {"ann"}}},
                                                 {offered::resource, "file:*", {.groups = {"staff"}}}});
  EXPECT_EQ(told(holder({"read"}), one),
            "comes in\n"
            "server a: allowed\n"
            "  tools add: needs the scopes read, write, of which it lacks write\n"
            "  tools s*: hidden, whatever the scopes: only for the groups ops or the "
            "names eve, bob\n"
            "  prompts *: allowed\n"
            "  resources file:*: hidden, whatever the scopes: only for the groups staff\n");
}

TEST(access_report, tells_no_patterns_of_a_server_that_is_not_for_the_caller) {
  const std::vector<named_rule> things{{offered::tool, "add", {.scopes = {"write"}}}};
  EXPECT_EQ(told(holder(), server({.scopes = {"read"}}, things)),
            "comes in\nserver a: needs the scopes read, of which it lacks read\n");
  EXPECT_EQ(told(holder(), server({.names = {"bob"}}, things)),
            "comes in\nserver a: hidden, whatever the scopes: only for the names bob\n");
}

TEST(access_report, counts_scopes_that_others_include) {
  const auto one = server({}, {{offered::tool, "add", {.scopes = {"mcp", "write", "delete"}}}}, for_tokens.includes);
  EXPECT_EQ(report_of_servers(for_tokens, with_token({"admin"}), {one}).text,
            "comes in\n"
            "server a: allowed\n"
            "  tools add: needs the scopes mcp, write, delete, of which it lacks delete\n");
}

TEST(access_report, tells_why_nobody_comes_in) {
  const auto report = report_of_servers(for_tokens, with_token({"read"}), {{.name = "a"}});
  EXPECT_FALSE(report.allowed);
  EXPECT_EQ(report.text, "refused with 403, this needs the scopes mcp\n");
}

TEST(access_report, tells_at_which_endpoints_a_token_is_good) {
  const auto report =
      report_of_servers(for_tokens, with_token({"mcp"}, "https://gw/servers/a/mcp"), {{.name = "a"}, {.name = "b"}});
  EXPECT_TRUE(report.allowed);
  EXPECT_EQ(report.text, "refused with 401, the token is for another audience at /mcp, /servers/a/sse, /servers/b/mcp\n"
                         "comes in at /servers/a/mcp\n"
                         "server a: allowed\n");
}

TEST(access_report, knows_the_endpoints_of_http_and_sse) {
  const auto report = report_of_servers(for_tokens, with_token({"mcp"}, "https://gw/servers/a/sse"), {{.name = "a"}});
  EXPECT_TRUE(report.allowed);
  EXPECT_EQ(report.text, "refused with 401, the token is for another audience at /mcp, /servers/a/mcp\n"
                         "comes in at /servers/a/sse\n"
                         "server a: allowed\n");
}

TEST(access_report, answers_why_a_tool_is_not_seen) {
  const auto one = server({.scopes = {"read"}}, {{offered::tool, "a*", {.scopes = {"write"}}},
                                                 {offered::tool, "*d", {.names = {"bob"}}},
                                                 {offered::tool, "x", {.names = {"bob"}}},
                                                 {offered::prompt, "add", {.names = {"bob"}}}});
  const auto report = asked(holder({"read"}), one, "add");
  EXPECT_FALSE(report.allowed);
  EXPECT_EQ(report.text, "comes in\n"
                         "tool a/add: hidden, whatever the scopes\n"
                         "  server a: allowed\n"
                         "  tools a*: needs the scopes read, write, of which it lacks write\n"
                         "  tools *d: hidden, whatever the scopes: only for the names bob\n");
  EXPECT_TRUE(asked(holder({"read"}), one, "other").allowed);
  EXPECT_EQ(asked(holder(), one, "x").text, "comes in\n"
                                            "tool a/x: hidden, whatever the scopes\n"
                                            "  server a: needs the scopes read, of which it lacks read\n"
                                            "  tools x: hidden, whatever the scopes: only for the names bob\n");
}

TEST(access_report, tells_no_patterns_of_a_thing_whose_server_is_hidden) {
  const auto one = server({.names = {"bob"}}, {{offered::tool, "a*", {.scopes = {"write"}}}});
  EXPECT_EQ(asked(holder(), one, "add").text, "comes in\n"
                                              "tool a/add: hidden, whatever the scopes\n"
                                              "  server a: hidden, whatever the scopes: only for the names bob\n");
}

TEST(access_report, knows_tools_that_nobody_sees) {
  reported_server one{.name = "a", .offers = [](std::string_view tool) { return tool != "add"; }};
  const auto report = asked(holder(), one, "add");
  EXPECT_FALSE(report.allowed);
  EXPECT_EQ(report.text, "comes in\n"
                         "tool a/add: hidden from everybody: its server's \"tools\" leaves it out\n"
                         "  server a: allowed\n");
  EXPECT_TRUE(asked(holder(), one, "echo").allowed);
  EXPECT_TRUE(asked(holder(), one, "add", offered::prompt).allowed);
}

TEST(access_report, judges_a_resource_by_whatever_its_uri_may_be_read) {
  const auto one = server({}, {{offered::resource, "file:///secret/*", {.names = {"bob"}}}});
  EXPECT_FALSE(asked(holder(), one, "file:///x/../secret/key", offered::resource).allowed);
  EXPECT_TRUE(asked(holder(), one, "file:///x/key", offered::resource).allowed);
}

TEST(access_report, tells_when_a_server_takes_no_request_of_the_caller) {
  reported_server one{.name = "a", .fault = "the caller's `email` is missing"};
  EXPECT_EQ(told(holder(), one), "comes in\nserver a: allowed\n"
                                 "  but its requests fail: the caller's `email` is missing\n");
  EXPECT_FALSE(asked(holder(), one, "add").allowed);
}

} // namespace troupe::tests::access_report_test
