#include "protocol/modern_client/caller_lease.hpp"

#include "tests/support/client_hello.hpp"
#include "tests/support/protocol_effects.hpp"
#include "tests/support/session_driver.hpp"

namespace troupe::tests::caller_lease_test {

namespace {

const std::string welcome_text =
    R"({"jsonrpc":"2.0","id":"face-1","result":{"protocolVersion":"2025-11-25","capabilities":{"prompts":{}},)"
    R"("serverInfo":{"name":"s","version":"1"}}})";

message reads(std::string text) { return std::get<message>(read_message(std::move(text))); }

/// A lease whose server is initialized by default.
struct lease_driver {
  explicit lease_driver(std::chrono::milliseconds idle = 5min)
      : it{{.idle = idle, .patience = 15s},
           {.lease = "l", .seal = [](auto) { return std::vector<std::string>{"00"}; }},
           now,
           [this](auto exchange, auto, auto how) { over.push_back(std::to_string(exchange) + " " + how.text()); }} {}

  effects posts(exchange_id exchange, std::string method, std::string params = "{}") {
    return it.client_sent(exchange,
                          reads(R"({"jsonrpc":"2.0","id":"c","method":")" + method + R"(","params":)" + params + "}"),
                          {.version = "2026-07-28"}, now);
  }
  effects server(std::string text) { return it.server_sent(reads(std::move(text)), now); }
  effects after(std::chrono::nanoseconds time) { return it.tick(now += time); }
  /// The first request, with all its effects.
  lease_driver& opened() {
    auto asked = posts(1, "server/discover");
    server(answer_to(asked, welcome_text));
    return *this;
  }
  static std::string answer_to(const effects& asked, std::string text) {
    auto& sent = std::get<forward>(asked.front()).what;
    auto answer = reads(std::move(text));
    replace_ids(answer, sent.id, {});
    return answer.text;
  }

  time_point now{1h};
  /// Exchange and outcome of each request that has finished.
  std::vector<std::string> over;
  caller_lease it;
};

std::string error_of(const effects& all) {
  if (all.size() != 1)
    return std::to_string(all.size()) + " effects";
  if (auto* refused = std::get_if<reject>(&all.front()))
    return std::to_string(refused->why.status) + ' ' + refused->why.text;
  return "no refusal";
}

} // namespace

TEST(caller_lease, begins_its_server_with_the_first_request) {
  lease_driver t;
  auto asked = t.posts(1, "server/discover");
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_TRUE(std::get<forward>(asked.front()).what.is_method("initialize"));
  auto answered = t.server(lease_driver::answer_to(asked, welcome_text));
  ASSERT_EQ(answered.size(), 2u);
  EXPECT_TRUE(std::get<forward>(answered.front()).what.is_method("notifications/initialized"));
  EXPECT_EQ(std::get<reply>(answered.back()).exchange, 1u);
}

TEST(caller_lease, ends_when_nobody_has_used_it_for_a_while) {
  lease_driver t;
  t.opened();
  EXPECT_EQ(t.it.idle_since(), t.now);
  EXPECT_EQ(t.it.deadline(), t.now + 5min);
  EXPECT_EQ(t.after(5min - 1ns), effects{});
  EXPECT_EQ(t.after(1ns), (effects{end_session{"nobody has used it for a while"}}));
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(caller_lease, is_used_as_long_as_a_call_is_under_way) {
  lease_driver t;
  t.opened().posts(2, "prompts/list");
  EXPECT_EQ(t.it.idle_since(), std::nullopt);
  EXPECT_EQ(t.after(15s), (effects{open_stream{2}}));
  EXPECT_EQ(t.after(1h), effects{});
  t.server(R"({"jsonrpc":"2.0","id":2,"result":{"prompts":[]}})");
  EXPECT_EQ(t.it.idle_since(), t.now);
  EXPECT_EQ(t.after(5min - 1ns), effects{});
  EXPECT_EQ(t.after(1ns), (effects{end_session{"nobody has used it for a while"}}));
}

TEST(caller_lease, counts_from_the_end_of_its_last_call) {
  lease_driver t;
  t.opened().posts(2, "prompts/list");
  t.after(15s);
  t.now += 4min;
  t.server(R"({"jsonrpc":"2.0","id":2,"result":{"prompts":[]}})");
  EXPECT_EQ(t.it.deadline(), t.now + 5min);
  EXPECT_EQ(t.it.idle_since(), t.now);
}

TEST(caller_lease, of_one_request_ends_with_its_answer) {
  lease_driver t{0ms};
  auto asked = t.posts(1, "server/discover");
  auto produced = t.server(lease_driver::answer_to(asked, welcome_text));
  ASSERT_EQ(produced.size(), 3u);
  EXPECT_EQ(produced.back(), effect{end_session{"nobody has used it for a while"}});
}

// 2026-07-28, transports, "Cancellation"
TEST(caller_lease, cancels_what_its_client_closes) {
  lease_driver t;
  t.opened().posts(2, "prompts/list");
  auto produced = t.it.client_lost(2, t.now);
  ASSERT_EQ(produced.size(), 1u);
  EXPECT_TRUE(std::get<forward>(produced.front()).what.is_method("notifications/cancelled"));
  EXPECT_EQ(t.server(R"({"jsonrpc":"2.0","id":2,"result":{"prompts":[]}})"), effects{});
  EXPECT_EQ(t.it.client_lost(2, t.now), effects{});
}

TEST(caller_lease, fails_what_an_operator_ends_and_cancels_it) {
  lease_driver t;
  t.opened().posts(2, "prompts/list");
  EXPECT_EQ(t.it.asked_as("2"), "\"c\"");
  auto produced = t.it.end_call(2, "\"c\"", "ended", t.now);
  ASSERT_EQ(produced.size(), 2u);
  EXPECT_TRUE(std::get<forward>(produced.front()).what.is_method("notifications/cancelled"));
  EXPECT_EQ(produced.back(), (effect{reply{2, error_text("\"c\"", -32603, "ended")}}));
  EXPECT_EQ(t.server(R"({"jsonrpc":"2.0","id":2,"result":{"prompts":[]}})"), effects{});
  EXPECT_EQ(t.it.end_call(2, "\"c\"", "ended", t.now), effects{});
}

TEST(caller_lease, fails_what_is_under_way_when_its_server_is_lost) {
  lease_driver t;
  t.opened().posts(2, "prompts/list");
  auto produced = t.it.server_lost("the MCP server is gone", t.now);
  ASSERT_EQ(produced.size(), 1u);
  EXPECT_NE(std::get<reply>(produced.front()).text.find("-32603"), std::string::npos);
  EXPECT_TRUE(std::get<forward>(t.posts(3, "prompts/list").front()).what.is_method("initialize"));
}

// A client retries after this refusal. An internal error would be final.
TEST(caller_lease, refuses_for_now_what_comes_while_no_server_can_be_begun) {
  lease_driver t;
  auto asked = t.posts(1, "prompts/list");
  auto refusal = reads(error_text(std::get<forward>(asked.front()).what.id, -32603, "out of descriptors"));
  refusal.is_shortage = true;
  auto produced = t.it.server_sent(std::move(refusal), t.now);
  EXPECT_EQ(error_of(produced), "503 Service Unavailable: out of descriptors");
  ASSERT_EQ(produced.size(), 1u);
  EXPECT_EQ(std::get<reject>(produced.front()).why.id, "\"c\"");
  EXPECT_TRUE(std::get<forward>(t.posts(2, "prompts/list").front()).what.is_method("initialize"));
}

TEST(caller_lease, finishes_calls_and_begins_nothing_when_the_gateway_stops) {
  lease_driver t;
  t.opened().posts(2, "prompts/list");
  EXPECT_EQ(t.it.close({}, t.now), effects{});
  EXPECT_EQ(error_of(t.posts(3, "prompts/list")), "503 Service Unavailable: the gateway is stopping");
  auto produced = t.server(R"({"jsonrpc":"2.0","id":2,"result":{"prompts":[]}})");
  ASSERT_EQ(produced.size(), 2u);
  EXPECT_EQ(produced.back(), effect{end_session{"the gateway is stopping"}});
}

TEST(caller_lease, goes_on_with_its_own_calls_only_when_the_gateway_stops) {
  lease_driver t;
  t.opened().posts(2, "prompts/list");
  t.it.close({}, t.now);
  const auto retries = [&](exchange_id exchange, const std::string& state) {
    return error_of(t.posts(exchange, "prompts/get", R"({"name":"p","requestState":)" + state + "}"));
  };
  const std::string unavailable = "503 Service Unavailable: the gateway is stopping";
  exchange_id next = 3;
  for (auto* other : {R"("x")", R"("")", "null", "7", "{}", R"("eyJhbGciOiJIUzI1NiJ9.e30.c2VhbA")", R"("bA.1.1.11")",
                      R"("bA.01.1.00")"})
    EXPECT_EQ(retries(next++, other), unavailable) << other;
  EXPECT_EQ(
      retries(next, '"' + sealed_request_state({"l", 1, 1}, [](auto) { return std::vector<std::string>{"00"}; }) + '"'),
      "no refusal")
      << "the face answers";
}

TEST(caller_lease, leaves_nobody_without_an_answer_when_it_ends_at_once) {
  lease_driver t;
  t.opened().posts(2, "prompts/list");
  auto produced = t.it.close({.at_once = true}, t.now);
  ASSERT_EQ(produced.size(), 3u);
  EXPECT_TRUE(std::get<forward>(produced[0]).what.is_method("notifications/cancelled"));
  EXPECT_EQ(std::get<reply>(produced[1]).exchange, 2u);
  EXPECT_EQ(produced[2], effect{end_session{"the gateway is stopping"}});
  EXPECT_EQ(t.it.close({.why = "again", .at_once = true}, t.now), effects{});
}

TEST(caller_lease, does_nothing_more_once_it_has_ended) {
  lease_driver t;
  t.opened().posts(2, "prompts/list");
  t.it.close({.at_once = true}, t.now);
  EXPECT_EQ(t.server(R"({"jsonrpc":"2.0","id":"p","method":"ping"})"), effects{});
  EXPECT_EQ(t.it.server_lost("gone", t.now), effects{});
  EXPECT_EQ(t.it.client_lost(2, t.now), effects{});
  EXPECT_EQ(t.after(1h), effects{});
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

// 2026-07-28, subscriptions
TEST(caller_lease, ends_what_is_listened_to_when_the_gateway_stops) {
  lease_driver t;
  t.opened().posts(2, "subscriptions/listen", R"({"notifications":{"promptsListChanged":true}})");
  EXPECT_EQ(t.it.adapter().listens(), 1u);
  auto produced = t.it.close({}, t.now);
  ASSERT_EQ(produced.size(), 3u);
  EXPECT_EQ(std::get<publish>(produced[0]).exchange, 2u);
  EXPECT_EQ(produced[1], effect{end_stream{2}});
  EXPECT_EQ(produced[2], effect{end_session{"the gateway is stopping"}});
}

TEST(caller_lease, sends_listeners_away_who_come_back_with_fresh_credentials) {
  lease_driver t;
  t.opened().posts(2, "subscriptions/listen", R"({"notifications":{"promptsListChanged":true}})");
  t.posts(3, "prompts/list");
  EXPECT_EQ(t.it.close_streams({2, 3}, t.now), (effects{end_stream{2}}));
  EXPECT_EQ(t.over, (std::vector<std::string>{"1 ", "2 cancelled"}));
  EXPECT_EQ(t.it.adapter().listens(), 0u);
  EXPECT_EQ(t.it.adapter().calls_in_flight(), 1u);
}

TEST(caller_lease, tells_how_each_request_ended_once) {
  lease_driver t;
  t.opened();
  t.server(lease_driver::answer_to(t.posts(2, "prompts/list"),
                                   R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"m"}})"));
  t.posts(3, "prompts/list");
  t.it.client_lost(3, t.now);
  auto lost = reads(lease_driver::answer_to(t.posts(4, "prompts/list"), error_text("1", -32603, "it stopped")));
  lost.outcome = {call_outcome::kind::lost};
  t.it.server_sent(std::move(lost), t.now);
  t.posts(5, "prompts/list");
  t.it.server_lost("gone", t.now);
  EXPECT_EQ(t.over, (std::vector<std::string>{"1 ", "2 -32602", "3 cancelled", "4 server_lost", "5 server_lost"}));
}

} // namespace troupe::tests::caller_lease_test
