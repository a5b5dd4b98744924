#include "protocol/access/permissions.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::permissions_test {

using namespace protocol;

namespace {

using kind = permit::kind;

principal who(std::vector<std::string> scopes, std::vector<std::string> groups = {}) {
  return {.issuer = "i", .subject = "ann", .scopes = std::move(scopes), .groups = std::move(groups)};
}

kind judged(const access_rule& rule, const principal& one) { return permissions{rule, {}}.to_server(one).is; }

} // namespace

TEST(permissions, allow_everybody_without_rules) {
  EXPECT_FALSE(permissions{}.are_given());
  EXPECT_EQ(permissions{}.to(offered::tool, {"t"}, {}).is, kind::allowed);
}

TEST(permissions, ask_for_all_scopes) {
  const access_rule rule{.scopes = {"a", "b"}};
  EXPECT_EQ(judged(rule, who({"a", "b", "c"})), kind::allowed);
  EXPECT_EQ(permissions(rule, {}).to_server(who({"a"})), (permit{kind::lacks_scopes, {"a", "b"}}));
}

TEST(permissions, ask_for_one_group_or_name) {
  const access_rule rule{.groups = {"g", "h"}, .names = {"bob"}};
  EXPECT_EQ(judged(rule, who({}, {"x", "h"})), kind::allowed);
  EXPECT_EQ(judged(rule, who({}, {"x"})), kind::hidden);
  EXPECT_EQ(judged({.names = {"ann"}}, who({})), kind::allowed);
}

TEST(permissions, ask_who_vouches_for_a_name) {
  const auto of = [](const char* issuer) { return principal{.issuer = issuer, .subject = "ada", .groups = {"g"}}; };
  const auto let_in = [&](const std::vector<std::string>& issuers, const std::vector<std::string>& names = {"ada"}) {
    std::string result;
    for (auto* issuer : {"key", "certificate", "https://as.example.com", "token", ""})
      if (judged({.groups = {"other"}, .names = names, .issuers = issuers}, of(issuer)) == kind::allowed)
        result += std::string{issuer} + ";";
    return result;
  };
  EXPECT_EQ(let_in({}), "key;certificate;https://as.example.com;token;;");
  EXPECT_EQ(let_in({"key"}), "key;");
  EXPECT_EQ(let_in({"key", "certificate"}), "key;certificate;");
  EXPECT_EQ(let_in({"https://as.example.com"}), "https://as.example.com;");
  EXPECT_EQ(let_in({"https://as.example.com/"}), "https://as.example.com;") << "RFC 3986, 6.2.3";
  EXPECT_EQ(let_in({"HTTPS://AS.example.com:443"}), "https://as.example.com;");
  for (auto other : {"http://as.example.com", "https://as.example.com/realm", "https://as.example.com:8443", "Key",
                     "https://as.example.com//", "https://as.example.com.evil.org", "key/", "as.example.com"})
    EXPECT_EQ(let_in({other}), "") << other;
  EXPECT_EQ(let_in({"token"}), "https://as.example.com;token;");
  EXPECT_EQ(let_in({"key"}, {"eve"}), "");
  EXPECT_EQ(judged({.issuers = {"key"}}, of("key")), kind::allowed);
  EXPECT_EQ(judged({.issuers = {"key"}}, of("certificate")), kind::hidden);
  EXPECT_TRUE(permissions({.issuers = {"key"}}, {}).are_given());
}

TEST(permissions, hold_for_what_fits_their_pattern) {
  const permissions rules{{.scopes = {"use"}},
                          {{offered::tool, "delete_*", {.scopes = {"delete"}}},
                           {offered::tool, "*_all", {.groups = {"admins"}}},
                           {offered::prompt, "*", {.names = {"bob"}}}}};
  EXPECT_EQ(rules.to(offered::tool, {"read"}, who({"use"})).is, kind::allowed);
  EXPECT_EQ(rules.to(offered::tool, {"delete_one"}, who({"use"})), (permit{kind::lacks_scopes, {"use", "delete"}}));
  EXPECT_EQ(rules.to(offered::tool, {"delete_all"}, who({"use", "delete"})).is, kind::hidden);
  EXPECT_EQ(rules.to(offered::tool, {"delete_all"}, who({"use", "delete"}, {"admins"})).is, kind::allowed);
  EXPECT_EQ(rules.to(offered::prompt, {"p"}, who({"use"})).is, kind::hidden);
  EXPECT_EQ(rules.to(offered::resource, {"delete_x"}, who({"use"})).is, kind::allowed);
}

TEST(permissions, tell_what_each_pattern_says) {
  const permissions rules{{.scopes = {"use"}},
                          {{offered::tool, "a*", {.scopes = {"write"}}}, {offered::prompt, "*", {.names = {"bob"}}}}};
  const auto said = rules.rulings_on(who({"use"}));
  ASSERT_EQ(said.size(), 2U);
  EXPECT_EQ(said[0].is, (permit{kind::lacks_scopes, {"use", "write"}}));
  EXPECT_EQ(said[1].is.is, kind::hidden);
  EXPECT_EQ(said[1].of.pattern.text(), "*");
}

// 2026-07-28, authorization, "Scope Challenge Handling"
TEST(permissions, count_scopes_that_others_include) {
  const scope_hierarchy includes{{"admin", {"write"}}, {"write", {"read", "admin"}}};
  EXPECT_TRUE(has_scope(who({"admin"}), "read", includes));
  EXPECT_FALSE(has_scope(who({"read"}), "write", includes));
  EXPECT_FALSE(has_scope(who({}), "read", includes));
}

} // namespace troupe::tests::permissions_test
