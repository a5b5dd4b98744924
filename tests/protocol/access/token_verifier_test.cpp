#include "tests/protocol/access/token_verifier_driver.hpp"

namespace troupe::tests::token_verifier_test {

using namespace token_verifier_driver;

TEST(token_verifier, waits_for_keys_and_tells_all_who_showed_a_token) {
  verifier it;
  it.show(1, token("k", "k"));
  it.show(2, token("k", "k"));
  it.show(3, token("k", "forged"));
  EXPECT_EQ(it.outcomes(), (lines{"get https://as/.well-known/oauth-authorization-server"}));
  it.fetched(document);
  EXPECT_EQ(it.outcomes(), (lines{"get https://as/keys"}));
  it.fetched(keys({"k"}));
  auto outcomes = it.outcomes();
  std::ranges::sort(outcomes);
  EXPECT_EQ(outcomes, (lines{"1 ann", "2 ann", "3 bad: the signature of the token is not good"}));
  it.show(4, token("k", "k", "bob"));
  EXPECT_EQ(it.outcomes(), (lines{"4 bob"}));
}

TEST(token_verifier, looks_for_no_key_when_the_claims_are_not_good) {
  verifier it;
  it.outcomes();
  it.show(1, token("k", "k", "ann", "https://elsewhere/mcp"));
  EXPECT_EQ(it.outcomes(), (lines{"1 bad: the token is for another audience"}));
  EXPECT_EQ(it.checks, 0);
}

// RFC 8725, 3.1 and 3.2
TEST(token_verifier, takes_no_algorithm_that_it_does_not_know) {
  verifier it;
  it.learn({"k"});
  it.outcomes();
  for (auto algorithm : {"none", "None", "HS256", "RS1", "ES256K", "EdDSA", ""}) {
    it.show(1, token("k", "k", "ann", "https://gw/mcp", algorithm));
    EXPECT_EQ(it.outcomes(), (lines{"1 bad: no key of the issuer signs such tokens"})) << algorithm;
  }
  EXPECT_EQ(it.checks, 0);
}

TEST(token_verifier, fetches_keys_again_for_one_that_it_does_not_know) {
  verifier it;
  it.learn({"old"});
  it.now += 30s;
  it.outcomes();
  it.show(1, token("new", "new"));
  EXPECT_EQ(it.outcomes(), (lines{"get https://as/.well-known/oauth-authorization-server"}));
  it.learn({"new"});
  EXPECT_EQ(it.outcomes(), (lines{"get https://as/keys", "1 ann"}));
  it.show(2, token("newer", "newer"));
  EXPECT_EQ(it.outcomes(), (lines{"2 bad: no key of the issuer signs such tokens"}));
}

TEST(token_verifier, cannot_tell_while_the_issuer_is_away_and_has_never_been_there) {
  verifier it;
  it.show(1, token("k", "k"));
  it.not_fetched();
  it.not_fetched();
  EXPECT_EQ(it.outcomes().back(), "1 away");
  it.show(2, token("k", "k"));
  EXPECT_EQ(it.outcomes(), (lines{"2 away"}));
}

TEST(token_verifier, goes_on_with_the_keys_that_it_has) {
  verifier it;
  it.learn({"k"});
  it.now += 10min;
  it.outcomes();
  it.not_fetched();
  it.show(1, token("k", "k"));
  EXPECT_EQ(it.outcomes(), (lines{"1 ann"}));
}

TEST(token_verifier, tries_a_few_keys_for_a_token_that_names_none) {
  verifier it;
  std::vector<std::string> ids;
  for (std::size_t i = 0; i <= token_verifier::most_tried; ++i)
    ids.push_back("k" + std::to_string(i));
  it.learn(ids);
  it.outcomes();
  it.show(1, token("", ids[token_verifier::most_tried - 1]));
  EXPECT_EQ(it.outcomes(), (lines{"1 ann"}));
  it.checks = 0;
  it.show(2, token("", ids[token_verifier::most_tried]));
  EXPECT_EQ(it.outcomes(), (lines{"2 bad: the signature of the token is not good"}));
  EXPECT_EQ(it.checks, static_cast<int>(token_verifier::most_tried));
}

TEST(token_verifier, fetches_keys_again_for_a_signature_that_is_not_good_by_those_it_has) {
  verifier it;
  it.learn_key("k", "old");
  it.now += 30s;
  it.outcomes();
  it.show(1, token("k", "new"), "there");
  it.show(2, token("k", "forged"), "there");
  EXPECT_EQ(it.outcomes(), (lines{"get https://as/.well-known/oauth-authorization-server"}));
  it.learn_key("k", "new");
  auto outcomes = it.outcomes();
  std::ranges::sort(outcomes);
  EXPECT_EQ(outcomes, (lines{"1 ann", "2 bad: the signature of the token is not good", "get https://as/keys"}));
  it.show(3, token("k", "forged again"), "there");
  EXPECT_EQ(it.outcomes(), (lines{"3 bad: the signature of the token is not good"}))
      << "keys are fetched every 30 s at most";
}

TEST(token_verifier, tells_that_a_signature_is_not_good_when_the_issuer_is_away) {
  verifier it;
  it.learn({"k"});
  it.now += 30s;
  it.show(1, token("k", "forged"));
  it.not_fetched();
  it.not_fetched();
  EXPECT_EQ(it.outcomes().back(), "1 bad: the signature of the token is not good");
}

TEST(token_verifier, gives_no_place_to_a_bad_signature_of_an_address_that_waits) {
  verifier it;
  it.learn({"k"});
  for (std::size_t i = 0; i <= token_turns::free_mistakes; ++i)
    it.show(i, token("k", "forged", std::to_string(i)), "there");
  it.now += 30s;
  for (std::size_t i = 0; i <= token_turns::most_tokens; ++i)
    it.show(100 + i, token("other", "other", std::to_string(i)), "there");
  it.outcomes();
  it.show(1000, token("k", "forged", "x"), "there");
  EXPECT_EQ(it.outcomes(), (lines{"1000 bad: the signature of the token is not good"}));
}

TEST(token_verifier, lets_so_many_tokens_wait_and_no_more) {
  verifier it;
  for (std::uint64_t i = 0; i < token_verifier::most_waiting; ++i)
    it.show(i, token("k", "k", std::to_string(i)), address(i / token_turns::most_tokens));
  it.outcomes();
  it.show(5000, token("k", "k", "one more"), "another");
  EXPECT_EQ(it.outcomes(), (lines{"5000 away"}));
  it.show(5001, token("k", "k", "7"), "another");
  EXPECT_EQ(it.outcomes(), lines{});
  it.learn({"k"});
  EXPECT_EQ(it.outcomes().size(), 1 + token_verifier::most_waiting + 1);
}

TEST(token_verifier, lets_so_many_show_a_token_and_no_more) {
  verifier it;
  for (std::uint64_t i = 0; i < token_verifier::most_tickets; ++i)
    it.show(i, token("k", "k"), address(i / token_turns::most_tickets));
  it.outcomes();
  it.show(20'000, token("k", "k"), "another");
  EXPECT_EQ(it.outcomes(), lines{"20000 away"});
  it.learn({"k"});
  EXPECT_EQ(it.outcomes().size(), 1 + token_verifier::most_tickets);
  it.show(20'001, token("k", "k"), "another");
  EXPECT_EQ(it.outcomes(), lines{"20001 ann"});
}

TEST(token_verifier, remembers_a_bad_token_for_some_seconds) {
  verifier it{true};
  it.learn({"k"}, with_introspection);
  it.show(1, "made up");
  it.introspected(1, R"({"active":false})");
  it.outcomes();
  it.show(2, "made up");
  EXPECT_EQ(it.outcomes(), lines{"2 bad: the token is not active"});
  it.now += token_verifier::keep_bad - 1ns;
  it.show(3, "made up");
  EXPECT_EQ(it.outcomes(), lines{"3 bad: the token is not active"});
  it.now += 1ns;
  it.show(4, "made up");
  EXPECT_EQ(it.outcomes().size(), 1U);
  it.introspected(2, R"({"active":true,"sub":"ann","aud":"https://gw/mcp"})");
  EXPECT_EQ(it.outcomes(), lines{"4 ann"});
  it.show(5, token("k", "forged"));
  it.show(6, token("k", "forged"));
  EXPECT_EQ(it.checks, 1) << "once";
}

TEST(token_verifier, cannot_tell_while_too_much_is_to_be_checked) {
  token_verifier it{{{"https://as", {"https://gw"}}}};
  const token_verifier::clocks at{{}, date};
  it.begin(at);
  it.fetched(document, at);
  it.fetched(keys({"k"}), at);
  EXPECT_EQ(std::get<check_signature>(it.shown(1, {token("k", "k")}, at).at(0)).keys.size(), 1U);
  auto outcomes = it.not_checked(1, at);
  EXPECT_EQ(std::get<report_verdict>(outcomes.at(0)).verdict.is, token_verdict::kind::unavailable);
  EXPECT_TRUE(it.signature_checked(1, true, at).empty());
}

TEST(token_verifier, reads_no_token_that_is_too_long_or_none_at_all) {
  verifier it;
  it.outcomes();
  it.show(1, std::string(longest_token, 'x'));
  it.show(2, std::string(longest_token + 1, 'x'));
  EXPECT_EQ(it.outcomes(), (lines{"1 bad: the token cannot be read", "2 bad: the token is too long"}));
}

// RFC 7662
TEST(token_verifier, asks_the_issuer_about_an_opaque_token_once) {
  verifier it{true};
  it.show(1, "secret+/=");
  it.outcomes();
  it.learn({"k"}, with_introspection);
  EXPECT_EQ(it.outcomes(),
            (lines{"get https://as/keys", "ask 1 https://as/ask token=secret%2B%2F%3D&token_type_hint=access_token"}));
  it.show(2, "secret+/=");
  it.show(3, "other");
  EXPECT_EQ(it.outcomes(), (lines{"ask 2 https://as/ask token=other&token_type_hint=access_token"}));
  it.introspected(1, R"({"active":true,"sub":"ann","aud":"https://gw/mcp"})");
  EXPECT_EQ(it.outcomes(), (lines{"1 ann", "2 ann"}));
  it.introspected(2, R"({"active":false})");
  EXPECT_EQ(it.outcomes(), (lines{"3 bad: the token is not active"}));
  it.introspected(2, R"({"active":true,"sub":"ann","aud":"https://gw/mcp"})");
  EXPECT_EQ(it.outcomes(), lines{});
}

TEST(token_verifier, cannot_tell_of_an_opaque_token_when_the_issuer_does_not_answer) {
  verifier it{true};
  it.learn({"k"}, with_introspection);
  it.show(1, "opaque");
  it.outcomes();
  it.not_introspected(1);
  EXPECT_EQ(it.outcomes(), (lines{"1 away", "log the issuer cannot be asked about a token"}));
  it.not_introspected(1);
  EXPECT_EQ(it.outcomes(), lines{});
}

TEST(token_verifier, refuses_an_opaque_token_of_an_issuer_that_cannot_be_asked) {
  verifier it{true};
  it.show(1, "opaque");
  it.outcomes();
  it.learn({"k"});
  EXPECT_EQ(it.outcomes().back(), "1 bad: the token cannot be read, and its issuer cannot be asked about it");
  it.show(2, "opaque");
  EXPECT_EQ(it.outcomes(), (lines{"2 bad: the token cannot be read, and its issuer cannot be asked about it"}));
}

} // namespace troupe::tests::token_verifier_test
