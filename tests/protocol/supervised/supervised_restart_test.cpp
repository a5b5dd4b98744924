// A server that exits, is slow, or refuses to start.

#include "tests/support/server_driver.hpp"

namespace troupe::tests::supervised_restart_test {

namespace {

const std::string gone = "The MCP server stopped: gone";

/// The first delay for the seed of the tests.
std::chrono::milliseconds first_pause(const restart_limits& limits = {}) {
  restarts like{limits, 1};
  like.lost({});
  return like.lost({}).length;
}

std::string initialize_of_ours(std::string id) { return initialize_text(id, ""); }

/// A server that failed twice and backs off.
struct waiting_driver : server_driver {
  explicit waiting_driver(supervision_rules rules = {}) : server_driver{std::move(rules)} {
    opened();
    lost();
    lost();
  }
};

} // namespace

// -- operators' requests ------------------------------------------------------------

TEST(restarted_server, is_stopped_and_started_at_once) {
  server_driver t;
  t.opened();
  t.user(1, request("7", "a"));
  const auto why = "an operator restarted it";
  EXPECT_EQ(t.it.restart(t.now),
            (server_effects{stop_server{}, to_user(1, failed("7", "The MCP server stopped: an operator restarted it")),
                            start_server{}, to_server(initialize_of_ours("3")), shows(phase::starting, 1, why)}));
}

TEST(restarted_server, tells_that_its_calls_were_lost) {
  server_driver t;
  t.opened();
  t.user(1, request("7", "a"));
  auto effects = t.it.restart(t.now);
  ASSERT_GT(effects.size(), 1U);
  EXPECT_EQ(std::get<send_to_user>(effects[1]).what.outcome, call_outcome{call_outcome::kind::lost});
}

TEST(lost_server, tells_calls_that_waited_for_its_start_that_they_were_lost) {
  server_driver t;
  t.opened();
  t.lost();
  EXPECT_EQ(t.user(1, request("8", "b")), server_effects{});
  auto effects = t.lost();
  ASSERT_FALSE(effects.empty());
  EXPECT_EQ(std::get<send_to_user>(effects.front()).what.outcome, call_outcome{call_outcome::kind::lost});
}

TEST(restarted_server, does_not_wait_for_the_end_of_its_pause) {
  waiting_driver t;
  EXPECT_EQ(t.it.status().is, phase::waiting);
  auto effects = t.it.restart(t.now);
  ASSERT_FALSE(effects.empty());
  EXPECT_EQ(effects.front(), server_effect{start_server{}});
  EXPECT_EQ(t.it.status().is, phase::starting);
}

TEST(restarted_server, is_held_to_no_loss_from_before) {
  server_driver t;
  t.opened();
  for (int i = 0; i < 20; ++i) {
    t.it.restart(t.now);
    EXPECT_EQ(t.it.status().is, phase::starting) << i;
  }
}

TEST(restarted_server, is_not_held_to_be_lost_by_it) {
  supervision_rules rules;
  rules.restarts.attempts = 1;
  server_driver t{std::move(rules)};
  t.opened();
  t.it.restart(t.now);
  EXPECT_EQ(t.it.status().is, phase::starting);
}

TEST(restarted_server, stays_idle_when_nobody_needs_it) {
  server_driver t;
  EXPECT_EQ(t.it.restart(t.now), server_effects{});
}

// -- effects of a loss --------------------------------------------------------------

TEST(lost_server, fails_every_request_at_once_and_takes_questions_back) {
  server_driver t;
  t.opened(2);
  t.user(1, request("7", "a"));
  t.server(request("\"q\"", "q"));
  t.user(2, request("7", "b"));
  t.user(2, subscribe("8", "u"));
  t.user(1, subscribe("8", "u"));
  EXPECT_EQ(t.lost(), (server_effects{to_user(1, failed("7", gone)), to_user(2, failed("7", gone)),
                                      to_user(2, failed("8", gone)), to_user(1, failed("8", gone)),
                                      to_user(1, cancellation_of("1", "the MCP server stopped").text), start_server{},
                                      to_server(initialize_of_ours("5")), shows(phase::starting, 1, "gone")}));
  EXPECT_EQ(t.server(result("2")), server_effects{});
  EXPECT_EQ(t.user(1, result("1")), server_effects{});
}

TEST(lost_server, is_told_again_what_it_has_to_know_and_its_users_that_it_changed) {
  server_driver t;
  t.opened(2, R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{},"resources":{}}})");
  t.user(1, subscribe("1", "a"));
  t.server(result("2"));
  t.user(2, set_level("1", "error"));
  t.server(result("3"));
  t.lost();
  EXPECT_EQ(t.user(1, request("2", "m")), server_effects{});
  EXPECT_EQ(t.user(3, hello("0")), server_effects{});
  auto now_with = R"({"protocolVersion":"2025-06-18","capabilities":{"tools":{},"resources":{}}})";
  EXPECT_EQ(t.server(result("4", now_with)),
            (server_effects{shows(phase::ready, 1, "gone"), to_server(our_note("initialized")),
                            to_server(set_level("5", "error")), to_server(subscribe("6", "a")),
                            to_user(1, list_changed_again("tools")), to_user(2, list_changed_again("tools")),
                            to_user(1, list_changed_again("resources")), to_user(2, list_changed_again("resources")),
                            to_server(request("7", "m")), to_user(3, result("0", now_with))}));
  EXPECT_EQ(t.server(failed("5", "no")), server_effects{});
  EXPECT_EQ(t.server(result("6")), server_effects{});
  EXPECT_EQ(t.server(updated("a")), (server_effects{to_user(1, updated("a"))}));
}

TEST(lost_server, forgets_a_subscription_that_its_successor_refuses) {
  server_driver t;
  t.opened();
  t.user(1, subscribe("1", "a"));
  t.server(result("2"));
  t.lost();
  t.server(result("3", greeting));
  t.user(1, subscribe("2", "a"));
  EXPECT_EQ(t.server(failed("4", "no")), (server_effects{to_user(1, failed("2", "no"))}));
  EXPECT_EQ(t.server(updated("a")), server_effects{});
}

TEST(lost_server, is_told_only_in_a_line) {
  for (auto [why, seen] : {std::pair{"exit 1\n  at main.js:5", "exit 1"}, {"\xff\xfe", "??"}, {"\u00e9", "\u00e9"}}) {
    server_driver t;
    t.user(1, hello("0"));
    EXPECT_EQ(t.lost(why).front(),
              server_effect{to_user(1, failed("0", std::string{"The MCP server stopped: "} + seen))});
  }
  for (std::size_t size : {299, 300, 301}) {
    server_driver t;
    t.user(1, hello("0"));
    t.lost(std::string(size, 'x'));
    EXPECT_EQ(t.it.status().why.size(), std::min<std::size_t>(size, 300));
  }
}

TEST(lost_server, is_lost_once) {
  waiting_driver t;
  EXPECT_EQ(t.lost(), server_effects{});
  EXPECT_EQ(t.server(note("notifications/custom")), server_effects{});
}

// -- pauses -------------------------------------------------------------------------------

TEST(lost_server, waits_before_it_is_started_a_second_time) {
  server_driver t;
  t.opened();
  t.lost();
  auto pause = first_pause();
  EXPECT_EQ(t.lost(), (server_effects{shows(phase::waiting, 1, "gone", pause)}));
  EXPECT_EQ(t.it.deadline(), t.now + pause);
  EXPECT_EQ(t.after(pause - 1ns), server_effects{});
  EXPECT_EQ(t.after(1ns),
            (server_effects{start_server{}, to_server(initialize_of_ours("3")), shows(phase::starting, 2, "gone")}));
}

TEST(lost_server, fails_requests_at_once_while_it_waits) {
  waiting_driver t;
  t.after(first_pause() - 250ms);
  auto why = "The MCP server is being restarted, the next try is in 0.250 s; it stopped: gone";
  EXPECT_EQ(t.user(1, request("7", "m")), (server_effects{to_user(1, failed("7", why))}));
  EXPECT_EQ(t.user(2, hello("0")), (server_effects{to_user(2, failed("0", why))}));
  EXPECT_EQ(t.user(1, note("notifications/n")), server_effects{});
  t.after(250ms);
  EXPECT_EQ(t.server(result("3", greeting)),
            (server_effects{shows(phase::ready, 2, "gone"), to_server(our_note("initialized")),
                            to_user(1, list_changed_again("tools")), to_user(2, list_changed_again("tools"))}));
}

TEST(lost_server, rests_when_it_keeps_stopping) {
  server_driver t{{.restarts = {.attempts = 2, .rest = 60s}}};
  t.opened();
  t.lost();
  EXPECT_EQ(t.lost(), (server_effects{shows(phase::resting, 1, "gone", 60s)}));
  EXPECT_EQ(t.user(1, request("7", "m")),
            (server_effects{
                to_user(1, failed("7", "The MCP server keeps stopping, the next try is in 60 s; it stopped: gone"))}));
  EXPECT_EQ(t.after(60s - 1ns), server_effects{});
  EXPECT_EQ(t.after(1ns),
            (server_effects{start_server{}, to_server(initialize_of_ours("3")), shows(phase::starting, 2, "gone")}));
  EXPECT_EQ(t.lost("again"), (server_effects{shows(phase::resting, 2, "again", 120s)}));
}

TEST(lost_server, comes_back_at_once_after_a_steady_run) {
  server_driver t;
  t.opened();
  t.lost();
  t.server(result("2", greeting));
  t.after(10s);
  EXPECT_EQ(t.lost(),
            (server_effects{start_server{}, to_server(initialize_of_ours("3")), shows(phase::starting, 2, "gone")}));
}

// -- remaining users ------------------------------------------------------------------------

TEST(lost_server, is_not_started_again_for_nobody) {
  server_driver t;
  t.opened();
  t.leaves(1);
  EXPECT_EQ(t.lost(), (server_effects{shows(phase::idle, 0, "gone")}));
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(lost_server, is_not_waited_for_when_the_last_user_leaves) {
  waiting_driver t;
  EXPECT_EQ(t.leaves(1), (server_effects{shows(phase::idle, 1, "gone")}));
  EXPECT_EQ(t.it.deadline(), time_point::max());
  EXPECT_EQ(t.after(1h), server_effects{});
  EXPECT_EQ(t.user(2, hello("0")),
            (server_effects{start_server{}, to_server(initialize_of_ours("3")), shows(phase::starting, 1, "gone")}));
}

TEST(lost_server, is_started_again_for_nobody_when_it_is_kept_warm) {
  server_driver t;
  t.it.warm_up(t.now);
  EXPECT_EQ(t.lost(),
            (server_effects{start_server{}, to_server(initialize_of_ours("2")), shows(phase::starting, 1, "gone")}));
  t.lost();
  t.user(1, hello("0"));
  EXPECT_EQ(t.leaves(1), server_effects{});
  EXPECT_EQ(t.it.status().is, phase::waiting);
}

TEST(lost_server, may_end_all_users) {
  server_driver t{{.ends_users = true}};
  t.opened(2);
  t.user(1, request("7", "m"));
  EXPECT_EQ(t.lost(), (server_effects{to_user(1, failed("7", gone)), end_user{1, "gone"}, end_user{2, "gone"},
                                      shows(phase::idle, 0, "gone")}));
  EXPECT_EQ(t.user(3, hello("0")),
            (server_effects{start_server{}, to_server(initialize_of_ours("3")), shows(phase::starting, 0, "gone")}));
}

// -- initialize fails ---------------------------------------------------------------------------

TEST(unwilling_server, gives_its_refusal_to_all_who_wait) {
  server_driver t;
  t.user(1, hello("5"));
  t.user(2, hello("6"));
  t.user(2, request("7", "m"));
  std::string why = "it refused to initialize: no licence";
  EXPECT_EQ(t.server(error_text("1", -32000, "no licence")),
            (server_effects{stop_server{}, to_user(1, error_text("5", -32000, "no licence")),
                            to_user(2, error_text("6", -32000, "no licence")),
                            to_user(2, failed("7", "The MCP server stopped: " + why)), start_server{},
                            to_server(initialize_of_ours("2")), shows(phase::starting, 1, why)}));
}

TEST(unwilling_server, is_one_of_an_unknown_version) {
  std::string why = "it answered initialize with a protocol version that is not known";
  for (auto bad : {R"({"protocolVersion":"2026-07-28"})", R"({"protocolVersion":1})", "{}", "null", "[]"}) {
    server_driver t;
    t.user(1, hello("5"));
    EXPECT_EQ(t.server(result("1", bad)),
              (server_effects{stop_server{}, to_user(1, failed("5", "The MCP server stopped: " + why)), start_server{},
                              to_server(initialize_of_ours("2")), shows(phase::starting, 1, why)}))
        << bad;
  }
}

TEST(late_server, is_stopped_when_it_does_not_initialize) {
  std::string why = "it answered neither initialize nor server/discover within 30 s";
  server_driver t;
  t.user(1, hello("5"));
  EXPECT_EQ(t.it.deadline(), t.now + 30s);
  EXPECT_EQ(t.after(30s - 1ns), server_effects{});
  EXPECT_EQ(t.after(1ns),
            (server_effects{stop_server{}, to_user(1, failed("5", "The MCP server stopped: " + why)), start_server{},
                            to_server(initialize_of_ours("2")), shows(phase::starting, 1, why)}));
  EXPECT_EQ(t.server(result("1", greeting)), server_effects{});
}

// -- clients during a failure -----------------------------------------------------------------

TEST(waiting_server, learns_the_level_that_was_chosen_while_it_was_away) {
  waiting_driver t;
  EXPECT_EQ(t.user(1, set_level("5", "error")), (server_effects{to_user(1, result("5"))}));
  EXPECT_EQ(t.user(1, set_level("6", "loud")).size(), 1u);
  t.after(1h);
  auto told = t.server(result("3", greeting));
  ASSERT_GE(told.size(), 3u);
  EXPECT_EQ(std::get<send_to_server>(told[2]).what.method, "logging/setLevel");
  EXPECT_NE(std::get<send_to_server>(told[2]).what.text.find("error"), std::string::npos);
}

TEST(starting_server, keeps_the_level_that_waited_for_a_start_in_vain) {
  server_driver t;
  t.opened();
  t.lost();
  EXPECT_EQ(t.user(1, set_level("5", "error")), server_effects{});
  EXPECT_EQ(t.lost().front(), server_effect{to_user(1, result("5"))});
}

TEST(resting_server, is_left_alone_however_many_come_and_go) {
  server_driver t;
  t.opened();
  for (auto i = 0; i < 5; ++i) {
    t.lost();
    t.after(31s);
  }
  EXPECT_EQ(t.it.status().is, phase::resting);
  auto rest = supervision_rules{}.restarts.rest - 31s;
  EXPECT_EQ(t.leaves(1), (server_effects{shows(phase::idle, 4, "gone")}));
  EXPECT_EQ(t.user(2, hello("0")).front(), (server_effect{shows(phase::resting, 4, "gone", rest)}));
  t.leaves(2);
  t.after(rest);
  EXPECT_EQ(t.user(3, hello("0")).front(), server_effect{start_server{}});
}

// -- failed starts ------------------------------------------------------------------------------

namespace {

const std::string out = "the gateway is out of descriptors";
const std::string not_started = "The MCP server cannot be started: " + out;

/// A server that cannot be started.
server_effects prevented(server_driver& t) { return t.it.server_lost(out, t.now, true); }

bool is_shortage(const server_effect& one) {
  auto told = std::get_if<send_to_user>(&one);
  return told && told->what.is_shortage;
}

} // namespace

TEST(prevented_server, refuses_who_begins_for_now) {
  for (auto rules : {supervision_rules{}, supervision_rules{.dedicated = true}}) {
    server_driver t{rules};
    t.user(1, hello("0"));
    auto told = prevented(t);
    ASSERT_EQ(told.size(), 2u);
    EXPECT_EQ(told[0], server_effect{to_user(1, failed("0", not_started))});
    EXPECT_TRUE(is_shortage(told[0]));
  }
}

TEST(prevented_server, is_started_at_once_for_who_begins) {
  server_driver t;
  t.user(1, hello("0"));
  for (auto i = 0; i < 20; ++i) {
    prevented(t);
    auto told = t.user(2, hello("0"));
    EXPECT_EQ(told.front(), server_effect{start_server{}}) << i;
  }
  EXPECT_EQ(t.server(result("21", greeting)).back(), server_effect{to_user(2, result("0", greeting))});
}

TEST(prevented_server, is_tried_again_soon_for_those_who_stay) {
  server_driver t;
  t.opened();
  t.lost();
  EXPECT_EQ(t.user(1, request("1", "m")), server_effects{});
  auto told = prevented(t);
  EXPECT_EQ(told.front(), server_effect{to_user(1, failed("1", not_started))});
  EXPECT_FALSE(is_shortage(told.front()));
  for (auto i = 0; i < 20; ++i) {
    EXPECT_EQ(t.it.deadline(), t.now + 1s);
    EXPECT_EQ(t.after(1s).front(), server_effect{start_server{}}) << i;
    prevented(t);
  }
}

} // namespace troupe::tests::supervised_restart_test
