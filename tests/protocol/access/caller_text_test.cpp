// Caller attributes in texts for servers.

#include "protocol/access/caller_text.hpp"
#include "protocol/text/caller_parts.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::caller_text_test {

using namespace protocol;

namespace {

caller ada(std::string claims = "{}") {
  return std::make_shared<const principal>(
      principal{"https://as", "ada", "desk", {"read", "write"}, {"staff", "admins"}, std::move(claims)});
}

std::string substituted(const std::string& text, const caller& who,
                        attribute_target where = attribute_target::variable) {
  auto result = text_for(text, who, where);
  auto* why = std::get_if<unavailable_attribute>(&result);
  return why ? "untold: " + why->why : std::get<std::string>(result);
}

std::string claim(const std::string& value) { return substituted("${principal.x}", ada("{\"x\":" + value + "}")); }

std::string unavailable_x(const std::string& why) {
  return "untold: the caller's `x`, which the MCP server is to be told, " + why;
}

} // namespace

TEST(caller_text, has_what_is_known_of_the_caller) {
  EXPECT_EQ(substituted("${principal.subject}", ada()), "ada");
  EXPECT_EQ(substituted("a ${principal.subject} of ${principal.issuer} at ${principal.client}.", ada()),
            "a ada of https://as at desk.");
  EXPECT_EQ(substituted("${principal.groups};${principal.scopes}", ada()), "staff,admins;read,write");
  EXPECT_EQ(substituted("plain $ {} ${HOME}", ada()), "plain $ {} ${HOME}");
}

TEST(caller_text, has_claims_that_are_texts_whole_numbers_and_booleans) {
  EXPECT_EQ(claim(R"("a\u00e9 b")"), "a\u00e9 b");
  EXPECT_EQ(claim("-12"), "-12");
  EXPECT_EQ(claim("true"), "true");
  EXPECT_EQ(substituted("${principal.https://as/role}", ada(R"({"https://as/role":"boss"})")), "boss");
  for (auto* other : {"1.5", "1E0", "[]", R"(["a"])", "{}"})
    EXPECT_EQ(claim(other), unavailable_x("is no text, whole number or boolean")) << other;
}

TEST(caller_text, is_refused_when_something_is_missing) {
  EXPECT_EQ(claim("null"), unavailable_x("is missing"));
  EXPECT_EQ(claim(R"("")"), unavailable_x("is missing"));
  EXPECT_EQ(substituted("Bearer ${principal.x}", ada()), unavailable_x("is missing"));
  EXPECT_EQ(substituted("${principal.x}", nullptr), unavailable_x("is missing: the caller has no credentials"));
  auto key = std::make_shared<const principal>(principal{key_issuer, "ci"});
  EXPECT_EQ(substituted("${principal.subject}", key), "ci");
  EXPECT_EQ(substituted("${principal.groups}", key),
            "untold: the caller's `groups`, which the MCP server is to be told, is missing");
}

// Bytes that would end a header field or an environment variable.
TEST(caller_text, is_refused_when_a_value_would_not_stay_in_its_line) {
  for (auto* bad : {R"("a\r\nX-Admin: 1")", R"("a\n")", R"("a\rb")", R"("a\u0000b")", R"("a\tb")", R"("a\u007f")",
                    R"("a\u0085b")", R"("a\u001bb")"})
    EXPECT_EQ(claim(bad), unavailable_x("has line breaks or other control characters")) << bad;
  for (auto* bad : {R"(" a")", R"("a ")", R"(" ")"})
    EXPECT_EQ(claim(bad), unavailable_x("begins or ends with a blank")) << bad;
  EXPECT_EQ(claim(R"("\ud800")"), unavailable_x("is no text, whole number or boolean"));
}

TEST(caller_text, is_refused_when_a_value_is_too_long) {
  EXPECT_EQ(claim('"' + std::string(longest_told_claim, 'a') + '"').size(), longest_told_claim);
  EXPECT_EQ(claim('"' + std::string(longest_told_claim + 1, 'a') + '"'), unavailable_x("is too long"));
}

TEST(caller_text, is_refused_when_a_group_would_be_read_as_two) {
  auto sly = std::make_shared<const principal>(principal{"https://as", "eve", "", {}, {"a,admins"}});
  EXPECT_EQ(substituted("${principal.groups}", sly),
            "untold: the caller's `groups`, which the MCP server is to be told, has a comma in one of its names");
}

// RFC 9110, 5.5: characters that receivers interpret as the end of a value, or as the beginning of a quoted one.
TEST(caller_text, is_refused_when_it_would_be_more_than_one_value_of_a_header) {
  const std::string why = "has a comma, a semicolon or a quote, by which it would be more than one value of a header";
  for (auto* bad : {R"("staff,admins")", R"("staff;role=admin")", R"("staff\" role=\"admin")"}) {
    auto who = ada("{\"x\":" + std::string{bad} + "}");
    EXPECT_EQ(substituted("${principal.x}", who, attribute_target::header), unavailable_x(why)) << bad;
    EXPECT_EQ(substituted("roles=${principal.x}", who, attribute_target::header), unavailable_x(why)) << bad;
    EXPECT_EQ(substituted("${principal.x}", who).substr(0, 5), "staff") << "a variable has one value whatever it says";
  }
  auto sly = std::make_shared<const principal>(principal{"https://as", "eve", "a;b", {}, {"a;admins"}});
  for (auto* name : {"client", "groups"})
    EXPECT_EQ(substituted("${principal." + std::string{name} + "}", sly, attribute_target::header),
              "untold: the caller's `" + std::string{name} + "`, which the MCP server is to be told, " + why);
  EXPECT_EQ(substituted("${principal.groups}, others", ada(), attribute_target::header), "staff,admins, others");
  EXPECT_EQ(substituted("${principal.x}", ada(R"({"x":"Jos\u00e9 O'Neill <j@x>"})"), attribute_target::header),
            "Jos\u00e9 O'Neill <j@x>");
}

TEST(caller_text, is_not_looked_at_again) { EXPECT_EQ(claim(R"("${principal.subject}")"), "${principal.subject}"); }

TEST(caller_text, is_told_from_a_plain_one) {
  EXPECT_TRUE(depend_on_caller({{"a", "b"}, {"c", "x${principal.subject}"}}));
  EXPECT_FALSE(depend_on_caller({{"a", "${PRINCIPAL}"}, {"c", "principal.subject"}}));
}

TEST(caller_parts, that_are_no_names_are_faults) {
  for (auto* good : {"", "x", "${principal.a}", "${principal.a}${principal.https://a/b c}", "${X}"})
    EXPECT_EQ(fault_of_caller_parts(good), "") << good;
  for (auto* bad : {"${principal.", "a${principal.b", "${principal.}", "${principal.a:-b}", "${principal.a\n}"})
    EXPECT_NE(fault_of_caller_parts(bad), "") << bad;
}

} // namespace troupe::tests::caller_text_test
