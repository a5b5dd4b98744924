#include "protocol/oauth/login_token.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

namespace troupe::tests::login_token_test {

using namespace protocol;

namespace {

using login_calls = token_calls<login_token>;
using effect = login_calls::effect;
using effects = login_calls::effects;

const time_point start{std::chrono::seconds{100}};
const http_fields wants_login{{"WWW-Authenticate", R"(Bearer scope="read")"}};

send_call call_of(http_call_id id, const std::string& token = {}) {
  send_call result{.call = id, .method = "POST", .url = "http://far/", .fields = {{"A", "b"}}, .body = "x"};
  if (!token.empty())
    result.fields.emplace_back("Authorization", "Bearer " + token);
  return result;
}

template <class... Effects>
effects effects_of(Effects... all) {
  return {effect{std::move(all)}...};
}

} // namespace

TEST(login_calls, go_without_a_token_as_long_as_nobody_wants_one) {
  login_calls calls;
  EXPECT_EQ(calls.send(call_of(1), {}, start), effects_of(call_of(1)));
  EXPECT_EQ(calls.head(1, 200, {}), effects_of(deliver_head{1, 200, {}}));
  EXPECT_EQ(calls.field(start), std::nullopt);
}

TEST(login_calls, that_are_refused_wait_with_all_others_and_are_sent_again) {
  login_calls calls;
  calls.send(call_of(1), {}, start);
  calls.send(call_of(2), {}, start);
  EXPECT_EQ(calls.head(1, 401, wants_login),
            effects_of(drop_call{1}, want_login{"", bearer_challenge{"", "", {"read"}}}));
  EXPECT_EQ(calls.head(2, 401, wants_login), effects_of(drop_call{2}));
  EXPECT_EQ(calls.send(call_of(3), {}, start), effects{});
  EXPECT_TRUE(calls.waits(3));
  EXPECT_EQ(calls.token_given({}, "t", time_point::max()),
            effects_of(call_of(1, "t"), call_of(2, "t"), call_of(3, "t")));
  EXPECT_EQ(calls.send(call_of(4), {}, start), effects_of(call_of(4, "t")));
  EXPECT_EQ(calls.head(1, 401, wants_login), effects_of(deliver_head{1, 401, wants_login})) << "once only";
}

TEST(login_calls, that_were_sent_with_an_older_token_are_sent_with_the_new_one) {
  login_calls calls;
  calls.token_given({}, "old", time_point::max());
  calls.send(call_of(1), {}, start);
  calls.token_given({}, "new", time_point::max());
  EXPECT_EQ(calls.head(1, 401, {}), effects_of(drop_call{1}, call_of(1, "new")));
}

TEST(login_calls, that_lack_a_scope_want_it_and_others_that_are_forbidden_do_not) {
  login_calls calls;
  calls.token_given({}, "t", time_point::max());
  calls.send(call_of(0), {}, start);
  calls.head(0, 200, {});
  calls.send(call_of(1), {}, start);
  calls.send(call_of(2), {}, start);
  const http_fields lacks{{"WWW-Authenticate", R"(Bearer error="insufficient_scope", scope="write")"}};
  EXPECT_EQ(calls.head(1, 403, lacks),
            effects_of(drop_call{1}, want_login{"t", bearer_challenge{"insufficient_scope", "", {"write"}}}));
  EXPECT_EQ(calls.head(2, 403, {}), effects_of(drop_call{2})) << "while a token is awaited";
  calls.token_given({}, "u", time_point::max());
  calls.head(1, 200, {});
  EXPECT_EQ(calls.head(2, 403, {}), effects_of(deliver_head{2, 403, {}}));
}

TEST(login_calls, are_refused_without_a_token_by_403_or_a_redirect_to_a_page_too) {
  for (const auto status : {302, 303, 403}) {
    login_calls calls;
    calls.send(call_of(1), {}, start);
    EXPECT_EQ(calls.head(1, status, {}), effects_of(drop_call{1}, want_login{"", bearer_challenge{}})) << status;
    EXPECT_EQ(calls.token_given({}, "t", time_point::max()), effects_of(call_of(1, "t")));
    EXPECT_EQ(calls.head(1, status, {}), effects_of(deliver_head{1, status, {}})) << "once only";
    calls.send(call_of(2), {}, start);
    calls.head(2, 202, {});
    calls.send(call_of(3), {}, start);
    EXPECT_EQ(calls.head(3, status, {}), effects_of(deliver_head{3, status, {}}))
        << "not with a token that was accepted";
  }
  for (const auto status : {301, 307, 308, 400, 404, 405}) {
    login_calls calls;
    calls.send(call_of(1), {}, start);
    EXPECT_EQ(calls.head(1, status, {}), effects_of(deliver_head{1, status, {}})) << status;
  }
}

TEST(login_calls, with_a_token_that_was_never_accepted_are_refused_by_403_or_a_redirect_once) {
  for (const auto status : {302, 303, 403}) {
    login_calls calls;
    calls.token_given({}, "kept", time_point::max());
    calls.send(call_of(1), {}, start);
    calls.send(call_of(2), {}, start);
    EXPECT_EQ(calls.head(1, status, {}), effects_of(drop_call{1}, want_login{"kept", bearer_challenge{}})) << status;
    EXPECT_EQ(calls.head(2, status, {}), effects_of(drop_call{2})) << status;
    calls.token_refused({}, "no");
    calls.send(call_of(3), {}, start);
    EXPECT_EQ(calls.head(3, status, {}), effects_of(deliver_head{3, status, {}})) << status;
  }
}

TEST(login_calls, with_a_token_that_is_no_good_are_refused_by_403_too) {
  login_calls calls;
  calls.token_given({}, "t", time_point::max());
  calls.send(call_of(1), {}, start);
  const http_fields stale{{"WWW-Authenticate", R"(Bearer error="invalid_token")"}};
  EXPECT_EQ(calls.head(1, 403, stale),
            effects_of(drop_call{1}, want_login{"t", bearer_challenge{"invalid_token", "", {}}}));
}

TEST(login_calls, that_are_withheld_name_the_status_that_is_no_401) {
  for (const auto& [status, why] :
       {std::pair<int, std::string>{401, "no"}, {302, "HTTP 302; no"}, {403, "HTTP 403; no"}}) {
    login_calls calls;
    calls.send(call_of(1), {}, start);
    calls.head(1, status, {});
    EXPECT_EQ(calls.token_refused({}, "no"), effects_of(withhold_call{1, why}));
  }
}

TEST(login_calls, wait_for_another_token_when_theirs_is_about_to_end) {
  login_calls calls;
  calls.token_given({}, "t", start);
  EXPECT_EQ(calls.send(call_of(1), {}, start - std::chrono::seconds{1}), effects_of(call_of(1, "t")));
  EXPECT_EQ(calls.send(call_of(2), {}, start), effects_of(want_login{"t"}));
  EXPECT_EQ(calls.token_given({}, "u", time_point::max()), effects_of(call_of(2, "u")));
}

TEST(login_calls, are_withheld_when_nobody_logs_in) {
  login_calls calls;
  calls.send(call_of(1), {}, start);
  calls.head(1, 401, {});
  calls.send(call_of(2), {}, start);
  calls.drop(2);
  EXPECT_EQ(calls.token_refused({}, "no"), effects_of(withhold_call{1, "no"}));
  EXPECT_EQ(calls.send(call_of(3), {}, start), effects_of(call_of(3)));
}

} // namespace troupe::tests::login_token_test
