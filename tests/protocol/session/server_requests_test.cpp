// Pending requests of a server to its client, and messages of the server that come too early.

#include "protocol/session/session_requests.hpp"
#include "tests/support/session_driver.hpp"

namespace troupe::tests::server_requests_test {

namespace {

/// The requests of a server whose client listens on exchange 1.
struct questions {
  questions() {
    effects none;
    agreed.begin(gateway_message(hello("0")));
    EXPECT_EQ(agreed.answered(gateway_message(welcome("1"))), std::nullopt);
    agreed.client_initialized();
    way.listens(1, {}, now, none);
  }
  /// The effects of an event.
  template <class Happens>
  effects when(Happens happens) {
    session_turn turn{limits, way, now};
    happens(turn);
    return without_positions(turn.out);
  }
  effects asks(std::string text) {
    return when([&](auto& turn) { it.receive_request(gateway_message(text), agreed, turn); });
  }
  effects holds(std::string text) {
    return when([&](auto& turn) { it.hold(gateway_message(text), turn); });
  }
  effects answers(std::string text) {
    return when([&](auto& turn) { it.answered(gateway_message(text), turn); });
  }
  effects late() {
    return when([&](auto& turn) { it.fail_late(turn); });
  }

  session_limits limits{.request_cap = 15min, .question = 10min, .questions = 2, .held = 2};
  http_delivery way{{}, tag};
  time_point now{1h};
  agreement agreed;
  server_requests it{limits};
};

const std::string no_capability = error_text("7", -32601, "The client did not declare the capability for this");

} // namespace

TEST(server_requests, go_to_the_client_under_ids_of_ours_and_its_answers_back) {
  questions q;
  q.it.count_from(40);
  EXPECT_EQ(q.asks(request_with("\"t\"", "\"a\"", "roots/list")),
            (effects{says(1, request_with("41", "41", "roots/list"))}));
  EXPECT_EQ(q.when([&](auto& turn) { q.it.progressed(gateway_message(progress("41")), turn); }),
            (effects{forwarded(progress("\"t\""))}));
  EXPECT_EQ(q.answers(result("41")), (effects{forwarded(result("\"a\""))}));
  EXPECT_EQ(q.answers(result("41")), effects{});
  EXPECT_EQ(q.it.size(), 0u);
}

TEST(server_requests, are_answered_by_the_gateway_when_the_client_lacks_the_capability) {
  questions q;
  q.agreed = {};
  q.agreed.begin(gateway_message(hello("0", "2025-11-25", "{}")));
  EXPECT_EQ(q.asks(request("7", "roots/list")), (effects{forwarded(no_capability)}));
}

TEST(server_requests, are_refused_above_a_number) {
  questions q;
  q.asks(request("1", "roots/list"));
  q.asks(request("2", "roots/list"));
  EXPECT_EQ(q.asks(request("3", "roots/list")),
            (effects{forwarded(failed("3", "Too many requests wait for the client"))}));
  EXPECT_EQ(q.it.size(), 2u);
}

TEST(server_requests, wait_until_the_client_is_initialized) {
  questions q;
  q.agreed = {};
  EXPECT_EQ(q.asks(request("7", "roots/list")), effects{});
  EXPECT_EQ(q.holds(note("notifications/n")), effects{});
  EXPECT_EQ(q.when([&](auto& turn) { q.it.release_notifications(turn); }), (effects{says(1, note("notifications/n"))}));
  EXPECT_EQ(q.it.size(), 0u);
  q.agreed.client_initialized();
  EXPECT_EQ(q.when([&](auto& turn) { q.it.release_all(q.agreed, turn); }),
            (effects{says(1, request("1", "roots/list"))}));
}

TEST(server_requests, that_wait_are_judged_by_what_the_client_declared_since) {
  questions q;
  q.agreed = {};
  q.asks(request("7", "roots/list"));
  q.agreed.begin(gateway_message(hello("0", "2025-11-25", "{}")));
  q.agreed.client_initialized();
  EXPECT_EQ(q.when([&](auto& turn) { q.it.release_all(q.agreed, turn); }), (effects{forwarded(no_capability)}));
}

TEST(server_requests, are_refused_when_too_many_wait) {
  questions q;
  q.holds(request("1", "roots/list"));
  q.holds(request("2", "roots/list"));
  EXPECT_EQ(q.holds(request("3", "roots/list")),
            (effects{forwarded(failed("3", "Too much waits for the client to initialize"))}));
}

TEST(server_requests, are_taken_back_be_they_waiting_or_under_way) {
  questions q;
  q.holds(request("7", "roots/list"));
  q.asks(request("8", "roots/list"));
  auto withdrawn = [&](auto id) {
    return q.when([&](auto& turn) { q.it.withdraw(gateway_message(cancelled(id)), turn); });
  };
  EXPECT_EQ(withdrawn("7"), effects{});
  EXPECT_EQ(withdrawn("8"), (effects{says(1, cancelled("1"))}));
  EXPECT_EQ(q.it.size(), 0u);
  EXPECT_EQ(q.when([&](auto& turn) { q.it.release_all(q.agreed, turn); }), effects{});
}

TEST(server_requests, fail_when_the_client_is_late_and_live_longer_by_progress_but_not_for_ever) {
  questions q;
  auto told = failed("7", "The client did not answer in time");
  q.asks(request_with("9", "7", "roots/list"));
  q.now += 10min - 1ns;
  EXPECT_EQ(q.late(), effects{});
  q.when([&](auto& turn) { q.it.progressed(gateway_message(progress("1")), turn); });
  EXPECT_EQ(q.it.deadline(), time_point{1h} + 15min);
  q.now = time_point{1h} + 15min - 1ns;
  EXPECT_EQ(q.late(), effects{});
  q.now += 1ns;
  EXPECT_EQ(q.late(), (effects{forwarded(told), says(1, timed_out("1"))}));
}

} // namespace troupe::tests::server_requests_test
