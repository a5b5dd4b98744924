#include "protocol/modern_client/caller_lease.hpp"

#include "protocol/rejection.hpp"
#include "tests/support/protocol_effects.hpp"

namespace troupe::tests::stateless_answers_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

struct answers_driver {
  explicit answers_driver(exchange_id first = 1) { it.asked(first, now); }

  effects precedes(exchange_id exchange, std::string text) {
    return effects_of([&](auto& out) { it.precede(exchange, std::move(text), out); });
  }
  effects answers(exchange_id exchange, std::string text, int error = 0) {
    return effects_of([&](auto& out) { it.answer(exchange, std::move(text), error, out); });
  }
  effects after(std::chrono::nanoseconds time) {
    return effects_of([&](auto& out) { it.tick(now += time, out); });
  }
  template <class Fact>
  effects effects_of(Fact fact) {
    effects out;
    fact(out);
    return out;
  }

  time_point now{1h};
  stateless_answers it{15s};
};

rejection shortage_of(std::string id) { return shortage("out of descriptors", std::move(id)); }

publish event_on(exchange_id exchange, std::string text) {
  return {exchange, {.type = "message", .data = std::move(text)}};
}

} // namespace

// 2026-07-28, transports, "Sending Messages to the Server"
TEST(stateless_answers, are_json_when_nothing_precedes_them) {
  answers_driver t;
  EXPECT_EQ(t.answers(1, "{}"), (effects{reply{1, "{}"}}));
  EXPECT_TRUE(t.it.empty());
  EXPECT_EQ(t.answers(1, "{}"), effects{});
}

TEST(stateless_answers, are_a_stream_when_something_precedes_them) {
  answers_driver t;
  EXPECT_EQ(t.precedes(1, "a"), (effects{open_stream{1}, event_on(1, "a")}));
  EXPECT_EQ(t.precedes(1, "b"), (effects{event_on(1, "b")}));
  EXPECT_EQ(t.answers(1, "c"), (effects{event_on(1, "c"), end_stream{1}}));
  EXPECT_EQ(t.precedes(1, "d"), effects{});
}

TEST(stateless_answers, become_a_stream_after_15_seconds) {
  answers_driver t;
  EXPECT_EQ(t.it.deadline(), t.now + 15s);
  EXPECT_EQ(t.after(15s - 1ns), effects{});
  EXPECT_EQ(t.after(1ns), (effects{open_stream{1}}));
  EXPECT_EQ(t.after(1h), effects{});
  EXPECT_EQ(t.it.deadline(), time_point::max());
  EXPECT_EQ(t.answers(1, "c"), (effects{event_on(1, "c"), end_stream{1}}));
}

TEST(stateless_answers, wait_each_for_itself) {
  answers_driver t;
  t.now += 1s;
  t.it.asked(2, t.now);
  EXPECT_EQ(t.after(14s), (effects{open_stream{1}}));
  EXPECT_EQ(t.answers(2, "{}"), (effects{reply{2, "{}"}}));
  EXPECT_EQ(t.it.all(), (std::vector<exchange_id>{1}));
}

// 2026-07-28, transports, "Error Responses"
TEST(stateless_answers, tell_some_errors_by_their_status) {
  for (auto [error, status] : {std::pair{-32601, 404}, {-32020, 400}, {-32021, 400}, {-32022, 400}}) {
    answers_driver t;
    EXPECT_EQ(t.answers(1, "e", error),
              (effects{reject{1, {.status = status, .code = error, .text = {}, .body = "e"}}}));
  }
  for (auto error : {-32602, -32603, -32600, 7}) {
    answers_driver t;
    EXPECT_EQ(t.answers(1, "e", error), (effects{reply{1, "e"}}));
  }
}

TEST(stateless_answers, have_one_status_once_they_are_a_stream) {
  answers_driver t;
  t.precedes(1, "a");
  EXPECT_EQ(t.answers(1, "e", -32601), (effects{event_on(1, "e"), end_stream{1}}));
}

TEST(stateless_answers, are_not_given_to_whoever_has_gone) {
  answers_driver t;
  EXPECT_TRUE(t.it.withdrawn(1));
  EXPECT_FALSE(t.it.withdrawn(1));
  EXPECT_EQ(t.answers(1, "{}"), effects{});
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(stateless_answers, are_cut_only_when_they_are_streams) {
  answers_driver t;
  EXPECT_EQ(t.effects_of([&](auto& out) { t.it.cut(1, out); }), effects{});
  t.precedes(1, "a");
  EXPECT_EQ(t.effects_of([&](auto& out) { t.it.cut(1, out); }), (effects{end_stream{1}}));
  EXPECT_TRUE(t.it.empty());
}

TEST(stateless_answers, are_refusals_by_a_status_unless_a_stream_has_begun) {
  answers_driver t;
  EXPECT_EQ(t.effects_of([&](auto& out) { t.it.refuse(1, shortage_of("1"), out); }),
            (effects{reject{1, shortage_of("1")}}));
  EXPECT_EQ(t.effects_of([&](auto& out) { t.it.refuse(1, shortage_of("1"), out); }), effects{});
  answers_driver late;
  late.precedes(1, "a");
  EXPECT_EQ(late.effects_of([&](auto& out) { late.it.refuse(1, shortage_of("1"), out); }),
            (effects{event_on(1, error_text("1", error_code::internal_error, shortage_of("1").text)), end_stream{1}}));
}

} // namespace troupe::tests::stateless_answers_test
