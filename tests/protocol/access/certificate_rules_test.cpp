#include "protocol/access/endpoint_guard.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::certificate_rules_test {

using namespace protocol;

namespace {

const certificate_rules some = {{"*.example.com", {"read"}}, {"a.*", {"read", "write"}}};

} // namespace

TEST(certificate_rules, let_all_in_without_any) {
  auto who = certificate_holder("ann", {});
  ASSERT_TRUE(who);
  EXPECT_EQ(*who, (principal{.issuer = certificate_issuer, .subject = "ann"}));
  EXPECT_FALSE(certificate_holder("", {}));
}

TEST(certificate_rules, end_with_the_certificate_by_our_own_clock) {
  const calendar_time until{std::chrono::hours{1000}};
  for (const auto& rules : {certificate_rules{}, some}) {
    auto who = certificate_holder("a.example.com", rules, until);
    ASSERT_TRUE(who);
    EXPECT_EQ(good_until(*who), until) << "no leeway: TLS has none";
  }
  EXPECT_EQ(good_until(*certificate_holder("ann", {})), std::nullopt);
}

TEST(certificate_rules, give_the_scopes_of_all_that_fit) {
  EXPECT_EQ(certificate_holder("b.example.com", some)->scopes, (std::vector<std::string>{"read"}));
  EXPECT_EQ(certificate_holder("a.example.com", some)->scopes, (std::vector<std::string>{"read", "write"}));
}

TEST(certificate_rules, keep_others_out) {
  EXPECT_FALSE(certificate_holder("example.com", some));
  EXPECT_FALSE(certificate_holder("b.example.com.evil.org", some));
  EXPECT_FALSE(certificate_holder("", {{"*", {}}}));
}

} // namespace troupe::tests::certificate_rules_test
