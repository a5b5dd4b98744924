// Delivery of messages to a client of Streamable HTTP.

#include "protocol/delivery/http_delivery.hpp"
#include "tests/support/protocol_effects.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace troupe::tests::http_delivery_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

message of(std::string text) { return std::get<message>(read_message(std::move(text))); }

std::string note(int n) { return R"({"jsonrpc":"2.0","method":"n","params":{"n":)" + std::to_string(n) + "}}"; }
std::string ask(int id) { return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":"roots/list"})"; }

/// A delivery to a client with primed streams, and a journal of its effects since the last read.
struct journaled {
  explicit journaled(const http_limits& limits = {}, std::string version = "2025-11-25") : way{limits, tag} {
    way.posted_initialize(1, out);
    way.opened(1, "hello", version, out);
    out.clear();
  }

  journaled& posts(exchange_id exchange, std::size_t requests = 1) {
    return way.posted(exchange, requests > 1, std::vector<std::string>(requests, "1"), now, out), *this;
  }
  journaled& listens(exchange_id exchange, std::string_view last = {}) {
    return way.listens(exchange, last, now, out), *this;
  }
  journaled& resumes(exchange_id exchange, event_id last) { return listens(exchange, event_id_text(tag, last)); }
  loss loses(exchange_id exchange) { return way.lost(exchange, now, out); }
  journaled& answers(exchange_id exchange, std::string text) {
    return way.answer(exchange, std::move(text), now, out), *this;
  }
  journaled& progresses(exchange_id exchange, std::string text) {
    return way.progress(exchange, std::move(text), now, out), *this;
  }
  std::optional<exchange_id> asks(int id) { return way.related(of(ask(id)), now, out); }
  journaled& notes(int n) { return way.unrelated(of(note(n)), now, out), *this; }
  journaled& after(std::chrono::nanoseconds time) { return way.tick(now += time, out), *this; }
  effects seen() { return std::exchange(out, {}); }

  time_point now{1h};
  http_delivery way;
  effects out;
};

const rejection foreign{400, -32600, "Bad Request: Last-Event-ID is malformed or of another session"};
const rejection session_over{500, -32603, "Session ended before the request completed"};

/// The counts as a line: primary, shadow, call, detached, waiting, stored events.
std::string shown(const delivery_counts& of) {
  std::string result;
  for (auto one : {of.primary, of.shadow, of.call, of.detached, of.waiting, of.stored_events})
    result += std::to_string(one) + ' ';
  return result;
}

} // namespace

// -- POST ------------------------------------------------------------------------------

TEST(http_delivery, answers_in_JSON_until_something_precedes_the_answer) {
  journaled t;
  EXPECT_EQ(t.posts(3).answers(3, "a").seen(), (effects{reply{3, "a"}}));
  t.posts(4).progresses(4, "p");
  EXPECT_EQ(t.seen(), (effects{open_stream{4}, primes(4, {4, 0}), carries(4, {4, 1}, "p")}));
  EXPECT_EQ(t.answers(4, "a").seen(), (effects{carries(4, {4, 2}, "a"), end_stream{4}}));
}

// 2025-11-25, transports, "Sending Messages to the Server" 4
TEST(http_delivery, takes_a_POST_without_requests) {
  journaled t;
  EXPECT_EQ(t.posts(3, 0).seen(), (effects{accept{3}}));
  EXPECT_EQ(t.answers(3, "a").seen(), effects{});
}

TEST(http_delivery, makes_a_stream_of_a_POST_when_patience_ends) {
  for (auto version : {"2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18"}) {
    journaled t{{}, version};
    t.posts(3);
    EXPECT_EQ(t.way.deadline(), t.now + 15s) << version;
    EXPECT_EQ(t.after(15s - 1ns).seen(), effects{});
    EXPECT_EQ(t.after(1ns).seen(), (effects{open_stream{3}}));
    EXPECT_EQ(t.way.deadline(), time_point::max());
  }
}

// 2025-11-25, transports, "Sending Messages to the Server" 6
TEST(http_delivery, makes_a_stream_that_can_be_resumed_of_a_POST_that_is_not_answered_at_once) {
  journaled t;
  t.posts(3);
  EXPECT_EQ(t.way.deadline(), t.now + 200ms);
  EXPECT_EQ(t.after(200ms - 1ns).seen(), effects{});
  EXPECT_EQ(t.after(1ns).seen(), (effects{open_stream{3}, primes(3, {3, 0})}));
  EXPECT_EQ(t.way.deadline(), time_point::max());
  t.loses(3);
  EXPECT_EQ(t.answers(3, "a").seen(), effects{});
  EXPECT_EQ(t.resumes(4, {3, 0}).seen(),
            (effects{open_stream{4}, primes(4, {3, 0}), carries(4, {3, 1}, "a"), end_stream{4}}));
}

TEST(http_delivery, of_a_session_that_is_restored_makes_such_a_stream_too) {
  http_delivery way{{}, tag};
  effects out;
  way.restore("2025-11-25", {}, 2, time_point{1h}, out);
  way.posted(3, false, {"1"}, time_point{1h}, out);
  EXPECT_EQ(way.deadline(), time_point{1h} + 200ms);
}

TEST(http_delivery, answers_initialize_in_JSON_however_long_it_takes) {
  journaled t;
  http_delivery way{{}, tag};
  effects out;
  way.posted_initialize(1, out);
  way.tick(t.now + 1h, out);
  EXPECT_EQ(out, effects{});
  EXPECT_EQ(way.deadline(), time_point::max());
  way.opened(1, "hello", "2025-11-25", out);
  EXPECT_EQ(out, (effects{reply{1, "hello", true}}));
}

// The session's id is sent in that answer only (2025-11-25, transports, "Session Management" 1).
TEST(http_delivery, cannot_go_on_without_the_connection_of_initialize) {
  http_delivery way{{}, tag};
  effects out;
  EXPECT_EQ(way.lost(0, {}, out), loss::request);
  way.posted_initialize(1, out);
  EXPECT_EQ(way.lost(0, {}, out), loss::request);
  EXPECT_EQ(way.lost(2, {}, out), loss::request);
  EXPECT_EQ(way.lost(1, {}, out), loss::session);
}

TEST(http_delivery, goes_on_without_any_other_connection) {
  journaled t;
  t.posts(3).posts(4).progresses(4, "p").listens(5);
  for (exchange_id gone : {0, 1, 2, 3, 4, 5, 99})
    EXPECT_NE(t.loses(gone), loss::session) << gone;
}

TEST(http_delivery, tells_the_loss_of_a_stream_from_that_of_a_request) {
  journaled t;
  t.posts(3).posts(4).progresses(4, "p").listens(5);
  EXPECT_EQ(t.loses(3), loss::request);
  EXPECT_EQ(t.loses(4), loss::stream);
  EXPECT_EQ(t.loses(4), loss::request);
  EXPECT_EQ(t.loses(5), loss::stream);
  EXPECT_EQ(t.resumes(6, {5, 0}).resumes(7, {5, 0}).loses(6), loss::request);
  EXPECT_EQ(t.loses(7), loss::stream);
}

// 2025-11-25, transports, "Sending Messages to the Server" 6
TEST(http_delivery, sends_priming_events_to_clients_of_2025_11_25_only) {
  for (auto version : {"2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18"}) {
    journaled t{{}, version};
    EXPECT_EQ(t.listens(3).seen(), (effects{open_stream{3}})) << version;
  }
  EXPECT_EQ(journaled{}.listens(3).seen(), (effects{open_stream{3}, primes(3, {3, 0})}));
}

// 2025-11-25, transports, "Sending Messages to the Server" 6
TEST(http_delivery, says_nothing_to_a_POST_that_was_lost_before_it_was_a_stream) {
  journaled t;
  t.posts(3);
  t.loses(3);
  EXPECT_EQ(t.progresses(3, "p").after(1h).answers(3, "a").seen(), effects{});
  EXPECT_EQ(t.resumes(4, {3, 0}).seen(), (effects{reject{4, foreign}}));
}

// 2025-11-25, transports, "Resumability and Redelivery" 2
TEST(http_delivery, keeps_the_answer_of_a_stream_that_was_lost) {
  journaled t;
  t.posts(3).progresses(3, "p");
  t.loses(3);
  t.answers(3, "a").seen();
  EXPECT_EQ(t.resumes(4, {3, 1}).seen(),
            (effects{open_stream{4}, primes(4, {3, 1}), carries(4, {3, 2}, "a"), end_stream{4}}));
}

TEST(http_delivery, a_stale_loss_does_not_touch_a_POST_whose_stream_was_taken_over) {
  journaled t;
  t.posts(3).progresses(3, "p").resumes(4, {3, 1}).seen();
  EXPECT_EQ(t.loses(3), loss::request);
  EXPECT_EQ(t.asks(1), 3u);
  EXPECT_EQ(t.seen(), (effects{carries(4, {3, 2}, ask(1))}));
  EXPECT_EQ(t.answers(3, "a").seen(), (effects{carries(4, {3, 3}, "a"), end_stream{4}}));
}

TEST(http_delivery, withdraws_a_call_in_JSON_with_an_error_and_on_a_stream_with_its_end) {
  journaled t;
  t.posts(3).posts(4).progresses(4, "p").seen();
  for (exchange_id exchange : {3, 4, 9})
    t.way.withdraw(exchange, "1", t.now, t.out);
  EXPECT_EQ(t.seen(), (effects{reply{3, error_text("1", -32800, "Request cancelled")}, end_stream{4}}));
}

// -- GET -------------------------------------------------------------------------------

TEST(http_delivery, refuses_an_id_that_is_none_of_its_own) {
  journaled t;
  t.posts(3).progresses(3, "p").seen();
  for (auto id : {"x", "t-3", "t-3-2", "t-4-0", "u-3-1", "t-3-1 "})
    EXPECT_EQ(t.listens(9, id).seen(), (effects{reject{9, foreign}})) << id;
  EXPECT_FALSE(t.way.live());
}

// 2025-11-25, transports, "Resumability and Redelivery" 2
TEST(http_delivery, speaks_again_on_a_stream_that_is_resumed) {
  journaled t;
  t.listens(3).notes(1);
  t.loses(3);
  EXPECT_FALSE(t.way.live());
  t.notes(2).seen();
  t.resumes(4, {3, 0});
  EXPECT_EQ(t.seen(),
            (effects{open_stream{4}, primes(4, {3, 0}), carries(4, {3, 1}, note(1)), carries(4, {3, 2}, note(2))}));
  EXPECT_TRUE(t.way.live());
  EXPECT_EQ(t.notes(3).seen(), (effects{carries(4, {3, 3}, note(3))}));
}

// 2025-11-25, transports, "Listening for Messages from the Server" 4
TEST(http_delivery, does_not_speak_unasked_on_the_stream_of_a_call_that_is_resumed) {
  journaled t;
  t.posts(3).posts(5).progresses(3, "p");
  t.loses(3);
  t.resumes(4, {3, 1});
  EXPECT_FALSE(t.way.live());
  t.seen();
  EXPECT_EQ(t.notes(1).seen(), effects{});
  EXPECT_EQ(t.listens(6).seen(), (effects{open_stream{6}, primes(6, {6, 0}), carries(6, {6, 1}, note(1))}));
}

TEST(http_delivery, keeps_its_primary_when_that_is_taken_over_and_the_old_connection_goes) {
  journaled t;
  t.listens(3).listens(4).resumes(5, {3, 0}).seen();
  EXPECT_EQ(t.loses(3), loss::request);
  EXPECT_EQ(t.notes(1).seen(), (effects{carries(5, {3, 1}, note(1))}));
  t.loses(5);
  EXPECT_EQ(t.notes(2).seen(), (effects{carries(4, {4, 1}, note(2))}));
}

TEST(http_delivery, goes_to_the_newcomer_that_waits_when_the_carrier_goes) {
  journaled t;
  t.listens(3).resumes(4, {3, 0}).resumes(5, {3, 0}).resumes(6, {3, 0}).seen();
  EXPECT_EQ(t.notes(1).seen(), (effects{carries(5, {3, 1}, note(1))}));
  t.loses(5);
  EXPECT_EQ(t.seen(), (effects{primes(6, {3, 0}), carries(6, {3, 1}, note(1))}));
  EXPECT_TRUE(t.way.live());
  EXPECT_EQ(t.notes(2).seen(), (effects{carries(6, {3, 2}, note(2))}));
}

TEST(http_delivery, is_not_live_with_a_client_that_polls_until_it_comes_back) {
  journaled t{{.stream = {.poll = 10s}}};
  t.listens(3).after(10s);
  EXPECT_FALSE(t.way.live());
  t.notes(1).seen();
  EXPECT_EQ(t.resumes(4, {3, 0}).seen(), (effects{open_stream{4}, primes(4, {3, 0}), carries(4, {3, 1}, note(1))}));
}

// -- routes ----------------------------------------------------------------------------

TEST(http_delivery, asks_with_the_only_call) {
  journaled t;
  t.listens(9).posts(3).seen();
  EXPECT_EQ(t.asks(1), 3u);
  EXPECT_EQ(t.seen(), (effects{open_stream{3}, primes(3, {3, 0}), carries(3, {3, 1}, ask(1))}));
}

TEST(http_delivery, asks_on_the_primary_when_there_are_several_calls) {
  journaled t;
  t.listens(9).posts(3).posts(4).seen();
  EXPECT_EQ(t.asks(1), 9u);
  EXPECT_EQ(t.seen(), (effects{carries(9, {9, 1}, ask(1))}));
}

TEST(http_delivery, asks_with_the_latest_call_that_has_a_client_when_there_is_no_primary) {
  journaled t;
  t.posts(3).posts(4).posts(5);
  t.loses(5);
  EXPECT_EQ(t.asks(1), 4u);
}

TEST(http_delivery, asks_on_the_primary_when_the_only_call_has_lost_its_stream) {
  journaled t;
  t.listens(9).posts(3).progresses(3, "p");
  t.loses(3);
  t.seen();
  EXPECT_EQ(t.asks(1), 9u);
  EXPECT_EQ(t.seen(), (effects{carries(9, {9, 1}, ask(1))}));
}

TEST(http_delivery, keeps_a_question_for_the_stream_of_the_only_call_when_nothing_else_is_there) {
  journaled t;
  t.posts(3).progresses(3, "p");
  t.loses(3);
  t.seen();
  EXPECT_EQ(t.asks(1), 3u);
  EXPECT_EQ(t.seen(), effects{});
  EXPECT_EQ(t.resumes(4, {3, 1}).seen(), (effects{open_stream{4}, primes(4, {3, 1}), carries(4, {3, 2}, ask(1))}));
}

TEST(http_delivery, lets_a_question_wait_and_refuses_it_when_too_many_do) {
  journaled t{{.waiting = 2}};
  EXPECT_EQ(t.asks(1), 0u);
  EXPECT_EQ(t.asks(2), 0u);
  EXPECT_EQ(t.asks(3), std::nullopt);
  EXPECT_EQ(t.listens(9).seen(),
            (effects{open_stream{9}, primes(9, {9, 0}), carries(9, {9, 1}, ask(1)), carries(9, {9, 2}, ask(2))}));
}

TEST(http_delivery, tells_changes_on_the_primary_even_beside_a_call) {
  journaled t;
  t.listens(9).posts(3).seen();
  EXPECT_EQ(t.notes(1).seen(), (effects{carries(9, {9, 1}, note(1))}));
}

TEST(http_delivery, tells_changes_with_the_only_call_when_there_is_no_primary) {
  journaled t;
  EXPECT_EQ(t.posts(3).notes(1).seen(), (effects{open_stream{3}, primes(3, {3, 0}), carries(3, {3, 1}, note(1))}));
}

TEST(http_delivery, follows_a_question_to_where_it_went) {
  journaled t;
  t.posts(3);
  t.asks(1);
  t.listens(9).seen();
  t.way.follow(3, of(note(1)), t.now, t.out);
  EXPECT_EQ(t.seen(), (effects{carries(3, {3, 2}, note(1))}));
  t.answers(3, "a").seen();
  t.way.follow(3, of(note(2)), t.now, t.out);
  EXPECT_EQ(t.seen(), (effects{carries(9, {9, 1}, note(2))}));
}

// -- end, and counts ---------------------------------------------------------------------

// 2025-11-25, transports, "Session Management" 5
TEST(http_delivery, ends_with_everything_that_is_open) {
  journaled t;
  t.posts(3).posts(4).posts(5).progresses(4, "p").listens(6).listens(7);
  t.resumes(8, {6, 0}).resumes(9, {6, 0}).resumes(10, {6, 0});
  t.loses(5);
  t.seen();
  t.way.end(t.now, t.out);
  EXPECT_EQ(t.seen(), (effects{reject{3, session_over}, end_stream{4}, end_stream{9}, primes(10, {6, 0}),
                               end_stream{10}, end_stream{7}}));
}

TEST(http_delivery, counts_what_it_holds) {
  journaled t;
  EXPECT_EQ(shown(t.way.counts()), "0 0 0 0 0 0 ");
  t.notes(1).notes(2);
  EXPECT_EQ(shown(t.way.counts()), "0 0 0 0 2 0 ");
  t.listens(3);
  EXPECT_EQ(shown(t.way.counts()), "1 0 0 0 0 2 ");
  t.listens(4).listens(5).posts(6).posts(7).progresses(6, "p");
  EXPECT_EQ(shown(t.way.counts()), "1 2 1 0 0 3 ");
  t.loses(3);
  t.loses(6);
  EXPECT_EQ(shown(t.way.counts()), "1 1 0 2 0 3 ");
  t.resumes(8, {3, 2}).resumes(9, {3, 2}).resumes(10, {3, 2}).resumes(11, {3, 2});
  EXPECT_EQ(shown(t.way.counts()), "1 3 0 1 0 3 ");
  t.way.end(t.now, t.out);
  t.after(60s);
  EXPECT_EQ(shown(t.way.counts()), "0 0 0 0 0 0 ");
  EXPECT_EQ(t.way.counts().stored_bytes, 0u);
}

TEST(http_delivery, counts_what_was_lost) {
  journaled t{{.waiting = 1}};
  t.notes(1).notes(2).notes(3);
  EXPECT_EQ(t.way.counts().dropped, 2u);
}

} // namespace troupe::tests::http_delivery_test
