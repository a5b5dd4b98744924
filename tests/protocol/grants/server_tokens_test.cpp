// The tokens that a remote server receives.

#include "protocol/grants/server_tokens.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace troupe::tests::server_tokens_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

const std::string endpoint = "https://as/token";

std::string grant(const std::string& token, int life) {
  return R"({"access_token":")" + token + R"(","token_type":"Bearer","expires_in":)" + std::to_string(life) + "}";
}

grant_rules exchanging() {
  return {.is = grant_rules::kind::token_exchange, .endpoint = endpoint, .client_id = "c", .client_secret = "s"};
}

/// A driver with outcomes by ticket: a token, or the reason of a failure.
struct grants_driver {
  explicit grants_driver(grant_rules rules = exchanging()) : it{std::move(rules)} {}

  void wants(std::uint64_t ticket, std::string owner, std::string subject = "t", std::string stale = {}) {
    hear(it.wanted(ticket, {.owner = std::move(owner), .subject = std::move(subject), .stale = std::move(stale)}, now));
  }
  void answers(std::uint64_t question, const std::string& body, int status = 200) {
    hear(it.answered(question, status, body, now));
  }
  void hear(grant_effects all) {
    for (auto& one : all) {
      if (auto* asks = std::get_if<request_token>(&one))
        asked.push_back(*asks);
      else if (auto* looks = std::get_if<fetch_metadata>(&one))
        looked.push_back(looks->url);
      else if (auto* token = std::get_if<deliver_token>(&one))
        outcomes[token->ticket] = token->text;
      else if (auto* none = std::get_if<report_no_token>(&one))
        outcomes[none->ticket] = "none: " + none->why;
    }
  }
  std::string outcome_of(std::uint64_t ticket) { return outcomes.contains(ticket) ? outcomes[ticket] : "nothing"; }

  time_point now{1h};
  server_tokens it;
  std::vector<request_token> asked;
  std::vector<std::string> looked;
  std::map<std::uint64_t, std::string> outcomes;
};

} // namespace

TEST(server_tokens, are_fetched_once_for_all_who_wait) {
  grants_driver t;
  for (std::uint64_t ticket = 1; ticket <= 5; ++ticket)
    t.wants(ticket, "ada", "t" + std::to_string(ticket));
  ASSERT_EQ(t.asked.size(), 1U);
  EXPECT_EQ(t.asked[0].url, endpoint);
  EXPECT_EQ(t.asked[0].form, grant_form(exchanging(), "t1"));
  t.answers(t.asked[0].question, grant("x", 600));
  for (std::uint64_t ticket = 1; ticket <= 5; ++ticket)
    EXPECT_EQ(t.outcome_of(ticket), "x");
}

TEST(server_tokens, are_each_owners_own) {
  grants_driver t;
  t.wants(1, "ada", "of ada");
  t.wants(2, "eve", "of eve");
  ASSERT_EQ(t.asked.size(), 2U);
  EXPECT_EQ(t.asked[1].form, grant_form(exchanging(), "of eve"));
  t.answers(t.asked[1].question, grant("for-eve", 600));
  EXPECT_EQ(t.outcome_of(1), "nothing");
  t.answers(t.asked[0].question, grant("for-ada", 600));
  EXPECT_EQ(t.outcome_of(1), "for-ada");
  EXPECT_EQ(t.outcome_of(2), "for-eve");
  t.wants(3, "ada");
  EXPECT_EQ(t.outcome_of(3), "for-ada");
  EXPECT_EQ(t.asked.size(), 2U);
}

TEST(server_tokens, are_replaced_shortly_before_they_expire) {
  for (auto [life, margin] : {std::pair{600, 30s}, std::pair{100, 10s}, std::pair{10, 1s}}) {
    grants_driver t;
    t.wants(1, "ada");
    t.answers(1, grant("x", life));
    t.now += std::chrono::seconds{life} - margin - 1ms;
    t.wants(2, "ada");
    EXPECT_EQ(t.outcome_of(2), "x");
    t.now += 1ms;
    t.wants(3, "ada");
    EXPECT_EQ(t.outcome_of(3), "nothing");
    EXPECT_EQ(t.asked.size(), 2U);
  }
}

TEST(server_tokens, are_used_for_a_second_although_they_expire_at_once) {
  for (auto life : {0, 1}) {
    grants_driver t;
    t.wants(1, "ada");
    t.answers(1, grant("x", life));
    EXPECT_EQ(t.outcome_of(1), "x");
    t.now += server_tokens::shortest_use - 1ms;
    t.wants(2, "ada");
    EXPECT_EQ(t.outcome_of(2), "x");
    EXPECT_EQ(t.asked.size(), 1U);
    t.now += 1ms;
    t.wants(3, "ada");
    EXPECT_EQ(t.asked.size(), 2U);
  }
}

TEST(server_tokens, are_given_to_a_caller_whose_own_is_gone_while_they_are_good) {
  grants_driver t;
  t.hear(t.it.wanted(1, {.owner = "ada", .why_no_subject = "no token"}, t.now));
  EXPECT_EQ(t.outcome_of(1), "none: no token");
  t.wants(2, "ada");
  t.answers(1, grant("x", 600));
  t.hear(t.it.wanted(3, {.owner = "ada", .why_no_subject = "no token"}, t.now));
  EXPECT_EQ(t.outcome_of(3), "x");
}

TEST(server_tokens, are_renewed_once_when_the_server_refuses_them) {
  grants_driver t;
  t.wants(1, "ada");
  t.answers(1, grant("x", 600));
  t.wants(2, "ada", "t", "x");
  ASSERT_EQ(t.asked.size(), 2U);
  t.wants(3, "ada", "t", "x");
  t.answers(2, grant("y", 600));
  EXPECT_EQ(t.outcome_of(2), "y");
  EXPECT_EQ(t.outcome_of(3), "y");
  // A later request with the old token gets the new one.
  t.wants(4, "ada", "t", "x");
  EXPECT_EQ(t.outcome_of(4), "y");
  // A server that refuses all tokens does not cause endless requests.
  t.wants(5, "ada", "t", "y");
  EXPECT_EQ(t.outcome_of(5), "none: the server refuses the one that was just fetched");
  EXPECT_EQ(t.asked.size(), 2U);
  t.now += server_tokens::renewal_pause;
  t.wants(6, "ada", "t", "y");
  EXPECT_EQ(t.asked.size(), 3U);
}

TEST(server_tokens, are_not_asked_for_again_for_a_moment_after_a_failure) {
  grants_driver t;
  const std::string why = "none: the authorization server gives none: it answers HTTP 400 (invalid_target)";
  t.wants(1, "ada");
  t.answers(1, R"({"error":"invalid_target"})", 400);
  EXPECT_EQ(t.outcome_of(1), why);
  t.now += server_tokens::first_pause - 1ms;
  t.wants(2, "ada");
  EXPECT_EQ(t.outcome_of(2), why);
  t.wants(3, "eve");
  EXPECT_EQ(t.asked.size(), 2U) << "others are asked for";
  t.now += 1ms;
  t.wants(4, "ada");
  ASSERT_EQ(t.asked.size(), 3U);
  t.hear(t.it.failed(t.asked[2].question, "timed out", t.now));
  EXPECT_EQ(t.outcome_of(4), "none: the authorization server gives none: timed out");
  t.now += server_tokens::first_pause * 2 - 1ms;
  t.wants(5, "ada");
  EXPECT_EQ(t.asked.size(), 3U) << "the pause has doubled";
  t.wants(6, "ada", "another token");
  EXPECT_EQ(t.asked.size(), 4U) << "another token may do";
}

TEST(server_tokens, are_asked_for_where_the_metadata_says) {
  auto rules = exchanging();
  rules.endpoint.clear();
  rules.issuer = "https://as";
  grants_driver t{rules};
  t.wants(1, "ada");
  t.wants(2, "eve");
  EXPECT_EQ(t.looked, (std::vector<std::string>{"https://as/.well-known/oauth-authorization-server"}));
  t.hear(t.it.document_failed("HTTP 404", t.now));
  EXPECT_EQ(t.looked.back(), "https://as/.well-known/openid-configuration");
  EXPECT_TRUE(t.asked.empty());
  t.hear(t.it.document_fetched(R"({"issuer":"https://as","token_endpoint":"https://as/t"})", t.now));
  ASSERT_EQ(t.asked.size(), 2U);
  EXPECT_EQ(t.asked[0].url, "https://as/t");
  t.wants(3, "bob");
  EXPECT_EQ(t.looked.size(), 2U);
}

TEST(server_tokens, are_refused_while_the_metadata_cannot_be_used) {
  auto rules = exchanging();
  rules.endpoint.clear();
  rules.issuer = "https://as";
  for (std::string bad : {R"({"issuer":"https://eve","token_endpoint":"https://as/t"})", R"({"issuer":"https://as"})",
                          R"({"issuer":"https://as","token_endpoint":"http://as/t"})",
                          R"({"issuer":"https://as","token_endpoint":"file:///t"})", "[]"}) {
    grants_driver t{rules};
    t.wants(1, "ada");
    t.hear(t.it.document_fetched(bad, t.now));
    t.hear(t.it.document_fetched(bad, t.now));
    EXPECT_TRUE(t.outcome_of(1).starts_with("none: the authorization server gives none: its metadata"))
        << t.outcome_of(1);
    EXPECT_TRUE(t.asked.empty());
    t.wants(2, "eve");
    EXPECT_NE(t.outcome_of(2), "nothing");
    EXPECT_EQ(t.looked.size(), 2U);
    t.now += token_endpoint::pause;
    t.wants(3, "eve");
    EXPECT_EQ(t.looked.size(), 3U);
  }
}

// A local issuer.
TEST(server_tokens, are_not_asked_for_in_plain_elsewhere) {
  auto rules = exchanging();
  rules.endpoint.clear();
  rules.issuer = "http://127.0.0.1:1";
  grants_driver t{rules};
  t.wants(1, "ada");
  t.hear(t.it.document_fetched(R"({"issuer":"http://127.0.0.1:1","token_endpoint":"http://as/t"})", t.now));
  t.hear(t.it.document_fetched(R"({"issuer":"http://127.0.0.1:1","token_endpoint":"http://127.0.0.1:2/t"})", t.now));
  ASSERT_EQ(t.asked.size(), 1U);
  EXPECT_EQ(t.asked[0].url, "http://127.0.0.1:2/t");
}

TEST(server_tokens, that_were_not_wanted_for_longest_make_room) {
  grants_driver t;
  auto fetch = [&](const std::string& owner) {
    t.outcomes.erase(1);
    const auto before = t.asked.size();
    t.wants(1, owner);
    if (t.asked.size() > before)
      t.answers(t.asked.back().question, grant("x", 100));
    return t.outcome_of(1) == "x" && t.asked.size() > before;
  };
  for (std::size_t i = 0; i < server_tokens::most_owners - 1; ++i)
    ASSERT_TRUE(fetch(std::to_string(i)));
  EXPECT_TRUE(fetch("the last there is room for"));
  EXPECT_EQ(t.it.owners(), server_tokens::most_owners);
  EXPECT_FALSE(fetch("0"));
  EXPECT_TRUE(fetch("one more"));
  EXPECT_EQ(t.it.owners(), server_tokens::most_owners);
  EXPECT_FALSE(fetch("0"));
  EXPECT_TRUE(fetch("1"));
}

TEST(server_tokens, that_are_waited_for_make_no_room) {
  grants_driver t;
  t.wants(0, "ada");
  for (std::size_t i = 1; i <= server_tokens::most_owners; ++i) {
    t.wants(i, std::to_string(i));
    t.answers(t.asked.back().question, grant("x", 100));
  }
  EXPECT_EQ(t.it.owners(), server_tokens::most_owners);
  t.answers(1, grant("y", 100));
  EXPECT_EQ(t.outcome_of(0), "y");
}

TEST(server_tokens, are_asked_for_a_few_at_a_time) {
  grants_driver t;
  constexpr auto most = server_tokens::most_asked;
  for (std::size_t i = 1; i <= most + 2; ++i) {
    t.wants(i, std::to_string(i), "of " + std::to_string(i));
    EXPECT_EQ(t.asked.size(), std::min(i, most));
  }
  t.answers(3, grant("x", 100));
  ASSERT_EQ(t.asked.size(), most + 1);
  EXPECT_EQ(t.asked.back().form, grant_form(exchanging(), "of " + std::to_string(most + 1)));
  t.hear(t.it.failed(1, "timed out", t.now));
  EXPECT_EQ(t.asked.size(), most + 2);
  t.answers(most + 2, grant("last", 100));
  EXPECT_EQ(t.outcome_of(most + 2), "last");
}

TEST(server_tokens, are_not_waited_for_behind_others_without_end) {
  grants_driver t;
  for (std::size_t i = 1; i <= server_tokens::most_asked; ++i)
    t.wants(i, std::to_string(i));
  t.wants(100, "ada");
  t.now += server_tokens::longest_wait - 1ms;
  t.wants(200, "eve");
  t.hear(t.it.tick(t.now));
  EXPECT_EQ(t.outcome_of(100), "nothing");
  t.now += 1ms;
  EXPECT_EQ(t.it.deadline(), t.now);
  t.hear(t.it.tick(t.now));
  EXPECT_EQ(t.outcome_of(100), "none: the authorization server gives none: too many others wait for one");
  EXPECT_EQ(t.outcome_of(200), "nothing");
  t.answers(1, grant("x", 100));
  t.answers(t.asked.back().question, grant("y", 100));
  EXPECT_EQ(t.outcome_of(200), "y");
}

TEST(server_tokens, are_good_no_longer_than_what_they_were_exchanged_for) {
  for (auto [life, lives] : {std::pair{89s, 89s}, {90s, 90s}, {91s, 90s}}) {
    grants_driver t;
    t.hear(t.it.wanted(1, {.owner = "ada", .subject = "t", .subject_until = t.now + life}, t.now));
    auto outcomes = t.it.answered(1, 200, grant("x", 100), t.now);
    EXPECT_EQ(outcomes, (grant_effects{deliver_token{1, "x", t.now + lives}}));
    t.now += lives;
    t.wants(2, "ada");
    EXPECT_EQ(t.asked.size(), 2U);
  }
}

TEST(server_tokens, are_waited_for_by_so_many_only) {
  grants_driver t;
  for (std::size_t i = 0; i < server_tokens::most_waiting; ++i)
    t.wants(i + 1, "ada");
  t.wants(0, "ada");
  EXPECT_EQ(t.outcome_of(0), "none: too many callers wait for one");
  t.answers(1, grant("x", 100));
  t.wants(0, "ada");
  EXPECT_EQ(t.outcome_of(0), "x");
}

TEST(server_tokens, are_forgotten_when_they_have_expired) {
  grants_driver t;
  EXPECT_EQ(t.it.deadline(), time_point::max());
  t.wants(1, "ada");
  t.answers(1, grant("x", 10));
  t.now = t.it.deadline();
  t.it.tick(t.now);
  EXPECT_EQ(t.it.owners(), 0U);
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

} // namespace troupe::tests::server_tokens_test
