// Server options about callers and tokens.

#include "protocol/options/server_rules.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::caller_rules_test {

using namespace protocol;

TEST(caller_needs, are_met_where_each_process_has_one_caller_who_is_known) {
  EXPECT_EQ(fault_of_needs({}), "");
  EXPECT_EQ(fault_of_needs({.has_one_caller = false}), "");
  EXPECT_EQ(fault_of_needs({.is_told = true, .knows_callers = true}), "");
  EXPECT_EQ(fault_of_needs({.exchanges = true, .knows_callers = true, .knows_tokens = true}), "");
  EXPECT_EQ(fault_of_needs({.is_told = true, .has_one_caller = false, .knows_callers = true}),
            "is told who asks (`${principal.…}`), which takes `sharing` `session` or `principal`");
  EXPECT_EQ(fault_of_needs({.is_told = true}), "is told who asks (`${principal.…}`), but nobody has to say who he is: "
                                               "that takes keys, an issuer or certificates");
  EXPECT_EQ(fault_of_needs({.exchanges = true, .knows_callers = true}),
            "is shown a token of each caller, in exchange for his own: that takes an issuer");
  EXPECT_EQ(fault_of_needs({.exchanges = true, .has_one_caller = false}),
            "is shown a token of each caller, which takes `sharing` `session` or `principal`");
}

TEST(grant_rules, are_of_one_place_one_client_and_no_other_credentials) {
  const grant_words good{.issuer = "https://as", .endpoint = "", .client_id = "c", .client_secret = "s"};
  EXPECT_EQ(fault_of_grant(good), "");
  auto changed = [&](auto change) {
    auto one = good;
    change(one);
    return fault_of_grant(one);
  };
  EXPECT_EQ(changed([](auto& one) { one.issuer = "http://127.0.0.1:1"; }), "");
  EXPECT_EQ(changed([](auto& one) {
              one.issuer = "";
              one.endpoint = "https://as/token";
            }),
            "");
  EXPECT_EQ(changed([](auto& one) { one.scopes = {"read", "a:b/c"}; }), "");
  EXPECT_EQ(changed([](auto& one) { one.resource = ""; }), "");
  EXPECT_EQ(changed([](auto& one) { one.resource = "https://far/mcp"; }), "");
  EXPECT_NE(changed([](auto& one) { one.issuer = ""; }), "");
  EXPECT_NE(changed([](auto& one) { one.endpoint = "https://as/token"; }), "");
  EXPECT_NE(changed([](auto& one) { one.issuer = "http://as"; }), "");
  EXPECT_NE(changed([](auto& one) { one.issuer = "as"; }), "");
  EXPECT_NE(changed([](auto& one) { one.client_id = ""; }), "");
  EXPECT_NE(changed([](auto& one) { one.client_secret = ""; }), "");
  EXPECT_NE(changed([](auto& one) { one.scopes = {"a b"}; }), "");
  EXPECT_NE(changed([](auto& one) { one.resource = "far"; }), "");
  EXPECT_NE(changed([](auto& one) { one.has_own_header = true; }), "");
}

} // namespace troupe::tests::caller_rules_test
