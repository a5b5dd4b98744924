#include "protocol/access/token_verifier.hpp"

#include "protocol/text/base64.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

namespace troupe::tests::token_verifier_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

const calendar_time date{1'800'000'000s};
const std::string document = R"({"issuer":"https://as","jwks_uri":"https://as/keys"})";
const std::string with_introspection =
    R"({"issuer":"https://as","jwks_uri":"https://as/keys","introspection_endpoint":"https://as/ask"})";

std::string encoded(const std::string& text) {
  auto result = base64(text);
  std::ranges::replace(result, '+', '-');
  std::ranges::replace(result, '/', '_');
  result.erase(result.find_last_not_of('=') + 1);
  return result;
}

/// Its signature is good by a key whose id it ends with.
std::string token(const std::string& key, const std::string& signature, const std::string& subject = "ann",
                  const std::string& audience = "https://gw/mcp", const std::string& algorithm = "RS256") {
  auto id = key.empty() ? "" : R"(,"kid":")" + key + "\"";
  return encoded(R"({"alg":")" + algorithm + "\"" + id + "}") + "." +
         encoded(R"({"iss":"https://as","aud":")" + audience + R"(","sub":")" + subject + R"(","exp":1800000100})") +
         "." + encoded(signature + std::string(256 - signature.size(), ' '));
}

/// Enough of one for a test.
credential_digest digest_of(const std::string& text) {
  credential_digest result{};
  const auto hash = std::hash<std::string>{}(text);
  std::memcpy(result.data(), &hash, sizeof hash);
  return result;
}

std::string keys(const std::vector<std::string>& ids) {
  std::string all;
  for (auto& id : ids)
    all += (all.empty() ? "" : ",") + (R"({"kty":"RSA","kid":")" + id + "\"}");
  return R"({"keys":[)" + all + "]}";
}

class verifier {
public:
  explicit verifier(bool introspects = false) : one_{{{"https://as", {"https://gw"}}, introspects}} {
    hear(one_.begin(at()));
  }

  token_verifier::clocks at() const { return {now, date}; }
  void show(std::uint64_t ticket, const std::string& text, const std::string& from = {}) {
    hear(one_.shown(ticket, {text, digest_of(text), from}, at()));
  }
  void fetched(const std::string& text) { hear(one_.fetched(text, at())); }
  void not_fetched() { hear(one_.not_fetched("refused", at())); }
  void introspected(std::uint64_t question, const std::string& text) { hear(one_.introspected(question, text, at())); }
  void not_introspected(std::uint64_t question) { hear(one_.not_introspected(question, "500", at())); }
  void learn(const std::vector<std::string>& ids, const std::string& of = document) {
    fetched(of);
    fetched(keys(ids));
  }
  /// What was told since the last time, as `1 ann`, `2 bad: why`, `3 away`, or `get url`, `ask url body`.
  std::vector<std::string> told() { return std::exchange(told_, {}); }

  time_point now{};
  int checks = 0;

private:
  void hear(const verifier_effects& all) {
    for (auto& one : all)
      std::visit([this](auto& what) { note(what); }, one);
  }
  void note(const fetch_document& what) { told_.push_back("get " + what.url); }
  void note(const introspect_token& what) {
    told_.push_back("ask " + std::to_string(what.question) + " " + what.url + " " + what.body);
  }
  void note(const check_signature& what) {
    auto id = *from_base64url(what.token.substr(what.token.rfind('.') + 1));
    auto name = "\"" + id.substr(0, id.find(' ')) + "\"";
    checks += static_cast<int>(what.keys.size());
    hear(one_.signature_checked(
        what.question, std::ranges::any_of(what.keys, [&](auto& key) { return key.text.find(name) != key.text.npos; }),
        at()));
  }
  void note(const log_note& what) { told_.push_back("log " + what.text); }
  void note(const tell_verdict& what) {
    auto& verdict = what.verdict;
    auto text = verdict.is == token_verdict::kind::good          ? verdict.who->subject
                : verdict.is == token_verdict::kind::bad         ? "bad: " + verdict.why
                : verdict.is == token_verdict::kind::unavailable ? "away"
                                                                 : "again in " + std::to_string(verdict.pause.count());
    told_.push_back(std::to_string(what.ticket) + " " + text);
  }

  token_verifier one_;
  std::vector<std::string> told_;
};

using lines = std::vector<std::string>;

std::string address(std::uint64_t number) { return "address " + std::to_string(number); }

} // namespace

TEST(token_verifier, waits_for_keys_and_tells_all_who_showed_a_token) {
  verifier it;
  it.show(1, token("k", "k"));
  it.show(2, token("k", "k"));
  it.show(3, token("k", "forged"));
  EXPECT_EQ(it.told(), (lines{"get https://as/.well-known/oauth-authorization-server"}));
  it.fetched(document);
  EXPECT_EQ(it.told(), (lines{"get https://as/keys"}));
  it.fetched(keys({"k"}));
  auto told = it.told();
  std::ranges::sort(told);
  EXPECT_EQ(told, (lines{"1 ann", "2 ann", "3 bad: the signature of the token is not good"}));
  it.show(4, token("k", "k", "bob"));
  EXPECT_EQ(it.told(), (lines{"4 bob"}));
}

TEST(token_verifier, looks_for_no_key_when_the_claims_are_not_good) {
  verifier it;
  it.told();
  it.show(1, token("k", "k", "ann", "https://elsewhere/mcp"));
  EXPECT_EQ(it.told(), (lines{"1 bad: the token is for another audience"}));
  EXPECT_EQ(it.checks, 0);
}

// RFC 8725, 3.1 and 3.2
TEST(token_verifier, takes_no_algorithm_that_it_does_not_know) {
  verifier it;
  it.learn({"k"});
  it.told();
  for (auto algorithm : {"none", "None", "HS256", "RS1", "ES256K", "EdDSA", ""}) {
    it.show(1, token("k", "k", "ann", "https://gw/mcp", algorithm));
    EXPECT_EQ(it.told(), (lines{"1 bad: no key of the issuer signs such tokens"})) << algorithm;
  }
  EXPECT_EQ(it.checks, 0);
}

TEST(token_verifier, fetches_keys_again_for_one_that_it_does_not_know) {
  verifier it;
  it.learn({"old"});
  it.now += 30s;
  it.told();
  it.show(1, token("new", "new"));
  EXPECT_EQ(it.told(), (lines{"get https://as/.well-known/oauth-authorization-server"}));
  it.learn({"new"});
  EXPECT_EQ(it.told(), (lines{"get https://as/keys", "1 ann"}));
  it.show(2, token("newer", "newer"));
  EXPECT_EQ(it.told(), (lines{"2 bad: no key of the issuer signs such tokens"}));
}

TEST(token_verifier, cannot_tell_while_the_issuer_is_away_and_has_never_been_there) {
  verifier it;
  it.show(1, token("k", "k"));
  it.not_fetched();
  it.not_fetched();
  EXPECT_EQ(it.told().back(), "1 away");
  it.show(2, token("k", "k"));
  EXPECT_EQ(it.told(), (lines{"2 away"}));
}

TEST(token_verifier, goes_on_with_the_keys_that_it_has) {
  verifier it;
  it.learn({"k"});
  it.now += 10min;
  it.told();
  it.not_fetched();
  it.show(1, token("k", "k"));
  EXPECT_EQ(it.told(), (lines{"1 ann"}));
}

TEST(token_verifier, tries_a_few_keys_for_a_token_that_names_none) {
  verifier it;
  it.learn({"a", "b", "c", "d", "e"});
  it.told();
  it.show(1, token("", "d"));
  EXPECT_EQ(it.told(), (lines{"1 ann"}));
  it.checks = 0;
  it.show(2, token("", "e"));
  EXPECT_EQ(it.told(), (lines{"2 bad: the signature of the token is not good"}));
  EXPECT_EQ(it.checks, 4);
}

TEST(token_verifier, lets_so_many_tokens_wait_and_no_more) {
  verifier it;
  for (std::uint64_t i = 0; i < token_verifier::most_waiting; ++i)
    it.show(i, token("k", "k", std::to_string(i)), address(i / token_turns::most_tokens));
  it.told();
  it.show(5000, token("k", "k", "one more"), "another");
  EXPECT_EQ(it.told(), (lines{"5000 away"}));
  it.show(5001, token("k", "k", "7"), "another");
  EXPECT_EQ(it.told(), lines{});
  it.learn({"k"});
  EXPECT_EQ(it.told().size(), 1 + token_verifier::most_waiting + 1);
}

TEST(token_verifier, lets_so_many_show_a_token_and_no_more) {
  verifier it;
  for (std::uint64_t i = 0; i < token_verifier::most_tickets; ++i)
    it.show(i, token("k", "k"), address(i / token_turns::most_tickets));
  it.told();
  it.show(20'000, token("k", "k"), "another");
  EXPECT_EQ(it.told(), lines{"20000 away"});
  it.learn({"k"});
  EXPECT_EQ(it.told().size(), 1 + token_verifier::most_tickets);
  it.show(20'001, token("k", "k"), "another");
  EXPECT_EQ(it.told(), lines{"20001 ann"});
}

// -- shares --------------------------------------------------------------------------------

TEST(token_verifier, gives_no_address_the_places_of_others) {
  verifier it{true};
  it.learn({"k"}, with_introspection);
  it.told();
  for (std::uint64_t i = 0; i < 2 * token_verifier::most_waiting; ++i)
    it.show(i, "made up " + std::to_string(i), "greedy");
  const auto told = it.told();
  EXPECT_EQ(std::ranges::count_if(told, [](auto& one) { return one.starts_with("ask "); }), token_turns::most_asked);
  EXPECT_EQ(told.back(), "1999 again in 1000");
  it.show(5000, "modest", "another");
  EXPECT_TRUE(it.told().at(0).ends_with("token=modest&token_type_hint=access_token")) << "at once";
  it.show(5001, token("k", "k"), "greedy");
  EXPECT_EQ(it.told(), lines{"5001 ann"}) << "what is signed has a share of its own";
}

TEST(token_verifier, shuts_out_nobody_whose_token_was_good_before) {
  verifier it{true};
  it.learn({"k"}, with_introspection);
  const auto good = R"({"active":true,"sub":"ann","aud":"https://gw/mcp"})";
  it.show(1, "good", "shared");
  it.introspected(1, good);
  for (std::uint64_t i = 0; i < token_turns::most_tickets + 1; ++i)
    it.show(10 + i, "made up " + std::to_string(i % token_turns::most_tokens), "shared");
  it.told();
  it.show(5000, "good", "shared");
  EXPECT_EQ(it.told().size(), 1U) << "asked about at once, though 8 of the address are and 92 wait";
  it.introspected(2 + token_turns::most_tokens, good);
  EXPECT_EQ(it.told(), lines{"5000 ann"});
}

TEST(token_verifier, counts_many_requests_with_a_good_token_for_their_address) {
  verifier it{true};
  it.learn({"k"}, with_introspection);
  it.show(1, "good", "shared");
  it.introspected(1, R"({"active":true,"sub":"ann","aud":"https://gw/mcp"})");
  for (std::uint64_t i = 0; i < token_verifier::most_tickets_of_good + token_turns::most_tickets; ++i)
    it.show(10 + i, "good", "shared");
  it.show(5000, "good", "shared");
  EXPECT_EQ(it.told().back(), "5000 again in 1000");
}

TEST(token_verifier, forgets_that_a_token_was_good_when_it_is_bad) {
  verifier it{true};
  it.learn({"k"}, with_introspection);
  it.show(1, "revoked", "shared");
  it.introspected(1, R"({"active":true,"sub":"ann","aud":"https://gw/mcp"})");
  it.show(2, "revoked", "shared");
  it.introspected(2, R"({"active":false})");
  it.now += token_verifier::keep_bad;
  for (std::uint64_t i = 0; i < token_turns::most_tokens; ++i)
    it.show(10 + i, "made up " + std::to_string(i), "shared");
  it.show(5000, "revoked", "shared");
  EXPECT_EQ(it.told().back(), "5000 again in 1000");
}

TEST(token_verifier, remembers_so_many_good_ones) {
  verifier it{true};
  it.learn({"k"}, with_introspection);
  for (std::uint64_t i = 1; i <= 2 * token_verifier::most_good + 1; ++i) {
    it.show(i, "good " + std::to_string(i), "shared");
    it.introspected(i, R"({"active":true,"sub":"ann","aud":"https://gw/mcp"})");
  }
  for (std::uint64_t i = 0; i < token_turns::most_tokens; ++i)
    it.show(30'000 + i, "made up " + std::to_string(i), "shared");
  it.show(5000, "good 1", "shared");
  EXPECT_EQ(it.told().back(), "5000 again in 1000");
  it.show(5001, "good " + std::to_string(token_verifier::most_good + 1), "shared");
  EXPECT_TRUE(it.told().at(0).starts_with("ask "));
}

TEST(token_verifier, gives_no_address_all_requests_that_show_one_token) {
  verifier it{true};
  it.learn({"k"}, with_introspection);
  for (std::uint64_t i = 0; i < token_turns::most_tickets; ++i)
    it.show(i, "made up", "greedy");
  it.told();
  it.show(5000, "made up", "greedy");
  it.show(5001, "made up", "another");
  EXPECT_EQ(it.told(), lines{"5000 again in 1000"});
}

TEST(token_verifier, needs_no_place_for_what_it_has_the_key_of) {
  verifier it{true};
  it.learn({"k"}, with_introspection);
  for (std::uint64_t i = 0; i < token_verifier::most_waiting; ++i)
    it.show(i, "made up " + std::to_string(i), address(i / token_turns::most_tokens));
  it.told();
  it.show(5000, "one more", "another");
  it.show(5001, token("k", "k"), "another");
  EXPECT_EQ(it.told(), (lines{"5000 away", "5001 ann"}));
}

TEST(token_verifier, asks_about_so_many_at_once_and_addresses_take_turns) {
  verifier it{true};
  it.learn({"k"}, with_introspection);
  it.told();
  const auto each = token_turns::most_asked;
  for (std::uint64_t i = 0; i < 8 * each; ++i)
    it.show(i, "t" + std::to_string(i), address(i / (2 * each)));
  EXPECT_EQ(it.told().size(), token_verifier::most_asked);
  it.show(5000, "modest", "another");
  EXPECT_EQ(it.told(), lines{});
  it.introspected(1, R"({"active":false})");
  auto told = it.told();
  ASSERT_EQ(told.size(), 2U);
  EXPECT_TRUE(told[1].ends_with("token=modest&token_type_hint=access_token")) << "before those who wait for longer";
}

TEST(token_verifier, remembers_a_bad_token_for_some_seconds) {
  verifier it{true};
  it.learn({"k"}, with_introspection);
  it.show(1, "made up");
  it.introspected(1, R"({"active":false})");
  it.told();
  it.show(2, "made up");
  EXPECT_EQ(it.told(), lines{"2 bad: the token is not active"});
  it.now += token_verifier::keep_bad - 1ns;
  it.show(3, "made up");
  EXPECT_EQ(it.told(), lines{"3 bad: the token is not active"});
  it.now += 1ns;
  it.show(4, "made up");
  EXPECT_EQ(it.told().size(), 1U);
  it.introspected(2, R"({"active":true,"sub":"ann","aud":"https://gw/mcp"})");
  EXPECT_EQ(it.told(), lines{"4 ann"});
  it.show(5, token("k", "forged"));
  it.show(6, token("k", "forged"));
  EXPECT_EQ(it.checks, 1) << "once";
}

TEST(token_verifier, lets_an_address_wait_whose_tokens_were_bad_but_not_for_what_is_signed) {
  verifier it{true};
  it.learn({"k"}, with_introspection);
  for (std::uint64_t i = 1; i <= token_turns::free_mistakes + 1; ++i) {
    it.show(i, "made up " + std::to_string(i), "guesses");
    it.introspected(i, R"({"active":false})");
  }
  it.told();
  it.show(99, "somebody else's", "guesses");
  EXPECT_TRUE(it.told().at(0).starts_with("ask ")) << "one at a time is looked at";
  it.show(100, "made up", "guesses");
  EXPECT_EQ(it.told(), lines{"100 again in 200"});
  it.show(101, "opaque", "another");
  EXPECT_EQ(it.told().size(), 1U);
  it.show(102, token("k", "k"), "guesses");
  EXPECT_EQ(it.told(), lines{"102 ann"});
  it.now += 200ms;
  it.show(103, "made up", "guesses");
  EXPECT_TRUE(it.told().at(0).starts_with("ask "));
}

TEST(token_verifier, cannot_tell_while_too_much_is_to_be_checked) {
  token_verifier it{{{"https://as", {"https://gw"}}}};
  const token_verifier::clocks at{{}, date};
  it.begin(at);
  it.fetched(document, at);
  it.fetched(keys({"k"}), at);
  EXPECT_EQ(std::get<check_signature>(it.shown(1, {token("k", "k")}, at).at(0)).keys.size(), 1U);
  auto told = it.not_checked(1, at);
  EXPECT_EQ(std::get<tell_verdict>(told.at(0)).verdict.is, token_verdict::kind::unavailable);
  EXPECT_TRUE(it.signature_checked(1, true, at).empty());
}

TEST(token_verifier, reads_no_token_that_is_too_long_or_none_at_all) {
  verifier it;
  it.told();
  it.show(1, std::string(longest_token, 'x'));
  it.show(2, std::string(longest_token + 1, 'x'));
  EXPECT_EQ(it.told(), (lines{"1 bad: the token cannot be read", "2 bad: the token is too long"}));
}

// RFC 7662
TEST(token_verifier, asks_the_issuer_about_an_opaque_token_once) {
  verifier it{true};
  it.show(1, "secret+/=");
  it.told();
  it.learn({"k"}, with_introspection);
  EXPECT_EQ(it.told(),
            (lines{"get https://as/keys", "ask 1 https://as/ask token=secret%2B%2F%3D&token_type_hint=access_token"}));
  it.show(2, "secret+/=");
  it.show(3, "other");
  EXPECT_EQ(it.told(), (lines{"ask 2 https://as/ask token=other&token_type_hint=access_token"}));
  it.introspected(1, R"({"active":true,"sub":"ann","aud":"https://gw/mcp"})");
  EXPECT_EQ(it.told(), (lines{"1 ann", "2 ann"}));
  it.introspected(2, R"({"active":false})");
  EXPECT_EQ(it.told(), (lines{"3 bad: the token is not active"}));
  it.introspected(2, R"({"active":true,"sub":"ann","aud":"https://gw/mcp"})");
  EXPECT_EQ(it.told(), lines{});
}

TEST(token_verifier, cannot_tell_of_an_opaque_token_when_the_issuer_does_not_answer) {
  verifier it{true};
  it.learn({"k"}, with_introspection);
  it.show(1, "opaque");
  it.told();
  it.not_introspected(1);
  EXPECT_EQ(it.told(), (lines{"1 away", "log the issuer cannot be asked about a token"}));
  it.not_introspected(1);
  EXPECT_EQ(it.told(), lines{});
}

TEST(token_verifier, refuses_an_opaque_token_of_an_issuer_that_cannot_be_asked) {
  verifier it{true};
  it.show(1, "opaque");
  it.told();
  it.learn({"k"});
  EXPECT_EQ(it.told().back(), "1 bad: the token cannot be read, and its issuer cannot be asked about it");
  it.show(2, "opaque");
  EXPECT_EQ(it.told(), (lines{"2 bad: the token cannot be read, and its issuer cannot be asked about it"}));
}

} // namespace troupe::tests::token_verifier_test
