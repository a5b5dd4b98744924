// A session that another node may own: its clients learn which of their calls may have run.

#include "protocol/session/session_transfer.hpp"
#include "tests/support/session_driver.hpp"

namespace troupe::tests::session_given_up_test {

namespace {

rejection moves(std::string id) {
  auto result = session_moves();
  result.id = std::move(id);
  return result;
}

struct kept_driver : session_driver {
  explicit kept_driver(std::string version = "2025-11-25") {
    it = session{{}, std::make_unique<http_delivery>(http_limits{}, tag), now, session_record{.path = "p"}};
    opened(std::move(version));
  }
  effects given_up(effects held = {}) { return it.give_up(std::move(held), now); }
};

} // namespace

TEST(session_given_up, fails_calls_that_its_server_has_received) {
  kept_driver t;
  t.posts(3, request("1", "m"));
  EXPECT_EQ(t.given_up(), (effects{reply{3, failed("1", answer_lost)}}));
  EXPECT_EQ(t.server(result("2")), effects{});
  EXPECT_EQ(t.given_up(), effects{});
}

TEST(session_given_up, refuses_calls_that_were_held_back) {
  kept_driver t;
  auto held = t.posts(3, request("1", "m"));
  EXPECT_EQ(t.given_up(held), (effects{reject{3, moves("1")}}));
}

TEST(session_given_up, refuses_calls_that_wait_for_its_move) {
  kept_driver t;
  t.posts(3, request("1", "m"));
  t.it.depart("it moves", t.now);
  t.posts(4, request("2", "m"));
  EXPECT_EQ(t.given_up(), (effects{reject{4, session_moves()}, reply{3, failed("1", answer_lost)}}));
}

TEST(session_given_up, fails_calls_whose_answers_were_held_back) {
  kept_driver t;
  t.posts(3, request("1", "m"));
  auto held = t.server(result("2"));
  EXPECT_EQ(t.given_up(held), (effects{reply{3, failed("1", answer_lost)}}));
}

TEST(session_given_up, fails_a_batch_whose_answers_were_held_back) {
  kept_driver t{"2025-03-26"};
  t.posts(3, "[" + request("1", "m") + "," + request("2", "m") + "]");
  t.server(result("2"));
  auto held = t.server(result("3"));
  EXPECT_EQ(t.given_up(held),
            (effects{reply{3, "[" + failed("1", answer_lost) + "," + failed("2", answer_lost) + "]"}}));
}

TEST(session_given_up, fails_a_call_whose_stream_was_held_back) {
  kept_driver t;
  t.posts(3, request("1", "m"));
  auto held = t.after(1s);
  EXPECT_EQ(t.given_up(held), (effects{reply{3, failed("1", answer_lost)}}));
}

TEST(session_given_up, fails_a_call_whose_answer_on_a_stream_was_held_back) {
  kept_driver t;
  t.posts(3, request("1", "m"));
  t.after(1s);
  auto held = t.server(result("2"));
  EXPECT_EQ(t.given_up(held), (effects{reply{3, failed("1", answer_lost)}}));
}

} // namespace troupe::tests::session_given_up_test
