// The token of requests to a remote server.

#include "protocol/remote/obtained_tokens.hpp"

#include "protocol/access/presented_tokens.hpp"
#include "tests/support/remote_effects.hpp"

#include <gtest/gtest.h>

namespace troupe::protocol {

void PrintTo(const want_token& one, std::ostream* out) { *out << "want_token " << one.whose << ' ' << one.stale; }
void PrintTo(const withhold_call& one, std::ostream* out) { *out << "withhold_call " << one.call << ' ' << one.why; }
void PrintTo(const deliver_head& one, std::ostream* out) { *out << "take_head " << one.call << ' ' << one.status; }

} // namespace troupe::protocol

namespace troupe::tests::obtained_tokens_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

using authorized_calls = token_calls<obtained_tokens>;
using all = authorized_calls::effects;

const time_point at{1h};

send_call call(http_call_id id) { return {id, "POST", "https://far/mcp", {{"A", "b"}}, "text"}; }

send_call sent(http_call_id id, const std::string& token) {
  auto result = call(id);
  result.fields.emplace_back("Authorization", "Bearer " + token);
  return result;
}

caller ada_with(std::vector<std::string> scopes) {
  return std::make_shared<const principal>(principal{.issuer = "i", .subject = "ada", .scopes = std::move(scopes)});
}

all sends(authorized_calls& it, http_call_id id, const caller& requester) {
  auto what = call(id);
  what.requester = requester;
  return it.send(std::move(what), token_key(requester), at);
}

/// Calls that have a token.
struct calls_with : authorized_calls {
  explicit calls_with(const std::string& token) {
    send(call(1), {}, at);
    token_given("", token, at + 60s);
    head(1, 200, {});
  }
};

} // namespace

TEST(obtained_tokens, are_waited_for_once_by_all_requests) {
  authorized_calls it;
  EXPECT_EQ(it.send(call(1), {}, at), (all{want_token{}}));
  EXPECT_EQ(it.send(call(2), {}, at), all{});
  EXPECT_TRUE(it.waits(1));
  EXPECT_EQ(it.field(at), std::nullopt);
  EXPECT_EQ(it.token_given("", "x", at + 60s), (all{sent(1, "x"), sent(2, "x")}));
  EXPECT_FALSE(it.waits(1));
  EXPECT_EQ(it.send(call(3), {}, at), (all{sent(3, "x")}));
  EXPECT_EQ(it.field(at + 60s - 1ms), (std::pair<std::string, std::string>{"Authorization", "Bearer x"}));
  EXPECT_EQ(it.field(at + 60s), std::nullopt) << "a last request shows none that has expired";
}

TEST(obtained_tokens, are_asked_for_anew_when_their_time_is_over) {
  auto it = calls_with("x");
  EXPECT_EQ(it.send(call(2), {}, at + 60s - 1ms), (all{sent(2, "x")}));
  EXPECT_EQ(it.send(call(3), {}, at + 60s), (all{want_token{}}));
  EXPECT_EQ(it.token_given("", "y", at + 90s), (all{sent(3, "y")}));
}

TEST(obtained_tokens, that_are_not_to_be_had_are_an_error_of_each_request) {
  authorized_calls it;
  it.send(call(1), {}, at);
  it.send(call(2), {}, at);
  EXPECT_EQ(it.token_refused("", "no"), (all{withhold_call{1, "no"}, withhold_call{2, "no"}}));
  EXPECT_EQ(it.send(call(3), {}, at), (all{want_token{}}));
}

TEST(obtained_tokens, are_replaced_once_when_the_server_refuses_them) {
  auto it = calls_with("x");
  it.send(call(2), {}, at);
  it.send(call(3), {}, at);
  EXPECT_EQ(it.head(2, 401, {{"B", "c"}}), (all{drop_call{2}, want_token{"", nullptr, "x"}}));
  EXPECT_EQ(it.head(3, 401, {}), (all{drop_call{3}}));
  EXPECT_EQ(it.token_given("", "y", at + 60s), (all{sent(2, "y"), sent(3, "y")}));
  EXPECT_EQ(it.head(2, 200, {}), (all{deliver_head{2, 200, {}}}));
  EXPECT_EQ(it.head(3, 401, {}), (all{deliver_head{3, 401, {}}}));
}

TEST(obtained_tokens, are_replaced_when_a_403_says_that_the_token_is_no_good) {
  auto it = calls_with("x");
  it.send(call(2), {}, at);
  EXPECT_EQ(it.head(2, 403, {{"WWW-Authenticate", R"(Bearer error="invalid_token")"}}),
            (all{drop_call{2}, want_token{.stale = "x"}}));
  EXPECT_EQ(it.token_given("", "y", at + 60s), (all{sent(2, "y")}));
  it.head(2, 200, {});
  it.send(call(3), {}, at);
  const http_fields lacks{{"WWW-Authenticate", R"(Bearer error="insufficient_scope")"}};
  EXPECT_EQ(it.head(3, 403, lacks), (all{deliver_head{3, 403, lacks}}));
}

TEST(obtained_tokens, that_were_replaced_meanwhile_are_used_at_once) {
  auto it = calls_with("x");
  it.send(call(2), {}, at);
  it.send(call(3), {}, at);
  it.head(2, 401, {});
  it.token_given("", "y", at + 60s);
  EXPECT_EQ(it.head(3, 401, {}), (all{drop_call{3}, sent(3, "y")}));
}

TEST(obtained_tokens, that_cannot_be_replaced_are_refused_as_the_server_has_said) {
  auto it = calls_with("x");
  it.send(call(2), {}, at);
  it.head(2, 401, {{"B", "c"}});
  it.send(call(3), {}, at);
  EXPECT_EQ(it.token_refused("", "no"), (all{deliver_head{2, 401, {{"B", "c"}}}, withhold_call{3, "no"}}));
}

TEST(obtained_tokens, are_not_replaced_for_what_else_the_server_says) {
  auto it = calls_with("x");
  for (auto status : {200, 202, 400, 403, 404, 500}) {
    it.send(call(2), {}, at);
    EXPECT_EQ(it.head(2, status, {}), (all{deliver_head{2, status, {}}}));
  }
}

TEST(obtained_tokens, forget_a_request_that_is_dropped) {
  authorized_calls it;
  it.send(call(1), {}, at);
  it.send(call(2), {}, at);
  it.drop(1);
  EXPECT_EQ(it.token_given("", "x", at + 60s), (all{sent(2, "x")}));
}

// -- stored state ---------------------------------------------------------------------------------

// The bytes of a request of the tests: "POST", the URL, "A: b" and "text".
constexpr std::size_t size = 4 + 15 + 2 + 4;

TEST(obtained_tokens, are_waited_for_by_so_many_bytes_only) {
  for (auto [most, is_kept] : {std::pair{2 * size - 1, false}, {2 * size, true}, {2 * size + 1, true}}) {
    authorized_calls it{most};
    it.send(call(1), {}, at);
    EXPECT_EQ(it.send(call(2), {}, at), is_kept ? all{} : (all{withhold_call{2, "too much waits for one"}}));
    EXPECT_EQ(it.waits(2), is_kept);
    EXPECT_EQ(it.kept(), is_kept ? 2 * size : size);
  }
}

TEST(obtained_tokens, are_not_replaced_for_what_is_not_kept) {
  for (auto [most, is_kept] : {std::pair{2 * size - 1, false}, {2 * size, true}, {2 * size + 1, true}}) {
    authorized_calls it{most};
    it.token_given("", "x", at + 60s);
    it.send(call(1), {}, at);
    EXPECT_EQ(it.send(call(2), {}, at), (all{sent(2, "x")}));
    EXPECT_TRUE(it.knows(2));
    EXPECT_EQ(it.head(2, 401, {}), is_kept ? (all{drop_call{2}, want_token{"", nullptr, "x"}})
                                           : (all{want_token{"", nullptr, "x"}, deliver_head{2, 401, {}}}));
    EXPECT_EQ(it.field(at), std::nullopt) << "the next one is sent with another";
  }
}

TEST(obtained_tokens, keep_one_alone_however_long_it_is) {
  authorized_calls it{size - 1};
  EXPECT_EQ(it.send(call(1), {}, at), (all{want_token{}}));
  EXPECT_EQ(it.send(call(2), {}, at), (all{withhold_call{2, "too much waits for one"}}));
  it.drop(1);
  EXPECT_EQ(it.send(call(3), {}, at), all{});
  EXPECT_TRUE(it.waits(3));
}

TEST(obtained_tokens, keep_nothing_of_what_is_over) {
  authorized_calls it{4 * size};
  for (http_call_id id = 1; id <= 4; ++id)
    it.send(call(id), {}, at);
  EXPECT_EQ(it.kept(), 4 * size);
  it.drop(1);
  EXPECT_EQ(it.kept(), 3 * size);
  it.token_given("", "x", at + 60s);
  it.head(2, 200, {});
  EXPECT_EQ(it.kept(), 2 * size);
  it.head(3, 401, {});
  EXPECT_EQ(it.kept(), 2 * size);
  it.token_given("", "y", at + 60s);
  EXPECT_EQ(it.kept(), size) << "it is not sent a third time";
  it.head(4, 401, {});
  EXPECT_EQ(it.kept(), 0U);
  it.head(3, 401, {});
  it.head(4, 200, {});
  EXPECT_EQ(it.kept(), 0U);
  it.send(call(5), {}, at + 60s);
  it.token_refused("", "no");
  EXPECT_EQ(it.kept(), 0U);
}

// -- ownership ------------------------------------------------------------------------------------

TEST(obtained_tokens, are_not_those_of_a_request_that_may_do_more) {
  authorized_calls it;
  const auto wide = ada_with({"read", "write"}), narrow = ada_with({"read"});
  EXPECT_EQ(sends(it, 1, wide), (all{want_token{token_key(wide), wide}}));
  EXPECT_EQ(it.token_given(token_key(wide), "w", at + 60s), (all{sent(1, "w")}));
  EXPECT_EQ(sends(it, 2, narrow), (all{want_token{token_key(narrow), narrow}}));
  EXPECT_EQ(it.send(call(3), {}, at), (all{want_token{}}));
  EXPECT_TRUE(it.awaits_token());
  EXPECT_EQ(it.token_refused(token_key(narrow), "no"), (all{withhold_call{2, "no"}}));
  EXPECT_EQ(it.token_given("", "n", at + 60s), (all{sent(3, "n")}));
  EXPECT_FALSE(it.awaits_token());
  EXPECT_EQ(sends(it, 4, ada_with({"write", "read"})), (all{sent(4, "w")}));
}

TEST(obtained_tokens, are_replaced_each_on_its_own) {
  authorized_calls it;
  const auto wide = ada_with({"read", "write"}), narrow = ada_with({"read"});
  it.token_given(token_key(wide), "w", at + 60s);
  it.token_given(token_key(narrow), "n", at + 60s);
  sends(it, 1, narrow);
  EXPECT_EQ(it.head(1, 401, {}), (all{drop_call{1}, want_token{token_key(narrow), narrow, "n"}}));
  EXPECT_EQ(it.token_given(token_key(wide), "v", at + 60s), all{});
  EXPECT_EQ(it.token_given(token_key(narrow), "m", at + 60s), (all{sent(1, "m")}));
}

TEST(obtained_tokens, are_so_many_only) {
  authorized_calls it;
  auto who = [](std::size_t i) { return ada_with({std::to_string(i)}); };
  for (std::size_t i = 0; i <= obtained_tokens::most_tokens; ++i)
    it.token_given(token_key(who(i)), "x", at + std::chrono::seconds{60 + i});
  EXPECT_EQ(sends(it, 1, who(obtained_tokens::most_tokens)), (all{sent(1, "x")}));
  EXPECT_EQ(sends(it, 2, who(1)), (all{sent(2, "x")}));
  sends(it, 3, who(0));
  EXPECT_TRUE(it.waits(3)) << "the one that ends first made room";
}

} // namespace troupe::tests::obtained_tokens_test
