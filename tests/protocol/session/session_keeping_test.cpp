// A session that keeps a record of its state, and the events of its streams.

#include "tests/protocol/session/record_effects.hpp"
#include "tests/support/session_driver.hpp"

namespace troupe::tests::session_keeping_test {

namespace {

/// A session that keeps a record of its state.
struct kept_driver : session_driver {
  explicit kept_driver(const session_limits& limits = {}) {
    it = session{limits, std::make_unique<http_delivery>(http_limits{}, tag), now, session_record{.path = "p"}};
  }
};

} // namespace

TEST(session_keeping, says_nothing_of_it_unless_told_to) {
  session_driver t;
  t.posts(1, hello("0"));
  EXPECT_EQ(t.server(welcome("1")), (effects{reply{1, welcome("0"), true}}));
  EXPECT_EQ(t.listens(2), (effects{open_stream{2}}));
  EXPECT_EQ(t.server(note("notifications/n")), (effects{says(2, note("notifications/n"))}));
}

TEST(session_keeping, remembers_the_session_before_its_client_knows_it) {
  kept_driver t;
  t.posts(1, hello("\"i\""));
  EXPECT_EQ(t.server(welcome("1")), (effects{remembers(record(false)), reply{1, welcome("\"i\""), true}}));
  EXPECT_EQ(t.posts(2, initialized), (effects{accept{2}, forwarded(initialized), remembers(record())}));
  EXPECT_EQ(t.posts(3, initialized), (effects{accept{3}, forwarded(initialized)}));
}

TEST(session_keeping, remembers_levels_and_subscriptions_that_the_server_granted) {
  kept_driver t;
  t.posts(1, hello("\"i\""));
  t.server(welcome("1"));
  t.posts(2, initialized);
  t.posts(3, request("1", "logging/setLevel", R"({"level":"info"})"));
  t.posts(4, request("2", "resources/subscribe", R"({"uri":"a"})"));
  auto known = record();
  known.level = "info";
  EXPECT_EQ(t.server(result("2")), (effects{remembers(known), reply{3, result("1")}}));
  known.subscriptions = {"a"};
  EXPECT_EQ(t.server(result("3")), (effects{remembers(known), reply{4, result("2")}}));
  t.posts(5, request("3", "resources/unsubscribe", R"({"uri":"a"})"));
  known.subscriptions = {};
  EXPECT_EQ(t.server(result("4")), (effects{remembers(known), reply{5, result("3")}}));
}

TEST(session_keeping, remembers_a_long_record_no_more_often_than_its_pace_allows) {
  kept_driver t;
  t.opened();
  std::uint64_t asked = 1;
  auto subscribes = [&](const std::string& uri) {
    ++asked;
    t.posts(asked, request(std::to_string(asked), "resources/subscribe", R"({"uri":")" + uri + "\"}"));
    auto told = t.server(result(std::to_string(asked)));
    return std::count_if(told.begin(), told.end(), [](auto& one) { return std::holds_alternative<remember>(one); });
  };
  std::ptrdiff_t remembered = 0;
  for (int i = 0; i < 30; ++i)
    remembered += subscribes(std::to_string(i) + std::string(4000, 'u'));
  EXPECT_GT(remembered, 1);
  EXPECT_LT(remembered, 10);
  auto due = t.it.deadline();
  EXPECT_GT(due, t.now);
  EXPECT_LE(due, t.now + 2s);
  t.now = due - 1ms;
  EXPECT_EQ(t.it.tick(t.now), effects{});
  t.now = due;
  auto told = t.it.tick(t.now);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(read_record(std::get<remember>(told[0]).record)->subscriptions.size(), 30u);
  t.now += 1s;
  EXPECT_EQ(t.it.tick(t.now), effects{});
  t.now += 30s;
  EXPECT_EQ(subscribes("x"), 1);
}

TEST(session_keeping, remembers_what_waits_for_its_pace_when_the_gateway_stops) {
  kept_driver t;
  t.opened();
  effects told;
  for (int i = 2; i < 40; ++i) {
    auto id = std::to_string(i);
    t.posts(static_cast<exchange_id>(i),
            request(id, "resources/subscribe", R"({"uri":")" + std::string(3000, 'u') + id + "\"}"));
    told = t.server(result(id));
  }
  EXPECT_FALSE(std::holds_alternative<remember>(told[0]));
  told = t.it.close({}, t.now);
  ASSERT_TRUE(std::holds_alternative<remember>(told[0]));
  EXPECT_EQ(read_record(std::get<remember>(told[0]).record)->subscriptions.size(), 38u);
}

TEST(session_keeping, does_not_remember_what_was_cancelled_refused_or_late) {
  kept_driver t;
  t.opened();
  t.posts(3, request("1", "resources/subscribe", R"({"uri":"a"})"));
  t.posts(4, cancelled("1"));
  EXPECT_EQ(t.server(result("2")), effects{});
  t.posts(5, request("2", "resources/subscribe", R"({"uri":"b"})"));
  EXPECT_EQ(t.server(failed("3", "no")), (effects{reply{5, failed("2", "no")}}));
  t.posts(6, request("3", "resources/subscribe", R"({"uri":"c"})"));
  t.leaves(6);
  t.after(5min);
  EXPECT_EQ(t.server(result("4")), effects{});
}

TEST(session_keeping, does_not_keep_a_session_that_began_with_too_long_an_initialize) {
  kept_driver t;
  t.posts(1, hello("0", "2025-11-25", R"({"x":")" + std::string(longest_kept_initialize, 'x') + "\"}"));
  EXPECT_EQ(t.server(welcome("1")), (effects{reply{1, welcome("0"), true}}));
  EXPECT_EQ(t.listens(2), (effects{open_stream{2}}));
}

TEST(session_keeping, keeps_events_before_they_are_seen_and_what_their_stream_is_for) {
  kept_driver t;
  t.opened();
  EXPECT_EQ(t.listens(3), (effects{keeps_listener(3), open_stream{3}}));
  EXPECT_EQ(t.server(note("notifications/n")),
            (effects{keeps(3, 1, note("notifications/n"), false), says(3, note("notifications/n"))}));
  t.posts(4, request_with("9", "1", "m"));
  EXPECT_EQ(t.server(progress("2")),
            (effects{keeps_call(4, "1"), open_stream{4}, keeps(4, 1, progress("9"), false), says(4, progress("9"))}));
  t.leaves(4);
  EXPECT_EQ(t.server(result("2")), (effects{keeps(4, 2, result("1"), true)}));
}

TEST(session_keeping, tells_again_what_a_stream_is_for_when_a_request_is_cancelled) {
  kept_driver t;
  t.opened("2025-03-26");
  t.posts(3, "[" + request_with("9", "1", "m") + "," + request("\"b\"", "m") + "]");
  t.server(progress("2"));
  EXPECT_EQ(t.posts(4, cancelled("1")), (effects{accept{4}, forwarded(cancelled("2")), keeps_call(3, "\"b\"")}));
}

TEST(session_keeping, says_of_streams_that_they_are_forgotten) {
  kept_driver t;
  t.opened().listens(3);
  t.posts(4, request_with("9", "1", "m"));
  t.server(progress("2"));
  t.leaves(3);
  t.leaves(4);
  t.server(result("2"));
  t.after(60s - 1ns);
  EXPECT_EQ(t.after(1ns), (effects{keeps(3, 0, "", false), keeps(4, 0, "", false)}));
}

TEST(session_keeping, says_of_streams_that_they_are_forgotten_because_others_came) {
  kept_driver t;
  t.opened();
  for (exchange_id stream = 3; stream < 3 + stream_limits{}.kept; ++stream) {
    t.listens(stream);
    EXPECT_EQ(t.leaves(stream), effects{});
  }
  t.listens(1'000);
  EXPECT_EQ(t.leaves(1'000), (effects{keeps(3, 0, "", false)}));
}

TEST(session_keeping, remembers_again_at_most_once_a_minute_while_the_client_speaks) {
  kept_driver t;
  t.opened();
  t.after(1min - 1ns);
  EXPECT_EQ(t.posts(3, note("notifications/n")), (effects{accept{3}, forwarded(note("notifications/n"))}));
  t.after(1ns);
  auto one = record();
  one.initialize = hello("0");
  EXPECT_EQ(t.posts(4, note("notifications/n")),
            (effects{remembers(one), accept{4}, forwarded(note("notifications/n"))}));
  t.after(1min);
  EXPECT_EQ(t.listens(5), (effects{remembers(one), keeps_listener(5), open_stream{5}}));
}

TEST(session_keeping, remembers_again_while_the_client_only_listens) {
  kept_driver t;
  t.opened().listens(3);
  EXPECT_EQ(t.it.deadline(), t.now + 15min);
  EXPECT_EQ(t.after(15min - 1ns), effects{});
  auto again = t.after(1ns);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<remember>(again.front()));
  t.leaves(3);
  EXPECT_EQ(t.it.deadline(), t.now + 1min) << "a stream is forgotten";
  t.after(1min);
  EXPECT_EQ(t.after(4min), effects{forget_session{}});
}

TEST(session_keeping, remembers_again_before_the_store_forgets_also_when_its_client_stopped_listening_long_ago) {
  for (std::chrono::milliseconds idle : {10s, 60s, 121s, 1800s, 7200s}) {
    kept_driver t{{.idle = idle, .abandoned = idle}};
    auto last = t.now;
    std::chrono::nanoseconds oldest{};
    auto passes = [&](std::chrono::nanoseconds time) {
      auto all = t.after(time);
      oldest = std::max(oldest, std::chrono::nanoseconds{t.now - last});
      if (!all.empty() && std::holds_alternative<remember>(all.back()))
        last = t.now;
      return !all.empty() && std::holds_alternative<forget_session>(all.back());
    };
    t.opened().listens(3);
    EXPECT_FALSE(passes(record_age::silent(idle) - 1ms));
    t.leaves(3);
    while (!passes(t.it.deadline() - t.now))
      continue;
    EXPECT_LT(oldest, idle + 2 * record_age::spoken) << idle.count();
  }
}

TEST(session_keeping, survives_only_the_end_of_its_gateway) {
  kept_driver drained, retired, deleted, crashed;
  for (auto t : {&drained, &retired, &deleted, &crashed})
    t->opened();
  EXPECT_EQ(drained.drain(), (effects{end_session{"the gateway is stopping", true}}));
  EXPECT_EQ(retired.it.close({.why = "removed", .for_good = true}, retired.now),
            (effects{forget_session{}, end_session{"removed"}}));
  EXPECT_EQ(deleted.deletes(3), effects{forget_session{}});
  EXPECT_EQ(crashed.server_lost("it crashed"), effects{forget_session{}});
}

TEST(session_keeping, remembers_the_session_again_when_the_store_has_lost_it) {
  kept_driver t;
  EXPECT_EQ(t.it.write_again(t.now), effects{}) << "nothing is agreed on";
  t.posts(1, hello("\"i\""));
  t.server(welcome("1"));
  t.posts(2, initialized);
  EXPECT_EQ(t.it.write_again(t.now), (effects{remembers(record())}));
  EXPECT_EQ(t.it.regained(t.now), effects{});
  t.listens(3);
  EXPECT_EQ(t.it.regained(t.now), (effects{keep_event{{3, 0, R"({"listens":true})"}}}));
  session_driver other;
  other.opened();
  other.listens(3);
  EXPECT_EQ(other.it.write_again(other.now), effects{});
  EXPECT_EQ(other.it.regained(other.now), effects{});
}

} // namespace troupe::tests::session_keeping_test
