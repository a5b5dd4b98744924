// The token that requests to a remote server are sent with.

#include "protocol/remote/call_credentials.hpp"
#include "tests/support/remote_effects.hpp"

#include <gtest/gtest.h>

using namespace troupe::protocol;
using namespace std::chrono_literals;

namespace troupe::protocol {

void PrintTo(const want_token& one, std::ostream* out) { *out << "want_token " << one.stale; }
void PrintTo(const withhold_call& one, std::ostream* out) { *out << "withhold_call " << one.call << ' ' << one.why; }
void PrintTo(const take_head& one, std::ostream* out) { *out << "take_head " << one.call << ' ' << one.status; }

} // namespace troupe::protocol

namespace {

using all = credential_effects;

const time_point at{1h};
constexpr http_call_id again = http_call_id{1} << 63;

send_call call(http_call_id id) { return {id, "POST", "https://far/mcp", {{"A", "b"}}, "text"}; }

send_call sent(http_call_id id, const std::string& token) {
  auto result = call(id & ~again);
  result.call = id;
  result.fields.emplace_back("Authorization", "Bearer " + token);
  return result;
}

/// It has a token.
call_credentials with(const std::string& token) {
  call_credentials result;
  result.send(call(1), at);
  result.token_given(token, at + 60s);
  result.head(1, 200, {});
  return result;
}

} // namespace

TEST(call_credentials, are_waited_for_once_by_all_requests) {
  call_credentials it;
  EXPECT_EQ(it.send(call(1), at), (all{want_token{}}));
  EXPECT_EQ(it.send(call(2), at), all{});
  EXPECT_TRUE(it.waits(1));
  EXPECT_EQ(it.field(), std::nullopt);
  EXPECT_EQ(it.token_given("x", at + 60s), (all{sent(1, "x"), sent(2, "x")}));
  EXPECT_FALSE(it.waits(1));
  EXPECT_EQ(it.send(call(3), at), (all{sent(3, "x")}));
  EXPECT_EQ(it.field(), (std::pair<std::string, std::string>{"Authorization", "Bearer x"}));
}

TEST(call_credentials, are_asked_for_anew_when_their_time_is_over) {
  auto it = with("x");
  EXPECT_EQ(it.send(call(2), at + 60s - 1ms), (all{sent(2, "x")}));
  EXPECT_EQ(it.send(call(3), at + 60s), (all{want_token{}}));
  EXPECT_EQ(it.token_given("y", at + 90s), (all{sent(3, "y")}));
}

TEST(call_credentials, that_are_not_to_be_had_are_an_error_of_each_request) {
  call_credentials it;
  it.send(call(1), at);
  it.send(call(2), at);
  EXPECT_EQ(it.token_refused("no"), (all{withhold_call{1, "no"}, withhold_call{2, "no"}}));
  EXPECT_EQ(it.send(call(3), at), (all{want_token{}}));
}

TEST(call_credentials, are_replaced_once_when_the_server_refuses_them) {
  auto it = with("x");
  it.send(call(2), at);
  it.send(call(3), at);
  EXPECT_EQ(it.head(2, 401, {{"B", "c"}}), (all{drop_call{2}, want_token{"x"}}));
  EXPECT_EQ(it.head(3, 401, {}), (all{drop_call{3}}));
  EXPECT_EQ(it.token_given("y", at + 60s), (all{sent(2 | again, "y"), sent(3 | again, "y")}));
  EXPECT_EQ(it.head(2, 200, {}), (all{take_head{2, 200, {}}}));
  EXPECT_EQ(it.head(3, 401, {}), (all{take_head{3, 401, {}}}));
}

TEST(call_credentials, that_were_replaced_meanwhile_are_used_at_once) {
  auto it = with("x");
  it.send(call(2), at);
  it.send(call(3), at);
  it.head(2, 401, {});
  it.token_given("y", at + 60s);
  EXPECT_EQ(it.head(3, 401, {}), (all{drop_call{3}, sent(3 | again, "y")}));
}

TEST(call_credentials, that_cannot_be_replaced_are_refused_as_the_server_has_said) {
  auto it = with("x");
  it.send(call(2), at);
  it.head(2, 401, {{"B", "c"}});
  it.send(call(3), at);
  EXPECT_EQ(it.token_refused("no"), (all{take_head{2, 401, {{"B", "c"}}}, withhold_call{3, "no"}}));
}

TEST(call_credentials, are_not_replaced_for_what_else_the_server_says) {
  auto it = with("x");
  for (auto status : {200, 202, 400, 403, 404, 500}) {
    it.send(call(2), at);
    EXPECT_EQ(it.head(2, status, {}), (all{take_head{2, status, {}}}));
  }
}

// What was on its way when the request was sent again.
TEST(call_credentials, tell_old_news_from_new) {
  auto it = with("x");
  it.send(call(2), at);
  EXPECT_EQ(it.told_of(2), std::optional<http_call_id>{2});
  it.head(2, 401, {});
  EXPECT_EQ(it.told_of(2), std::nullopt);
  it.token_given("y", at + 60s);
  EXPECT_EQ(it.told_of(2), std::nullopt);
  EXPECT_EQ(it.told_of(2 | again), std::optional<http_call_id>{2});
  it.head(2, 200, {});
  EXPECT_EQ(it.told_of(2), std::nullopt);
  EXPECT_EQ(it.told_of(2 | again), std::optional<http_call_id>{2});
}

TEST(call_credentials, forget_a_request_that_is_dropped) {
  call_credentials it;
  it.send(call(1), at);
  it.send(call(2), at);
  it.drop(1);
  EXPECT_EQ(it.token_given("x", at + 60s), (all{sent(2, "x")}));
}

// -- what is kept ---------------------------------------------------------------------------------

// Those of the tests: "POST", their URL, "A: b" and "text".
constexpr std::size_t size = 4 + 15 + 2 + 4;

TEST(call_credentials, are_waited_for_by_so_many_bytes_only) {
  for (auto [most, is_kept] : {std::pair{2 * size - 1, false}, {2 * size, true}, {2 * size + 1, true}}) {
    call_credentials it{most};
    it.send(call(1), at);
    EXPECT_EQ(it.send(call(2), at), is_kept ? all{} : (all{withhold_call{2, "too much waits for one"}}));
    EXPECT_EQ(it.waits(2), is_kept);
    EXPECT_EQ(it.kept(), is_kept ? 2 * size : size);
  }
}

TEST(call_credentials, are_not_replaced_for_what_is_not_kept) {
  for (auto [most, is_kept] : {std::pair{2 * size - 1, false}, {2 * size, true}, {2 * size + 1, true}}) {
    call_credentials it{most};
    it.token_given("x", at + 60s);
    it.send(call(1), at);
    EXPECT_EQ(it.send(call(2), at), (all{sent(2, "x")}));
    EXPECT_TRUE(it.knows(2));
    EXPECT_EQ(it.head(2, 401, {}),
              is_kept ? (all{drop_call{2}, want_token{"x"}}) : (all{want_token{"x"}, take_head{2, 401, {}}}));
    EXPECT_EQ(it.field(), std::nullopt) << "the next one is sent with another";
  }
}

TEST(call_credentials, keep_one_alone_however_long_it_is) {
  call_credentials it{size - 1};
  EXPECT_EQ(it.send(call(1), at), (all{want_token{}}));
  EXPECT_EQ(it.send(call(2), at), (all{withhold_call{2, "too much waits for one"}}));
  it.drop(1);
  EXPECT_EQ(it.send(call(3), at), all{});
  EXPECT_TRUE(it.waits(3));
}

TEST(call_credentials, keep_nothing_of_what_is_over) {
  call_credentials it{4 * size};
  for (http_call_id id = 1; id <= 4; ++id)
    it.send(call(id), at);
  EXPECT_EQ(it.kept(), 4 * size);
  it.drop(1);
  EXPECT_EQ(it.kept(), 3 * size);
  it.token_given("x", at + 60s);
  it.head(2, 200, {});
  EXPECT_EQ(it.kept(), 2 * size);
  it.head(3, 401, {});
  EXPECT_EQ(it.kept(), 2 * size);
  it.token_given("y", at + 60s);
  EXPECT_EQ(it.kept(), size) << "it is not sent a third time";
  it.head(4, 401, {});
  EXPECT_EQ(it.kept(), 0U);
  it.head(3, 401, {});
  it.head(4, 200, {});
  EXPECT_EQ(it.kept(), 0U);
  it.send(call(5), at + 60s);
  it.token_refused("no");
  EXPECT_EQ(it.kept(), 0U);
}
