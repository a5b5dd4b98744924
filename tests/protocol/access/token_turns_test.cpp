#include "protocol/access/token_turns.hpp"

#include <gtest/gtest.h>
#include <string>

namespace troupe::tests::token_turns_test {

using namespace protocol;
using namespace std::chrono_literals;
using outcome = token_turns::outcome;
using look = token_turns::look;

namespace {

class address_of_tokens {
public:
  void comes_with(outcome how, const std::string& from = "a") {
    it.token_begun(from, look::waits_for_issuer, now);
    it.token_ended(from, look::waits_for_issuer, how, now);
  }
  /// A second token, while a query to the issuer is pending.
  auto waits(const std::string& from = "a") {
    it.token_begun(from, look::waits_for_issuer, now);
    const auto result = it.pause(from, now);
    it.token_ended(from, look::waits_for_issuer, outcome::unknown, now);
    return result;
  }
  void mistakes(std::size_t number) {
    for (std::size_t i = 0; i < number; ++i)
      comes_with(outcome::bad);
  }

  token_turns it;
  time_point now{1h};
};

} // namespace

TEST(token_turns, give_each_address_its_share) {
  address_of_tokens at;
  for (std::size_t i = 0; i < token_turns::most_tokens; ++i) {
    EXPECT_FALSE(at.it.has_all_tokens("a", look::waits_for_issuer));
    at.it.token_begun("a", look::waits_for_issuer, at.now);
  }
  EXPECT_TRUE(at.it.has_all_tokens("a", look::waits_for_issuer));
  EXPECT_FALSE(at.it.has_all_tokens("a", look::checks_signature));
  EXPECT_FALSE(at.it.has_all_tokens("b", look::waits_for_issuer));
  at.it.token_changes("a", look::waits_for_issuer, look::checks_signature);
  EXPECT_FALSE(at.it.has_all_tokens("a", look::waits_for_issuer));
  at.it.token_begun("a", look::waits_for_issuer, at.now);
  at.it.token_ended("a", look::checks_signature, outcome::unknown, at.now);
  EXPECT_TRUE(at.it.has_all_tokens("a", look::waits_for_issuer));
  at.it.token_ended("a", look::waits_for_issuer, outcome::unknown, at.now);
  EXPECT_FALSE(at.it.has_all_tokens("a", look::waits_for_issuer));
  for (std::size_t i = 0; i < token_turns::most_tickets; ++i) {
    EXPECT_FALSE(at.it.has_all_tickets("b"));
    at.it.ticket_begun("b", at.now);
  }
  EXPECT_TRUE(at.it.has_all_tickets("b"));
  at.it.ticket_ended("b");
  EXPECT_FALSE(at.it.has_all_tickets("b"));
}

TEST(token_turns, let_one_wait_longer_each_time_whose_tokens_were_bad) {
  address_of_tokens at;
  at.mistakes(token_turns::free_mistakes);
  EXPECT_EQ(at.waits(), 0ms);
  for (auto pause : {200ms, 400ms, 800ms, 1600ms, 3200ms}) {
    at.comes_with(outcome::bad);
    EXPECT_EQ(at.waits(), pause);
    at.now += pause;
    EXPECT_EQ(at.waits(), 0ms);
    at.now -= pause;
  }
  at.mistakes(100);
  EXPECT_EQ(at.waits(), token_turns::longest_pause);
  EXPECT_EQ(at.waits("b"), 0ms);
}

TEST(token_turns, let_one_token_at_a_time_be_looked_at_meanwhile) {
  address_of_tokens at;
  at.mistakes(100);
  for (auto i = 0; i < 3; ++i) {
    EXPECT_EQ(at.it.pause("a", at.now), 0ms);
    at.it.token_begun("a", look::waits_for_issuer, at.now);
    EXPECT_EQ(at.it.pause("a", at.now), token_turns::longest_pause);
    at.it.token_ended("a", look::waits_for_issuer, outcome::bad, at.now);
  }
  at.it.token_begun("a", look::checks_signature, at.now);
  EXPECT_EQ(at.it.pause("a", at.now), 0ms) << "the issuer is not asked about that one";
}

TEST(token_turns, forget_mistakes_by_and_by_and_at_once_when_a_token_is_good) {
  address_of_tokens at;
  at.mistakes(token_turns::free_mistakes + 1);
  at.now += 2 * token_turns::forgotten_after;
  at.mistakes(2);
  EXPECT_EQ(at.waits(), 200ms);
  at.comes_with(outcome::unknown);
  EXPECT_EQ(at.waits(), 200ms) << "the issuer is away";
  at.comes_with(outcome::good);
  EXPECT_EQ(at.waits(), 0ms);
  at.mistakes(token_turns::free_mistakes);
  EXPECT_EQ(at.waits(), 0ms);
}

TEST(token_turns, never_let_a_client_wait_that_comes_again_with_the_same_old_token) {
  address_of_tokens at;
  for (auto i = 0; i < 1000; ++i) {
    at.comes_with(outcome::bad);
    EXPECT_EQ(at.waits(), 0ms);
    at.now += token_turns::forgotten_after;
  }
}

TEST(token_turns, limit_nobody_without_an_address) {
  address_of_tokens at;
  for (auto i = 0; i < 5000; ++i) {
    at.it.ticket_begun("", at.now);
    at.it.token_begun("", look::waits_for_issuer, at.now);
    at.it.ask_begun("");
  }
  EXPECT_FALSE(at.it.has_all_tokens("", look::waits_for_issuer));
  EXPECT_FALSE(at.it.has_all_tickets(""));
  EXPECT_TRUE(at.it.may_ask(""));
  EXPECT_EQ(at.it.size(), 0U);
}

TEST(token_turns, remember_so_many_addresses_and_no_more) {
  address_of_tokens at;
  for (std::size_t i = 0; i <= token_turns::most_addresses; ++i)
    at.comes_with(outcome::bad, std::to_string(i));
  EXPECT_EQ(at.it.size(), token_turns::most_addresses);
  at.now += token_turns::forgotten_after;
  at.comes_with(outcome::bad, "new");
  EXPECT_EQ(at.it.size(), 1U);
}

} // namespace troupe::tests::token_turns_test
