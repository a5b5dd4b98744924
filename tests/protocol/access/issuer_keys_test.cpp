#include "protocol/access/issuer_keys.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::issuer_keys_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

using state = issuer_keys::state;

const std::string as = "https://as/.well-known/oauth-authorization-server";
const std::string openid = "https://as/.well-known/openid-configuration";
const std::string document = R"({"issuer":"https://as","jwks_uri":"https://as/keys"})";

std::string keys(const std::string& id) { return R"({"keys":[{"kty":"RSA","kid":")" + id + "\"}]}"; }

struct issuer : issuer_keys {
  explicit issuer(bool introspects = false) : issuer_keys{{.issuer = "https://as", .introspects = introspects}} {}
  issuer_effects find_key(const std::string& id, state is) {
    issuer_effects out;
    EXPECT_EQ(find("RS256", id, now, out).is, is) << id;
    return out;
  }
  /// Receives the keys, after the queries that this requires.
  void learn(const std::string& id) {
    fetched(document, now);
    EXPECT_EQ(fetched(keys(id), now).back(), issuer_effect{keys_settled{}});
  }
  time_point now{};
};

const log_note& note_of(const issuer_effects& all) { return std::get<log_note>(all.front()); }

} // namespace

TEST(issuer_keys, are_found_by_the_metadata) {
  issuer a;
  EXPECT_EQ(a.begin(a.now), (issuer_effects{fetch_document{as}}));
  a.find_key("k", state::awaited);
  EXPECT_EQ(a.failed("404", a.now), (issuer_effects{fetch_document{openid}}));
  EXPECT_EQ(a.metadata_text(), "");
  EXPECT_EQ(a.fetched(document, a.now), (issuer_effects{fetch_document{"https://as/keys"}}));
  EXPECT_EQ(a.metadata_text(), document);
  EXPECT_EQ(a.fetched(keys("k"), a.now), (issuer_effects{keys_settled{}}));
  EXPECT_EQ(a.find_key("k", state::known), issuer_effects{});
}

TEST(issuer_keys, are_fetched_for_one_that_is_not_known_at_most_every_30_s) {
  issuer a;
  a.begin(a.now);
  a.learn("k");
  a.now += 30s - 1ms;
  EXPECT_EQ(a.find_key("new", state::unknown), issuer_effects{});
  a.now += 1ms;
  EXPECT_EQ(a.find_key("new", state::awaited), (issuer_effects{fetch_document{as}}));
  EXPECT_EQ(a.find_key("newer", state::awaited), issuer_effects{});
  a.find_key("k", state::known);
  a.learn("new");
  a.find_key("new", state::known);
  EXPECT_EQ(a.find_key("newer", state::unknown), issuer_effects{});
  a.find_key("k", state::unknown);
}

TEST(issuer_keys, are_fetched_for_one_that_may_have_changed_at_most_every_30_s) {
  issuer a;
  a.begin(a.now);
  a.learn("k");
  issuer_effects out;
  a.now += 30s - 1ms;
  EXPECT_FALSE(a.doubt(a.now, out));
  EXPECT_EQ(out, issuer_effects{});
  a.now += 1ms;
  EXPECT_TRUE(a.doubt(a.now, out));
  EXPECT_EQ(out, (issuer_effects{fetch_document{as}}));
  EXPECT_TRUE(a.doubt(a.now, out)) << "they are on their way";
  EXPECT_EQ(out.size(), 1U);
}

TEST(issuer_keys, are_looked_for_in_further_metadata_where_the_first_name_none) {
  const std::string without = R"({"issuer":"https://as","introspection_endpoint":"https://as/ask"})";
  issuer a;
  a.begin(a.now);
  EXPECT_EQ(a.fetched(without, a.now), (issuer_effects{fetch_document{openid}}));
  EXPECT_EQ(a.fetched(document, a.now), (issuer_effects{fetch_document{"https://as/keys"}}));
}

TEST(issuer_keys, are_fetched_again_after_a_while) {
  issuer a;
  a.begin(a.now);
  a.learn("k");
  EXPECT_EQ(a.deadline(), a.now + 10min);
  EXPECT_EQ(a.tick(a.now + 10min - 1ms), issuer_effects{});
  EXPECT_EQ(a.tick(a.now + 10min), (issuer_effects{fetch_document{as}}));
  EXPECT_EQ(a.deadline(), time_point::max());
}

TEST(issuer_keys, stay_while_the_issuer_is_away) {
  issuer a;
  a.begin(a.now);
  a.learn("k");
  a.now += 10min;
  a.tick(a.now);
  a.failed("refused", a.now);
  auto told = a.failed("refused", a.now);
  EXPECT_EQ(note_of(told).text, "the issuer's keys cannot be fetched: those that are known stay");
  EXPECT_EQ(told.back(), issuer_effect{keys_settled{}});
  a.find_key("k", state::known);
  EXPECT_EQ(a.deadline(), a.now + 30s);
  a.now += 30s;
  a.tick(a.now);
  a.failed("refused", a.now);
  EXPECT_EQ(a.failed("refused", a.now), (issuer_effects{keys_settled{}}));
  a.now += 30s;
  a.tick(a.now);
  a.fetched(document, a.now);
  EXPECT_EQ(note_of(a.fetched(keys("k"), a.now)).text, "the issuer answers again");
}

TEST(issuer_keys, are_unavailable_until_they_were_there_once) {
  issuer a;
  a.begin(a.now);
  a.failed("refused", a.now);
  EXPECT_EQ(note_of(a.failed("refused", a.now)).text, "the issuer's keys cannot be fetched: no token is accepted");
  EXPECT_EQ(a.find_key("k", state::unavailable), issuer_effects{});
  a.now += 30s;
  EXPECT_EQ(a.find_key("k", state::awaited), (issuer_effects{fetch_document{as}}));
}

TEST(issuer_keys, are_not_believed_from_elsewhere) {
  issuer a;
  a.begin(a.now);
  EXPECT_EQ(a.fetched(R"({"issuer":"https://evil","jwks_uri":"https://evil/keys"})", a.now),
            (issuer_effects{fetch_document{openid}}));
  a.fetched(document, a.now);
  EXPECT_EQ(note_of(a.fetched("{}", a.now)).facts.back().second, "it has no keys that can sign tokens");
  a.find_key("k", state::unavailable);
}

TEST(issuer_keys, are_never_asked_for_an_algorithm_that_is_not_accepted) {
  issuer a;
  issuer_effects out;
  for (auto algorithm : {"none", "HS256", ""})
    EXPECT_EQ(a.find(algorithm, "k", a.now, out).is, state::unknown);
  EXPECT_EQ(out, issuer_effects{});
}

TEST(issuer_keys, need_none_where_tokens_are_opaque) {
  issuer a{true};
  a.begin(a.now);
  EXPECT_EQ(a.fetched(R"({"issuer":"https://as","introspection_endpoint":"https://as/i"})", a.now),
            (issuer_effects{keys_settled{}}));
  EXPECT_EQ(a.metadata().introspection_url, "https://as/i");
}

TEST(issuer_keys, take_no_answer_that_nobody_asked_for) {
  issuer a;
  EXPECT_EQ(a.fetched(document, a.now), issuer_effects{});
  EXPECT_EQ(a.failed("x", a.now), issuer_effects{});
}

} // namespace troupe::tests::issuer_keys_test
