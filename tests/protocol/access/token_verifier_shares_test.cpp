#include "tests/protocol/access/token_verifier_driver.hpp"

namespace troupe::tests::token_verifier_shares_test {

using namespace token_verifier_driver;

TEST(token_verifier_shares, gives_no_address_the_places_of_others) {
  verifier it{true};
  it.learn({"k"}, with_introspection);
  it.outcomes();
  for (std::uint64_t i = 0; i < 2 * token_verifier::most_waiting; ++i)
    it.show(i, "made up " + std::to_string(i), "greedy");
  const auto outcomes = it.outcomes();
  EXPECT_EQ(std::ranges::count_if(outcomes, [](auto& one) { return one.starts_with("ask "); }),
            token_turns::most_asked);
  EXPECT_EQ(outcomes.back(), "1999 again in 1000");
  it.show(5000, "modest", "another");
  EXPECT_TRUE(it.outcomes().at(0).ends_with("token=modest&token_type_hint=access_token")) << "at once";
  it.show(5001, token("k", "k"), "greedy");
  EXPECT_EQ(it.outcomes(), lines{"5001 ann"}) << "what is signed has a share of its own";
}

TEST(token_verifier_shares, shuts_out_nobody_whose_token_was_good_before) {
  verifier it{true};
  it.learn({"k"}, with_introspection);
  const auto good = R"({"active":true,"sub":"ann","aud":"https://gw/mcp"})";
  it.show(1, "good", "shared");
  it.introspected(1, good);
  for (std::uint64_t i = 0; i < token_turns::most_tickets + 1; ++i)
    it.show(10 + i, "made up " + std::to_string(i % token_turns::most_tokens), "shared");
  it.outcomes();
  it.show(5000, "good", "shared");
  EXPECT_EQ(it.outcomes().size(), 1U) << "asked about at once, though 8 of the address are and 92 wait";
  it.introspected(2 + token_turns::most_tokens, good);
  EXPECT_EQ(it.outcomes(), lines{"5000 ann"});
}

TEST(token_verifier_shares, counts_many_requests_with_a_good_token_for_their_address) {
  verifier it{true};
  it.learn({"k"}, with_introspection);
  it.show(1, "good", "shared");
  it.introspected(1, R"({"active":true,"sub":"ann","aud":"https://gw/mcp"})");
  for (std::uint64_t i = 0; i < token_verifier::most_tickets_of_good + token_turns::most_tickets; ++i)
    it.show(10 + i, "good", "shared");
  it.show(5000, "good", "shared");
  EXPECT_EQ(it.outcomes().back(), "5000 again in 1000");
}

TEST(token_verifier_shares, forgets_that_a_token_was_good_when_it_is_bad) {
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
  EXPECT_EQ(it.outcomes().back(), "5000 again in 1000");
}

TEST(token_verifier_shares, remembers_so_many_good_ones) {
  verifier it{true};
  it.learn({"k"}, with_introspection);
  for (std::uint64_t i = 1; i <= 2 * token_verifier::most_good + 1; ++i) {
    it.show(i, "good " + std::to_string(i), "shared");
    it.introspected(i, R"({"active":true,"sub":"ann","aud":"https://gw/mcp"})");
  }
  for (std::uint64_t i = 0; i < token_turns::most_tokens; ++i)
    it.show(30'000 + i, "made up " + std::to_string(i), "shared");
  it.show(5000, "good 1", "shared");
  EXPECT_EQ(it.outcomes().back(), "5000 again in 1000");
  it.show(5001, "good " + std::to_string(token_verifier::most_good + 1), "shared");
  EXPECT_TRUE(it.outcomes().at(0).starts_with("ask "));
}

TEST(token_verifier_shares, gives_no_address_all_requests_that_show_one_token) {
  verifier it{true};
  it.learn({"k"}, with_introspection);
  for (std::uint64_t i = 0; i < token_turns::most_tickets; ++i)
    it.show(i, "made up", "greedy");
  it.outcomes();
  it.show(5000, "made up", "greedy");
  it.show(5001, "made up", "another");
  EXPECT_EQ(it.outcomes(), lines{"5000 again in 1000"});
}

TEST(token_verifier_shares, needs_no_place_for_what_it_has_the_key_of) {
  verifier it{true};
  it.learn({"k"}, with_introspection);
  for (std::uint64_t i = 0; i < token_verifier::most_waiting; ++i)
    it.show(i, "made up " + std::to_string(i), address(i / token_turns::most_tokens));
  it.outcomes();
  it.show(5000, "one more", "another");
  it.show(5001, token("k", "k"), "another");
  EXPECT_EQ(it.outcomes(), (lines{"5000 away", "5001 ann"}));
}

TEST(token_verifier_shares, asks_about_so_many_at_once_and_addresses_take_turns) {
  verifier it{true};
  it.learn({"k"}, with_introspection);
  it.outcomes();
  const auto each = token_turns::most_asked;
  for (std::uint64_t i = 0; i < 8 * each; ++i)
    it.show(i, "t" + std::to_string(i), address(i / (2 * each)));
  EXPECT_EQ(it.outcomes().size(), token_verifier::most_asked);
  it.show(5000, "modest", "another");
  EXPECT_EQ(it.outcomes(), lines{});
  it.introspected(1, R"({"active":false})");
  auto outcomes = it.outcomes();
  ASSERT_EQ(outcomes.size(), 2U);
  EXPECT_TRUE(outcomes[1].ends_with("token=modest&token_type_hint=access_token")) << "before those who wait for longer";
}

TEST(token_verifier_shares, lets_an_address_wait_whose_tokens_were_bad_but_not_for_what_is_signed) {
  verifier it{true};
  it.learn({"k"}, with_introspection);
  for (std::uint64_t i = 1; i <= token_turns::free_mistakes + 1; ++i) {
    it.show(i, "made up " + std::to_string(i), "guesses");
    it.introspected(i, R"({"active":false})");
  }
  it.outcomes();
  it.show(99, "somebody else's", "guesses");
  EXPECT_TRUE(it.outcomes().at(0).starts_with("ask ")) << "one at a time is looked at";
  it.show(100, "made up", "guesses");
  EXPECT_EQ(it.outcomes(), lines{"100 again in 200"});
  it.show(101, "opaque", "another");
  EXPECT_EQ(it.outcomes().size(), 1U);
  it.show(102, token("k", "k"), "guesses");
  EXPECT_EQ(it.outcomes(), lines{"102 ann"});
  it.now += 200ms;
  it.show(103, "made up", "guesses");
  EXPECT_TRUE(it.outcomes().at(0).starts_with("ask "));
}

} // namespace troupe::tests::token_verifier_shares_test
