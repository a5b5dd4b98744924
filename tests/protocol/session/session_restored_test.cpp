// A session that is restored from its record after its node has exited.

#include "tests/protocol/session/record_effects.hpp"
#include "tests/support/session_driver.hpp"

namespace troupe::tests::session_restored_test {

namespace {

/// The notification that the gateway sends on behalf of the client.
const std::string our_initialized = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";

const std::string lost_call = "The call was lost with the node that ran it";

/// The last `remember` and `keep_event` effects of a session, which another node may need.
struct kept_effects {
  restored_session left;
  void hears(const effects& all) {
    for (auto& one : all) {
      if (auto it = std::get_if<remember>(&one))
        left.record = read_record(it->record).value();
      if (auto it = std::get_if<keep_event>(&one))
        left.events.push_back(it->what);
    }
  }
};

/// The first exchange of a restored session.
constexpr exchange_id base = exchange_id{1} << 32U;

struct restored_driver : session_driver {
  explicit restored_driver(restored_session left = {record(), {}}, const session_limits& limits = {})
      : session_driver{limits} {
    began = it.restore(std::move(left), now);
  }
  /// The new server initializes like the previous one.
  restored_driver& welcomed() { return server(welcome("1")), *this; }

  effects began;
};

/// The record of the restored session.
session_record again(session_record one) {
  ++one.life;
  return one;
}

const rejection not_found{404, -32600, "Session not found: it ended, or never was; start again with initialize"};

rejection unavailable_now(std::string why, std::string id) {
  return {503, -32603, "Service Unavailable: " + std::move(why), std::move(id), {{"Retry-After", "1"}}};
}

rejection too_much(std::string id) {
  return unavailable_now("too much waits for the session to be restored", std::move(id));
}

} // namespace

// -- server after a restart -----------------------------------------------------------------

TEST(session_restored, initializes_a_new_server_and_tells_it_what_the_one_before_knew) {
  auto known = record();
  known.level = "info";
  known.subscriptions = {"a", "b\""};
  restored_driver t{{known, {}}};
  EXPECT_EQ(t.began, (effects{asked(hello("1"), "1")}));
  EXPECT_EQ(t.it.last_exchange(), base);
  EXPECT_EQ(t.server(welcome("1")),
            (effects{forwarded(our_initialized), asked(request("2", "logging/setLevel", R"({"level":"info"})"), "2"),
                     asked(request("3", "resources/subscribe", R"({"uri":"a"})"), "3"),
                     asked(request("4", "resources/subscribe", R"({"uri":"b\""})"), "4"), remembers(again(known))}));
  EXPECT_EQ(t.server(result("2")), effects{});
  EXPECT_EQ(t.server(failed("3", "no")), effects{});
  EXPECT_EQ(t.after(5min), (effects{forwarded(timed_out("4"))}));
  EXPECT_EQ(t.it.calls_in_flight(), 0u);
}

TEST(session_restored, asks_for_the_revision_that_the_client_speaks) {
  auto known = record();
  known.version = "2025-06-18";
  restored_driver t{{known, {}}};
  EXPECT_EQ(t.began, (effects{asked(hello("1", "2025-06-18"), "1")}));
  t.server(welcome("1", "2025-06-18"));
  EXPECT_EQ(t.posts(base + 1, request("7", "m")), (effects{asked(request("2", "m"), "2")}));
}

TEST(session_restored, leaves_initialized_to_a_client_that_has_not_said_it) {
  restored_driver t{{record(false), {}}};
  EXPECT_EQ(t.server(welcome("1")), (effects{remembers(again(record(false)))}));
  t.server(request("9", "roots/list"));
  EXPECT_EQ(t.listens(base + 1), (effects{keeps_listener(base + 1), open_stream{base + 1}}));
  auto own = std::to_string(base + 1);
  EXPECT_EQ(
      t.posts(base + 2, initialized),
      (effects{accept{base + 2}, forwarded(initialized), remembers(again(record())),
               keeps(base + 1, 1, request(own, "roots/list"), true), says(base + 1, request(own, "roots/list"))}));
}

TEST(session_restored, does_not_count_what_it_tells_the_server_as_calls_of_the_client) {
  auto known = record();
  known.subscriptions = {"a", "b"};
  restored_driver t{{known, {}}, {.calls = 1}};
  t.welcomed();
  t.after(5s);
  EXPECT_EQ(t.posts(base + 1, request("7", "m")), (effects{asked(request("4", "m"), "4")}));
  EXPECT_EQ(std::get<reject>(t.posts(base + 2, request("8", "m")).front()).why.status, 429);
}

TEST(session_restored, ends_when_the_new_server_refuses_or_speaks_another_revision_or_is_lost) {
  const effects over{reject{base + 1, not_found}, end_session{"its new server did not initialize as the one before"}};
  for (auto& answer : {failed("1", "no"), result("1"), welcome("1", "2025-06-18"), welcome("1", "2099-01-01")}) {
    restored_driver t;
    t.posts(base + 1, request("7", "m"));
    EXPECT_EQ(t.server(answer), effects{forget_session{}}) << answer;
    EXPECT_EQ(t.it.forgotten(true, t.now), over) << answer;
  }
  restored_driver t;
  t.listens(base + 1);
  EXPECT_EQ(t.server_lost("it crashed"), effects{forget_session{}});
  EXPECT_EQ(t.it.forgotten(true, t.now), (effects{reject{base + 1, not_found}, end_session{"it crashed"}}));
}

TEST(session_restored, is_kept_for_another_try_when_the_gateway_has_no_room_for_its_server) {
  restored_driver t;
  t.posts(base + 1, request("7", "m"));
  EXPECT_EQ(without_positions(t.it.server_lost("no room", t.now, true)),
            (effects{reject{base + 1, unavailable_now("no room", "7")}, end_session{"no room", true}}));
}

TEST(session_restored, ends_when_the_new_server_is_silent_for_30_s) {
  restored_driver t;
  t.posts(base + 1, request("7", "m"));
  EXPECT_EQ(t.it.deadline(), t.now + 30s);
  EXPECT_EQ(t.after(30s - 1ns), effects{});
  EXPECT_EQ(t.after(1ns), effects{forget_session{}});
  EXPECT_EQ(t.it.forgotten(true, t.now),
            (effects{reject{base + 1, not_found}, end_session{"The MCP server did not answer within 30 s"}}));
}

// -- clients meanwhile ----------------------------------------------------------------------

TEST(session_restored, works_off_in_order_what_clients_wanted_meanwhile) {
  restored_driver t;
  EXPECT_EQ(t.listens(base + 1), effects{});
  EXPECT_EQ(t.posts(base + 2, request("7", "m")), effects{});
  EXPECT_EQ(t.posts(base + 3, note("notifications/n")), effects{});
  EXPECT_EQ(t.posts(base + 4, hello("8")), effects{});
  EXPECT_EQ(
      t.server(welcome("1")),
      (effects{forwarded(our_initialized), remembers(again(record())), keeps_listener(base + 1), open_stream{base + 1},
               asked(request("2", "m"), "2"), accept{base + 3}, forwarded(note("notifications/n")),
               reject{base + 4, {400, -32600, "Bad Request: this session is already initialized", "8"}}}));
}

TEST(session_restored, lets_no_call_overtake_what_it_tells_the_server) {
  auto known = record();
  known.level = "info";
  known.subscriptions = {"a"};
  restored_driver t{{known, {}}};
  t.posts(base + 1, request("7", "m"));
  t.welcomed();
  EXPECT_EQ(t.posts(base + 2, request("8", "m")), effects{});
  EXPECT_EQ(t.posts(base + 3, cancelled("8")), effects{});
  EXPECT_EQ(t.posts(base + 4, note("notifications/n")),
            (effects{accept{base + 4}, forwarded(note("notifications/n"))}));
  EXPECT_EQ(t.listens(base + 5), (effects{keeps_listener(base + 5), open_stream{base + 5}}));
  EXPECT_EQ(t.server(result("3")), effects{});
  EXPECT_EQ(t.server(failed("2", "no")),
            (effects{asked(request("4", "m"), "4"), asked(request("5", "m"), "5"), accept{base + 3},
                     forwarded(cancelled("5")), reply{base + 2, error_text("8", -32800, "Request cancelled")}}));
  EXPECT_EQ(t.posts(base + 6, request("9", "m")), (effects{asked(request("6", "m"), "6")}));
}

TEST(session_restored, lets_calls_go_on_when_the_server_does_not_answer_within_5_s) {
  auto known = record();
  known.level = "info";
  restored_driver t{{known, {}}};
  t.posts(base + 1, request("7", "m"));
  t.welcomed();
  EXPECT_EQ(t.it.deadline(), t.now + 5s);
  EXPECT_EQ(t.after(5s - 1ns), effects{});
  EXPECT_EQ(t.after(1ns), (effects{asked(request("3", "m"), "3")}));
  EXPECT_EQ(t.server(result("2")), effects{});
}

TEST(session_restored, refuses_the_calls_that_wait_when_it_ends_before_the_server_has_answered) {
  auto known = record();
  known.level = "info";
  restored_driver lost{{known, {}}};
  lost.welcomed();
  lost.posts(base + 1, request("7", "m"));
  EXPECT_EQ(lost.server_lost("it crashed"), effects{forget_session{}});
  EXPECT_EQ(lost.posts(base + 2, request("8", "m")), effects{});
  EXPECT_EQ(lost.it.forgotten(true, lost.now),
            (effects{reject{base + 1, not_found}, reject{base + 2, not_found}, end_session{"it crashed"}}));
  EXPECT_EQ(lost.posts(base + 3, request("9", "m")), (effects{reject{base + 3, not_found}}));
  restored_driver t{{known, {}}};
  t.posts(base + 1, request("7", "m"));
  t.posts(base + 2, request("8", "m"));
  t.deletes(base + 3);
  t.server(welcome("1"));
  EXPECT_EQ(t.it.forgotten(true, t.now).back(), (effect{end_session{"its client ended it"}}));
  EXPECT_EQ(t.after(5s), effects{});
}

TEST(session_restored, ends_for_a_client_that_wanted_its_end_meanwhile) {
  restored_driver t;
  t.deletes(base + 1);
  t.posts(base + 2, request("7", "m"));
  EXPECT_EQ(t.server(welcome("1")),
            (effects{forwarded(our_initialized), remembers(again(record())), forget_session{}}));
  EXPECT_EQ(t.it.forgotten(true, t.now),
            (effects{confirm_end{base + 1}, reject{base + 2, not_found}, end_session{"its client ended it"}}));
}

TEST(session_restored, sends_what_a_client_sent_that_left_meanwhile_but_opens_it_no_stream) {
  restored_driver t;
  t.listens(base + 1);
  t.posts(base + 2, request("7", "m"));
  t.leaves(base + 1);
  t.leaves(base + 2);
  EXPECT_EQ(t.server(welcome("1")),
            (effects{forwarded(our_initialized), remembers(again(record())), asked(request("2", "m"), "2")}));
  EXPECT_EQ(t.server(result("2")), effects{});
}

TEST(session_restored, refuses_clients_while_64_wait) {
  restored_driver t;
  for (exchange_id i = 1; i <= 64; ++i)
    EXPECT_EQ(t.posts(base + i, note("notifications/n")), effects{}) << i;
  EXPECT_EQ(t.posts(base + 65, request("7", "m")), (effects{reject{base + 65, too_much("7")}}));
  EXPECT_EQ(t.listens(base + 66), (effects{reject{base + 66, too_much({})}}));
}

TEST(session_restored, refuses_clients_while_too_many_bytes_wait_but_never_the_first) {
  auto size = note("notifications/n").size();
  for (auto fits : {2 * size - 1, 2 * size, 2 * size + 1}) {
    restored_driver t{{record(), {}}, {.waiting_bytes = fits}};
    EXPECT_EQ(t.posts(base + 1, note("notifications/n")), effects{});
    EXPECT_EQ(t.posts(base + 2, note("notifications/n")).empty(), fits >= 2 * size) << fits;
  }
  restored_driver t{{record(), {}}, {.waiting_bytes = 1}};
  EXPECT_EQ(t.posts(base + 1, note("notifications/n")), effects{});
}

TEST(session_restored, sends_clients_elsewhere_when_the_gateway_stops_meanwhile_and_survives) {
  restored_driver t;
  t.posts(base + 1, request("7", "m"));
  EXPECT_EQ(t.drain(), effects{});
  EXPECT_EQ(t.drain(true), (effects{reject{base + 1, unavailable_now("the gateway is stopping", "7")},
                                    end_session{"the gateway is stopping", true}}));
}

// -- streams from before a restoration ---------------------------------------------------------

TEST(session_restored, resumes_a_listening_stream_which_then_carries_on) {
  restored_driver t{
      {record(), {keeps_listener(3).what, {3, 1, note("notifications/a")}, {3, 2, note("notifications/b")}}}};
  t.welcomed();
  EXPECT_EQ(t.listens(base + 1, "t-3-1"), (effects{open_stream{base + 1}, says(base + 1, note("notifications/b"))}));
  EXPECT_EQ(t.it.client_listens(base + 2, "t-3-1", t.now).front(), effect{open_stream{base + 2}});
  auto position = 2 + unsaved_positions + 1;
  EXPECT_EQ(t.server(note("notifications/c")),
            (effects{keeps(3, position, note("notifications/c"), false), says(base + 2, note("notifications/c"))}));
}

TEST(session_restored, fails_the_calls_whose_answer_is_not_there_on_their_stream) {
  restored_driver t{
      {record(), {keeps_call(3, "7,\"b\",9").what, {3, 1, note("notifications/a")}, {3, 2, result("7"), true}}}};
  EXPECT_EQ(t.server(welcome("1")), (effects{keeps(3, 3 + unsaved_positions, failed("\"b\"", lost_call), true),
                                             keeps(3, 4 + unsaved_positions, failed("9", lost_call), true),
                                             forwarded(our_initialized), remembers(again(record()))}));
  EXPECT_EQ(t.listens(base + 1, "t-3-1"),
            (effects{open_stream{base + 1}, says(base + 1, result("7")), says(base + 1, failed("\"b\"", lost_call)),
                     says(base + 1, failed("9", lost_call)), end_stream{base + 1}}));
}

TEST(session_restored, fails_no_call_that_its_client_cancelled) {
  restored_driver t{{record(), {keeps_call(3, "7,8").what, {3, 1, note("notifications/a")}, keeps_call(3, "8").what}}};
  EXPECT_EQ(t.server(welcome("1")).front(), (effect{keeps(3, 2 + unsaved_positions, failed("8", lost_call), true)}));
}

TEST(session_restored, ends_a_stream_whose_answers_were_all_kept) {
  restored_driver t{{record(), {keeps_call(3, "7").what, {3, 1, note("notifications/a")}, {3, 2, result("7"), true}}}};
  t.welcomed();
  EXPECT_EQ(t.listens(base + 1, "t-3-1"),
            (effects{open_stream{base + 1}, says(base + 1, result("7")), end_stream{base + 1}}));
}

TEST(session_restored, knows_events_that_were_seen_but_never_kept) {
  restored_driver t{{record(), {keeps_listener(3).what, {3, 1, note("notifications/a")}}}};
  t.welcomed();
  auto at = [](std::uint64_t position) { return "t-3-" + std::to_string(position); };
  EXPECT_EQ(t.listens(base + 1, at(unsaved_positions)), (effects{open_stream{base + 1}}));
  EXPECT_EQ(t.listens(base + 2, at(1 + unsaved_positions)), (effects{open_stream{base + 2}, end_stream{base + 1}}));
  EXPECT_EQ(std::get<reject>(t.listens(base + 3, at(2 + unsaved_positions)).front()).why.status, 400);
}

TEST(session_restored, has_nothing_more_to_say_on_a_stream_that_was_never_kept) {
  restored_driver t;
  t.welcomed();
  EXPECT_EQ(t.listens(base + 1, "t-7-1"), (effects{open_stream{base + 1}, end_stream{base + 1}}));
  EXPECT_EQ(std::get<reject>(t.listens(base + 2, "u-7-1").front()).why.status, 400);
}

TEST(session_restored, takes_a_stream_of_unknown_purpose_for_that_of_a_call_that_is_over) {
  for (auto& purpose : {std::vector<saved_event>{}, std::vector<saved_event>{{3, 0, "no purpose"}}}) {
    auto events = purpose;
    events.push_back({3, 8, note("notifications/a")});
    events.push_back({3, 9, result("7"), true});
    restored_driver t{{record(), events}};
    t.welcomed();
    EXPECT_EQ(t.listens(base + 1, "t-3-8"),
              (effects{open_stream{base + 1}, says(base + 1, result("7")), end_stream{base + 1}}));
    t.listens(base + 2);
    EXPECT_EQ(t.server(note("notifications/n")),
              (effects{keeps(base + 2, 1, note("notifications/n"), false), says(base + 2, note("notifications/n"))}));
  }
}

TEST(session_restored, fails_a_call_whose_first_messages_the_store_has_lost) {
  restored_driver t{{record(), {keeps_listener(2).what, keeps_call(3, "7").what, {3, 1'500, note("notifications/a")}}}};
  t.welcomed();
  EXPECT_EQ(t.listens(base + 1, "t-3-1500"),
            (effects{open_stream{base + 1}, says(base + 1, failed("7", lost_call)), end_stream{base + 1}}));
  EXPECT_EQ(t.listens(base + 2, "t-2-0"), (effects{open_stream{base + 2}}));
  EXPECT_EQ(t.server(note("notifications/n")).back(), (effect{says(base + 2, note("notifications/n"))}));
}

TEST(session_restored, keeps_streams_of_which_it_knows_what_they_are_for_longer_than_others) {
  restored_session left{record(),
                        {keeps_listener(2).what, {2, 1, note("notifications/a")}, {2, 2, note("notifications/b")}}};
  for (exchange_id stream = 3; stream < 3 + stream_limits{}.kept; ++stream)
    left.events.push_back({stream, 1, note("notifications/c")});
  restored_driver t{left};
  t.welcomed();
  EXPECT_EQ(t.it.counts().detached, stream_limits{}.kept);
  EXPECT_EQ(t.listens(base + 1, "t-2-1"), (effects{open_stream{base + 1}, says(base + 1, note("notifications/b"))}));
}

TEST(session_restored, knows_nothing_of_a_stream_that_was_forgotten) {
  restored_driver t{{record(), {keeps_call(3, "7").what, {3, 1, note("notifications/a")}, {3, 0, ""}}}};
  t.welcomed();
  EXPECT_EQ(t.it.counts().detached, 0u);
  EXPECT_EQ(t.it.counts().stored_events, 0u);
  EXPECT_EQ(t.listens(base + 1, "t-3-0"), (effects{open_stream{base + 1}, end_stream{base + 1}}));
}

TEST(session_restored, forgets_streams_that_nobody_resumes_within_a_minute) {
  restored_driver t{{record(), {keeps_listener(3).what, {3, 1, note("notifications/a")}}}};
  t.after(29s);
  t.welcomed().after(60s - 1ns);
  EXPECT_EQ(t.it.counts().detached, 1u);
  t.after(1ns);
  EXPECT_EQ(t.it.counts().detached, 0u);
  EXPECT_EQ(t.it.counts().stored_events, 0u);
}

TEST(session_restored, ignores_events_that_cannot_be_its_own) {
  constexpr auto huge = std::uint64_t{1} << 53U;
  restored_driver t{{record(),
                     {{0, 1, note("notifications/a")},
                      {base + 1, 1, note("notifications/a")},
                      {3, huge, note("notifications/a")},
                      {4, ~std::uint64_t{0}, note("notifications/a")},
                      {5, 2, note("notifications/a")},
                      {5, 2, note("notifications/b")},
                      {5, 1, note("notifications/c")},
                      {5, 3, "no JSON", true},
                      {6, 0, "no JSON"}}}};
  t.welcomed();
  EXPECT_EQ(t.it.counts().stored_events, 2u);
  EXPECT_EQ(t.listens(base + 1, "t-5-1"), (effects{open_stream{base + 1}, says(base + 1, note("notifications/a")),
                                                   says(base + 1, "no JSON"), end_stream{base + 1}}));
}

TEST(session_restored, does_not_take_an_answer_to_a_question_of_the_life_before) {
  restored_driver t;
  t.welcomed();
  t.listens(base + 1);
  t.server(request("9", "elicitation/create"));
  EXPECT_EQ(t.posts(base + 2, result("1")), (effects{accept{base + 2}}));
  EXPECT_EQ(t.posts(base + 3, result(std::to_string(base + 1))), (effects{accept{base + 3}, forwarded(result("9"))}));
}

TEST(session_restored, can_be_restored_again) {
  kept_effects words{{record(), {keeps_call(3, "7").what, {3, 1, note("notifications/a")}}}};
  for (exchange_id life = 1; life <= 3; ++life) {
    restored_driver t{words.left};
    EXPECT_EQ(t.it.last_exchange(), life * base);
    words.hears(t.server(welcome("1")));
    EXPECT_EQ(words.left.record.life, life);
    EXPECT_EQ(t.listens(life * base + 1, "t-3-1"),
              (effects{open_stream{life * base + 1}, says(life * base + 1, failed("7", lost_call)),
                       end_stream{life * base + 1}}));
  }
  EXPECT_EQ(words.left.events.size(), 3u) << "a call is failed once";
}

} // namespace troupe::tests::session_restored_test
