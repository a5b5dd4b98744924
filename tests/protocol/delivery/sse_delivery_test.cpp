// Delivery over HTTP+SSE: one stream for everything.

#include "protocol/delivery/sse_delivery.hpp"
#include "tests/support/protocol_effects.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace troupe::tests::sse_delivery_test {

using namespace protocol;

namespace {

const std::string endpoint = "/messages?sessionId=abc";

message of(std::string text) { return std::get<message>(read_message(std::move(text))); }

const std::string note = R"({"jsonrpc":"2.0","method":"n"})";
const std::string ask = R"({"jsonrpc":"2.0","id":1,"method":"roots/list"})";

/// A delivery to a client whose stream is exchange 1, and a journal of its effects since the last read.
struct journaled {
  journaled() {
    way.listens(1, {}, now, out);
    out.clear();
  }
  effects seen() { return std::exchange(out, {}); }

  time_point now{};
  sse_delivery way{endpoint};
  effects out;
};

} // namespace

// 2024-11-05, transports, "HTTP with SSE"
TEST(sse_delivery, tells_the_endpoint_before_anything_else) {
  sse_delivery way{endpoint};
  effects out;
  EXPECT_FALSE(way.live());
  way.listens(1, "t-1-1", {}, out);
  EXPECT_EQ(out, (effects{open_stream{1}, publish{1, {.type = "endpoint", .data = endpoint}}}));
  EXPECT_TRUE(way.live());
  EXPECT_EQ(way.counts().primary, 1u);
}

// 2024-11-05, transports, "HTTP with SSE"
TEST(sse_delivery, says_everything_on_the_stream_and_nothing_in_a_POST) {
  journaled t;
  t.way.posted_initialize(2, t.out);
  t.way.opened(2, "hello", "2025-11-25", t.out);
  t.way.posted(3, false, {"1"}, t.now, t.out);
  t.way.progress(3, "progress", t.now, t.out);
  EXPECT_EQ(t.way.related(of(ask), t.now, t.out), 1u);
  t.way.unrelated(of(note), t.now, t.out);
  t.way.follow(1, of(note), t.now, t.out);
  t.way.answer(3, "answer", t.now, t.out);
  EXPECT_EQ(t.seen(), (effects{accept{2}, says(1, "hello"), accept{3}, says(1, "progress"), says(1, ask), says(1, note),
                               says(1, note), says(1, "answer")}));
}

// 2024-11-05, transports, "HTTP with SSE"
TEST(sse_delivery, takes_every_POST_at_once) {
  journaled t;
  t.way.posted(3, false, {}, t.now, t.out);
  t.way.posted(4, true, {"1", "2"}, t.now, t.out);
  EXPECT_EQ(t.seen(), (effects{accept{3}, accept{4}}));
}

// As in the official SDKs, the SSE connection is the session.
TEST(sse_delivery, cannot_go_on_without_its_stream) {
  journaled t;
  for (exchange_id other : {0, 2, 99})
    EXPECT_EQ(t.way.lost(other, t.now, t.out), loss::request) << other;
  EXPECT_TRUE(t.way.live());
  EXPECT_EQ(t.way.lost(1, t.now, t.out), loss::session);
  EXPECT_FALSE(t.way.live());
  t.way.answer(3, "answer", t.now, t.out);
  t.way.end(t.now, t.out);
  EXPECT_EQ(t.seen(), effects{});
  EXPECT_EQ(t.way.counts().primary, 0u);
}

TEST(sse_delivery, loses_nothing_that_it_does_not_have) {
  sse_delivery way{endpoint};
  effects out;
  EXPECT_EQ(way.lost(0, {}, out), loss::request);
}

// As in the official SDKs, the SSE connection is the session.
TEST(sse_delivery, has_one_stream) {
  journaled t;
  t.way.listens(2, {}, t.now, t.out);
  EXPECT_EQ(t.seen(), (effects{reject{2, {400, -32600, "Bad Request: this session has its stream"}}}));
  t.way.unrelated(of(note), t.now, t.out);
  EXPECT_EQ(t.seen(), (effects{says(1, note)}));
}

TEST(sse_delivery, says_nothing_to_a_call_that_was_cancelled) {
  journaled t;
  t.way.withdraw(3, "1", t.now, t.out);
  EXPECT_EQ(t.seen(), effects{});
}

TEST(sse_delivery, ends_its_stream_once) {
  journaled t;
  t.way.end(t.now, t.out);
  t.way.end(t.now, t.out);
  EXPECT_EQ(t.seen(), (effects{end_stream{1}}));
}

TEST(sse_delivery, never_has_anything_to_do_in_time) {
  journaled t;
  EXPECT_EQ(t.way.deadline(), time_point::max());
  t.way.tick(time_point::max(), t.out);
  EXPECT_EQ(t.seen(), effects{});
}

} // namespace troupe::tests::sse_delivery_test
