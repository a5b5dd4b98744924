#include "protocol/supervised/server_relay.hpp"

#include "tests/support/server_driver.hpp"

namespace troupe::tests::server_questions_test {

namespace {

struct questions_driver {
  server_effects asks(user_id user, std::string text) {
    return told([&](auto& out) { it.ask(user, gateway_message(std::move(text)), now, out); });
  }
  server_effects withdraws(std::string id) {
    return told([&](auto& out) { it.withdraw(gateway_message(cancelled(std::move(id))), now, out); });
  }
  server_effects answers(user_id user, std::string id) {
    return told([&](auto& out) { it.receive_response(user, gateway_message(result(std::move(id))), now, out); });
  }
  server_effects goes_on(user_id user, std::string token) {
    return told([&](auto& out) { it.receive_progress(user, gateway_message(progress(std::move(token))), now, out); });
  }
  server_effects leaves(user_id user) {
    return told([&](auto& out) { it.user_disconnected(user, now, out); });
  }
  server_effects after(std::chrono::nanoseconds time) {
    return told([&](auto& out) { it.fail_late(now += time, out); });
  }
  template <class Fact>
  server_effects told(Fact fact) {
    server_effects out;
    fact(out);
    return out;
  }

  supervision_rules rules{.request_cap = 30s, .question = 20s, .questions = 2};
  time_point now{1h};
  server_calls calls{rules};
  server_questions it{rules, calls};
};

} // namespace

TEST(server_questions, are_answered_only_by_the_user_who_was_asked) {
  questions_driver t;
  EXPECT_EQ(t.asks(1, request("\"a\"", "q")), (server_effects{to_user(1, request("1", "q"))}));
  EXPECT_EQ(t.answers(2, "1"), server_effects{});
  EXPECT_EQ(t.answers(1, "\"a\""), server_effects{});
  EXPECT_EQ(t.answers(1, "1"), (server_effects{to_server(result("\"a\""))}));
  EXPECT_EQ(t.answers(1, "1"), server_effects{});
}

TEST(server_questions, are_so_many_for_each_user_and_no_more) {
  questions_driver t;
  t.asks(1, request("6", "q"));
  t.asks(1, request("7", "q"));
  EXPECT_EQ(t.asks(2, request("8", "q")), (server_effects{to_user(2, request("3", "q"))}));
  EXPECT_EQ(t.asks(1, request("9", "q")),
            (server_effects{to_server(failed("9", "Too many requests wait for the client"))}));
  EXPECT_EQ(t.asks(2, request("10", "q")), (server_effects{to_user(2, request("4", "q"))}));
  EXPECT_EQ(t.it.size(), 4u);
}

TEST(server_questions, are_withdrawn_by_the_id_of_the_server) {
  questions_driver t;
  t.asks(1, request("7", "q"));
  EXPECT_EQ(t.withdraws("1"), server_effects{});
  EXPECT_EQ(t.withdraws("7"), (server_effects{to_user(1, cancelled("1"))}));
  EXPECT_EQ(t.it.size(), 0u);
}

TEST(server_questions, make_progress_when_the_server_wants_it) {
  questions_driver t;
  t.asks(1, request_with("\"p\"", "7", "q"));
  t.asks(1, request("8", "q"));
  t.now += 15s;
  EXPECT_EQ(t.goes_on(2, "1"), server_effects{});
  EXPECT_EQ(t.goes_on(1, "2"), server_effects{});
  EXPECT_EQ(t.goes_on(1, "1"), (server_effects{to_server(progress("\"p\""))}));
  t.after(5s);
  EXPECT_EQ(t.it.size(), 1u);
  EXPECT_EQ(t.it.deadline(), t.now + 10s);
}

TEST(server_questions, fail_when_they_are_not_answered_in_time) {
  questions_driver t;
  t.asks(1, request("7", "q"));
  EXPECT_EQ(t.after(20s - 1ns), server_effects{});
  EXPECT_EQ(t.after(1ns), (server_effects{to_server(failed("7", "The client did not answer in time")),
                                          to_user(1, cancellation_of("1", "timeout").text)}));
}

TEST(server_questions, fail_when_their_user_leaves) {
  questions_driver t;
  t.asks(1, request("7", "q"));
  t.asks(2, request("8", "q"));
  EXPECT_EQ(t.leaves(1), (server_effects{to_server(failed("7", "The client left"))}));
  EXPECT_EQ(t.it.size(), 1u);
}

TEST(server_questions, are_withdrawn_when_the_server_is_lost) {
  questions_driver t;
  t.asks(1, request("7", "q"));
  EXPECT_EQ(t.told([&](auto& out) { t.it.server_lost(out); }),
            (server_effects{to_user(1, cancellation_of("1", "the MCP server stopped").text)}));
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

} // namespace troupe::tests::server_questions_test
