// Pending requests of a client to its server.

#include "protocol/session/session_requests.hpp"
#include "tests/support/session_driver.hpp"

namespace troupe::tests::client_requests_test {

namespace {

struct finished_request {
  exchange_id exchange;
  std::string id;
  call_outcome how;
};

/// The requests of a client. Each is answered on an exchange of its own.
struct requested {
  requested() {
    agreed.begin(gateway_message(hello("0")));
    EXPECT_EQ(agreed.answered(gateway_message(welcome("1"))), std::nullopt);
  }
  session_turn turn() { return {limits, way, now, {}, &notes}; }
  /// Sends a request on the exchange numbered as our id. Returns the server's message.
  message asks(std::string text) {
    auto one = gateway_message(std::move(text));
    auto current = turn();
    auto exchange = static_cast<exchange_id>(it.size() + 1);
    way.posted(exchange, false, {one.id}, now, current.out);
    it.add(exchange, one, current);
    return one;
  }
  std::optional<rejection> refused(std::string text, const std::optional<std::string>& closing = {}) const {
    return it.refuse(std::get<post_body>(read_body(std::move(text))), agreed, closing, limits.calls);
  }
  /// Advances the time, and returns the effects for late calls.
  effects after(std::chrono::nanoseconds time) {
    now += time;
    auto current = turn();
    auto is_late = it.fail_late(record, current);
    EXPECT_EQ(is_late, !current.out.empty());
    return current.out;
  }

  session_limits limits{.request = 1min, .request_cap = 3min, .initialize = 30s, .calls = 2};
  http_delivery way{{}, tag};
  time_point now{1h};
  agreement agreed;
  /// The finished requests that were reported.
  std::vector<finished_request> over;
  request_observer notes = [this](auto exchange, auto id, auto how) {
    over.push_back({exchange, std::string{id}, how});
  };
  record_schedule record{std::nullopt};
  client_requests it;
};

std::string id_of(const std::optional<rejection>& why) { return why ? why->id : "none"; }

} // namespace

TEST(client_requests, go_to_the_server_with_id_and_token_of_ours) {
  requested r;
  EXPECT_EQ(r.asks(request_with("\"t\"", "\"a\"", "m")).text, request_with("1", "1", "m"));
  EXPECT_EQ(r.asks(request("7", "m")).text, request("2", "m"));
}

TEST(client_requests, are_refused_while_one_of_their_id_is_under_way) {
  requested r;
  r.asks(request("7", "m"));
  EXPECT_EQ(r.refused(request("7", "m"))->text, "Bad Request: a request with this id is already in flight");
  EXPECT_EQ(id_of(r.refused(request("7", "ping"))), "7");
  EXPECT_EQ(r.refused(request("\"7\"", "m")), std::nullopt);
  EXPECT_EQ(id_of(r.refused("[" + request("1", "m") + "," + request("1", "ping") + "]")), "1");
  r.it.extract(1);
  EXPECT_EQ(r.refused(request("7", "m")), std::nullopt);
}

TEST(client_requests, are_refused_above_a_number_that_pings_and_the_gateway_do_not_count_for) {
  requested r;
  r.asks(request("1", "m"));
  auto current = r.turn();
  r.it.ask("logging/setLevel", "level", "info", current);
  EXPECT_EQ(r.refused(request("2", "m")), std::nullopt);
  EXPECT_EQ(r.refused("[" + request("2", "m") + "," + request("3", "m") + "]")->status, 429);
  EXPECT_EQ(r.refused("[" + request("2", "m") + "," + request("3", "ping") + "]"), std::nullopt);
}

TEST(client_requests, other_than_pings_are_refused_when_too_early_or_when_nothing_new_begins) {
  requested r;
  EXPECT_EQ(r.refused(request("1", "m"), "it is stopping")->status, 503);
  EXPECT_EQ(r.refused(request("1", "ping"), "it is stopping"), std::nullopt);
  r.agreed = {};
  EXPECT_EQ(r.refused(request("1", "m"))->text, "Bad Request: initialize has not been answered yet");
  EXPECT_EQ(r.refused(request("1", "ping")), std::nullopt);
  EXPECT_EQ(r.refused(hello("0")), std::nullopt);
}

TEST(client_requests, of_the_gateway_have_no_id_of_a_client) {
  requested r;
  auto current = r.turn();
  r.it.ask("resources/subscribe", "uri", "a\"", current);
  EXPECT_EQ(current.out, (effects{asked(request("1", "resources/subscribe", R"({"uri":"a\""})"), "1")}));
  EXPECT_EQ(r.refused(request("\"gateway\"", "m")), std::nullopt);
}

TEST(client_requests, that_are_cancelled_get_no_answer) {
  requested r;
  r.asks(request("\"a\"", "m"));
  auto current = r.turn();
  EXPECT_EQ(r.it.cancel(gateway_message(cancelled("\"b\"")), current), std::nullopt);
  EXPECT_EQ(current.out, effects{});
  EXPECT_EQ(r.it.cancel(gateway_message(cancelled("\"a\"")), current), 1u);
  EXPECT_EQ(current.out.front(), effect{forwarded(cancelled("1"))});
  EXPECT_TRUE(r.it.empty());
}

TEST(client_requests, fail_when_they_are_late) {
  requested r;
  r.asks(request("7", "m"));
  EXPECT_EQ(r.it.deadline(), r.now + 1min);
  EXPECT_EQ(r.after(1min - 1ns), effects{});
  EXPECT_EQ(r.after(1ns),
            (effects{reply{1, failed("7", "The MCP server did not answer within 60 s")}, forwarded(timed_out("1"))}));
  EXPECT_TRUE(r.it.empty());
}

TEST(client_requests, live_longer_by_progress_but_not_for_ever) {
  requested r;
  r.asks(request_with("9", "7", "m"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(r.after(1min - 1s), effects{});
    auto current = r.turn();
    r.it.progressed(gateway_message(progress("1")), current);
    EXPECT_EQ(without_positions(current.out).back(), effect{says(1, progress("9"))});
  }
  EXPECT_EQ(r.it.deadline(), r.now + 3s);
  auto late = without_positions(r.after(3s));
  EXPECT_EQ(late.front(), effect{says(1, failed("7", "The MCP server did not answer within 180 s"))});
}

TEST(client_requests, that_are_late_together_fail_in_the_order_in_which_they_came) {
  requested r;
  r.asks(request_with("9", "7", "m"));
  r.asks(request("8", "m"));
  r.now += 30s;
  auto told = r.turn();
  r.it.progressed(gateway_message(progress("1")), told);
  r.after(1min);
  ASSERT_EQ(r.over.size(), 2U);
  EXPECT_EQ(r.over[0].id, "7");
  EXPECT_EQ(r.over[1].id, "8");
}

TEST(client_requests, hear_no_progress_that_nobody_asked_for) {
  requested r;
  r.asks(request("7", "m"));
  auto current = r.turn();
  for (auto token : {"1", "2", "\"x\""})
    r.it.progressed(gateway_message(progress(token)), current);
  EXPECT_EQ(current.out, effects{});
}

TEST(client_requests, tell_why_initialize_failed) {
  requested r;
  auto current = r.turn();
  r.way.posted_initialize(1, current.out);
  r.it.initialize(1, gateway_message(hello("\"i\"")), current);
  EXPECT_EQ(current.out.back(), effect{asked(hello("1"), "1")});
  EXPECT_EQ(r.it.fail_late_initialize(current), std::nullopt);
  r.now += 30s;
  auto late = r.turn();
  EXPECT_EQ(r.it.fail_late_initialize(late), "The MCP server did not answer within 30 s");
  EXPECT_EQ(late.out, (effects{reply{1, failed("\"i\"", "The MCP server did not answer within 30 s")}}));
}

TEST(client_requests, are_told_to_be_over_when_they_fail_or_are_cancelled) {
  requested r;
  r.asks(request("7", "m"));
  r.asks(request("8", "m"));
  auto current = r.turn();
  r.it.cancel(cancellation_of("8", "why"), current);
  r.after(1min);
  ASSERT_EQ(r.over.size(), 2U);
  EXPECT_EQ(r.over[0].id, "8");
  EXPECT_EQ(r.over[0].how, call_outcome{call_outcome::kind::cancelled});
  EXPECT_EQ(r.over[1].id, "7");
  EXPECT_EQ(r.over[1].exchange, 1U);
  EXPECT_EQ(r.over[1].how, failed_with(-32603));
}

} // namespace troupe::tests::client_requests_test
