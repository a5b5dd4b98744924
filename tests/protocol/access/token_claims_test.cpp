#include "protocol/access/token_claims.hpp"

#include "protocol/text/base_encodings.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace troupe::tests::token_claims_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

const calendar_time now{1'800'000'000s};
const token_rules rules{"https://as", {"https://gw", {"api"}}, "groups"};

std::string encoded(const std::string& text) {
  auto result = base64(text);
  std::ranges::replace(result, '+', '-');
  std::ranges::replace(result, '/', '_');
  result.erase(result.find_last_not_of('=') + 1);
  return result;
}

std::string token(const std::string& header, const std::string& payload) {
  return encoded(header) + "." + encoded(payload) + ".c2ln";
}

/// Valid claims, with `change` added or replacing some of them.
std::string claims(const std::string& change = {}, const std::string& without = {}) {
  std::string result;
  for (auto [name, value] : {std::pair{"iss", R"("https://as")"},
                             {"aud", R"("https://gw/mcp")"},
                             {"sub", R"("ann")"},
                             {"exp", "1800000100"}})
    if (without != name)
      result += std::string{result.empty() ? "" : ","} + "\"" + name + "\":" + value;
  return "{" + result + (change.empty() ? "" : "," + change) + "}";
}

principal requester(const std::string& payload) {
  auto read = check_claims({.payload = payload}, rules, now);
  if (auto* why = std::get_if<std::string>(&read))
    ADD_FAILURE() << *why << ": " << payload;
  return std::holds_alternative<principal>(read) ? std::get<principal>(read) : principal{};
}

std::string why_not(const std::string& payload, bool is_access_token = false) {
  auto read = check_claims({.payload = payload, .is_access_token = is_access_token}, rules, now);
  return std::holds_alternative<std::string>(read) ? std::get<std::string>(read) : "";
}

} // namespace

// RFC 7515, 3.1
TEST(token, has_a_header_that_names_algorithm_and_key) {
  auto read = read_token(token(R"({"alg":"RS256","kid":"k1","jku":"https://evil","x5u":"https://evil"})", "{}"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->algorithm, "RS256");
  EXPECT_EQ(read->key_id, "k1");
  EXPECT_EQ(read->payload, "{}");
  EXPECT_EQ(read->signature_size, 3u);
}

TEST(token, is_none_unless_it_has_three_parts_and_a_header) {
  for (auto& text : {std::string{}, std::string{"a"}, std::string{"a.b"}, std::string{"a.b.c.d"},
                     std::string{"!.e30.c"}, token("[]", "{}"), token(R"({"alg":"RS256","alg":"none"})", "{}"),
                     token(R"({"alg":"RS256","crit":["b64"],"b64":false})", "{}"), token("{", "{}"),
                     token("{}", std::string(longest_token, 'x'))})
    EXPECT_FALSE(read_token(text)) << text.substr(0, 80);
}

TEST(token, tells_who_asks) {
  auto ann = requester(claims(R"("client_id":"c","scope":"a  b","scp":["c"],"groups":["g","h",7])"));
  EXPECT_EQ(ann.issuer, "https://as");
  EXPECT_EQ(ann.subject, "ann");
  EXPECT_EQ(ann.client, "c");
  EXPECT_EQ(ann.scopes, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(ann.groups, (std::vector<std::string>{"g", "h"}));
  EXPECT_EQ(ann.expires, now + 100s);
  EXPECT_EQ(requester(claims(R"("azp":"z")")).client, "z");
}

// RFC 7519, 4.1, with clock skew of up to a minute
TEST(token, is_good_from_its_beginning_to_its_end_give_or_take_a_minute) {
  auto expires = [](std::int64_t in) { return claims("\"exp\":" + std::to_string(1'800'000'000 + in), "exp"); };
  EXPECT_EQ(why_not(expires(-59)), "");
  EXPECT_EQ(why_not(expires(-60)), "the token has expired");
  auto begins = [](std::int64_t in) { return claims("\"nbf\":" + std::to_string(1'800'000'000 + in)); };
  EXPECT_EQ(why_not(begins(60)), "");
  EXPECT_EQ(why_not(begins(61)), "the token is not valid yet");
  EXPECT_EQ(why_not(claims("\"exp\":1800000100.5", "exp")), "");
}

TEST(token, is_refused_without_an_expiry_or_with_times_that_are_none) {
  EXPECT_EQ(why_not(claims({}, "exp")), "the token never expires");
  for (auto time : {"\"1800000100\"", "true", "-1", "1e400", "[]"})
    EXPECT_EQ(why_not(claims("\"exp\":" + std::string{time}, "exp")), "a time in the token is no number of seconds")
        << time;
}

TEST(token, lacks_a_claim_that_is_null) {
  EXPECT_EQ(why_not(claims(R"("exp":null)", "exp")), "the token never expires");
  EXPECT_EQ(why_not(claims(R"("nbf":null,"nonce":null,"at_hash":null,"events":null,"client_id":null)")), "");
}

TEST(token, ends_in_the_year_9999_when_it_never_ends) {
  for (auto never : {"253402300800", "253402300801", "9223372036854775807", "18446744073709551615", "1e300"})
    EXPECT_EQ(requester(claims("\"exp\":" + std::string{never}, "exp")).expires, calendar_time{253402300800s}) << never;
  EXPECT_EQ(why_not(claims(R"("nbf":9223372036854775807)")), "the token is not valid yet");
}

TEST(token, of_a_login_is_no_access_token_unless_it_says_so) {
  const std::string other = "the token is no access token";
  for (auto more : {R"("nonce":"n")", R"("at_hash":"h")", R"("events":{})"}) {
    EXPECT_EQ(why_not(claims(more)), other) << more;
    EXPECT_EQ(why_not(claims(more), true), "") << more;
    EXPECT_EQ(why_not(claims(more + std::string{R"(,"typ":"Bearer")"})), "") << more;
    EXPECT_EQ(why_not(claims(more + std::string{R"(,"token_use":"access")"})), "") << more;
  }
  for (auto more :
       {R"("typ":"ID")", R"("typ":"Refresh")", R"("typ":"Offline")", R"("typ":"Logout")", R"("token_use":"id")"}) {
    EXPECT_EQ(why_not(claims(more)), other) << more;
    EXPECT_EQ(why_not(claims(more), true), other) << more;
  }
  EXPECT_EQ(why_not(claims(R"("typ":"JWT","token_use":7)")), "");
}

// RFC 9068, 2.1
TEST(token, may_say_in_its_header_what_it_is) {
  const auto read = [](const std::string& type) {
    return read_token(token(R"({"alg":"RS256","typ":")" + type + "\"}", "{}"));
  };
  for (auto type : {"at+jwt", "application/at+jwt", "AT+JWT"})
    EXPECT_TRUE(read(type).value().is_access_token) << type;
  for (auto type : {"JWT", "application/jwt"})
    EXPECT_FALSE(read(type).value().is_access_token) << type;
  for (auto type : {"logout+jwt", "dpop+jwt", ""})
    EXPECT_FALSE(read(type)) << type;
}

// RFC 8707
TEST(token, is_refused_for_another_audience) {
  for (auto audience :
       {R"("https://gw.evil/mcp")", R"("https://gwx")", R"(["https://x"])", "7", R"([["https://gw/mcp"]])"})
    EXPECT_EQ(why_not(claims("\"aud\":" + std::string{audience}, "aud")), "the token is for another audience")
        << audience;
  EXPECT_EQ(why_not(claims({}, "aud")), "the token is for another audience");
  EXPECT_EQ(why_not(claims(R"("aud":["x","https://gw/mcp"])", "aud")), "");
  EXPECT_EQ(requester(claims(R"("aud":["x","HTTPS://GW:443/mcp"])", "aud")).audiences,
            (std::vector<std::string>{"x", "https://gw/mcp"}));
}

TEST(token, is_refused_of_another_issuer_and_without_a_subject) {
  for (auto other : {"https://as/a", "http://as", "https://as:8443", "https://as.example", "https://as//", "as"})
    EXPECT_EQ(why_not(claims(R"("iss":")" + std::string{other} + '"', "iss")), "the token is of another issuer")
        << other;
  EXPECT_EQ(why_not(claims({}, "iss")), "the token is of another issuer");
  EXPECT_EQ(why_not(claims({}, "sub")), "the token names no subject");
  EXPECT_EQ(why_not(claims(R"("sub":7)", "sub")), "the token names no subject");
}

TEST(token, is_refused_with_a_claim_that_stands_twice) {
  EXPECT_EQ(why_not(claims(R"("sub":"bob")")), "the claims of the token cannot be read");
  for (auto text : {"", "7", "[]", "{"})
    EXPECT_EQ(why_not(text), "the claims of the token cannot be read") << text;
}

// RFC 7662, 2.2
TEST(introspection, tells_whether_an_opaque_token_is_active) {
  auto judge = [](const std::string& answer) { return check_introspection(answer, rules, now); };
  auto good = judge(R"({"active":true,"sub":"ann","client_id":"c","scope":"a","aud":"https://gw/mcp"})");
  ASSERT_TRUE(std::holds_alternative<principal>(good));
  EXPECT_EQ(std::get<principal>(good).subject, "ann");
  EXPECT_EQ(std::get<principal>(good).issuer, "https://as");
  auto of_client = judge(R"({"active":true,"client_id":"c","aud":"https://gw/mcp"})");
  EXPECT_EQ(std::get<principal>(of_client).subject, "c");
  for (auto answer : {R"({"active":false})", R"({"active":"true","sub":"a","aud":"https://gw/mcp"})", "{}", "true",
                      R"({"active":true,"sub":"a"})", R"({"active":true,"sub":"a","aud":"https://gw/mcp","exp":1})",
                      R"({"active":true,"sub":"a","aud":"https://gw/mcp","iss":"https://x"})",
                      R"({"active":true,"aud":"https://gw/mcp"})"})
    EXPECT_TRUE(std::holds_alternative<std::string>(judge(answer))) << answer;
}

// An issuer's answer about an opaque token has no length limit.
TEST(token_claims, are_kept_as_far_as_a_token_can_have_them) {
  auto kept = [](std::size_t size) { return requester(claims(R"("x":")" + std::string(size, 'a') + "\"")).claims; };
  const auto rest = kept(1).size() - 1;
  EXPECT_EQ(kept(longest_token - rest).size(), longest_token);
  EXPECT_EQ(kept(longest_token - rest + 1), "{}");
}

} // namespace troupe::tests::token_claims_test
