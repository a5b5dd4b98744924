// A server that has forgotten its session with the gateway, so that pending requests never ran.

#include "tests/support/server_driver.hpp"

namespace troupe::tests::supervised_expired_test {

namespace {

const std::string over = "The MCP server stopped: over";

std::string initialize_of_ours(std::string id) { return initialize_text(id, ""); }
supervision_rules remote_rules() { return {.may_forget = true}; }

/// A remote server.
struct forgetful : server_driver {
  explicit forgetful(supervision_rules rules = remote_rules()) : server_driver{std::move(rules)} {}

  server_effects forgets() { return it.server_lost("over", now, false, true); }
  /// Answers one request, so that the session counts as used.
  void answers_one(const std::string& own) {
    user(1, request("99", "m"));
    server(result(own));
  }
};

} // namespace

TEST(forgetful_server, gets_the_requests_that_it_refused_once_more_in_their_order) {
  forgetful t;
  t.opened(2);
  t.user(1, request("7", "a"));
  t.user(2, request("7", "b"));
  EXPECT_EQ(t.forgets(),
            (server_effects{start_server{}, to_server(initialize_of_ours("4")), shows(phase::starting, 1, "over")}));
  EXPECT_EQ(t.it.calls_in_flight(), 3U);
  t.user(1, request("8", "c"));
  EXPECT_EQ(t.server(result("4", greeting)),
            (server_effects{shows(phase::ready, 1, "over"), to_server(our_note("initialized")),
                            to_user(1, list_changed_again("tools")), to_user(2, list_changed_again("tools")),
                            to_server(request("5", "a")), to_server(request("6", "b")), to_server(request("7", "c"))}));
  EXPECT_EQ(t.server(result("6")), server_effects{to_user(2, result("7"))});
}

TEST(forgetful_server, gets_no_request_three_times) {
  forgetful t;
  t.opened();
  t.user(1, request("7", "a"));
  t.forgets();
  t.server(result("3", greeting));
  t.answers_one("5");
  t.user(1, request("8", "b"));
  EXPECT_EQ(t.forgets(), (server_effects{to_user(1, failed("7", over)), start_server{},
                                         to_server(initialize_of_ours("7")), shows(phase::starting, 2, "over")}));
  EXPECT_EQ(t.server(result("7", greeting)).back(), server_effect{to_server(request("8", "b"))});
}

TEST(forgetful_server, does_not_get_what_was_cancelled_meanwhile) {
  forgetful t;
  t.opened();
  t.user(1, request("7", "a"));
  t.user(1, request("8", "b"));
  t.user(1, cancelled("7"));
  t.forgets();
  EXPECT_EQ(t.user(1, cancelled("8")), server_effects{});
  auto effects = t.server(result("4", greeting));
  EXPECT_EQ(effects.back(), server_effect{to_user(1, list_changed_again("tools"))});
  EXPECT_EQ(t.it.calls_in_flight(), 0U);
}

TEST(forgetful_server, does_not_get_what_a_user_asked_that_has_left) {
  forgetful t;
  t.opened(2);
  t.user(1, request("7", "a"));
  t.forgets();
  t.leaves(1);
  EXPECT_EQ(t.it.calls_in_flight(), 1U);
}

TEST(forgetful_server, has_what_it_answered_left_alone) {
  forgetful t;
  t.opened();
  t.user(1, request("7", "a"));
  EXPECT_EQ(t.server(failed("2", "no")), server_effects{to_user(1, failed("7", "no"))});
  t.forgets();
  EXPECT_EQ(t.it.calls_in_flight(), 1U);
}

TEST(forgetful_server, is_told_the_level_and_the_subscriptions_before_what_is_sent_again) {
  forgetful t;
  t.opened();
  t.user(1, set_level("1", "error"));
  t.server(result("2"));
  t.user(1, subscribe("2", "u"));
  t.server(result("3"));
  t.user(1, subscribe("3", "v"));
  t.forgets();
  EXPECT_EQ(
      t.server(result("5", greeting)),
      (server_effects{shows(phase::ready, 1, "over"), to_server(our_note("initialized")),
                      to_server(R"({"jsonrpc":"2.0","id":6,"method":"logging/setLevel","params":{"level":"error"}})"),
                      to_server(R"({"jsonrpc":"2.0","id":7,"method":"resources/subscribe","params":{"uri":"u"}})"),
                      to_user(1, list_changed_again("tools")), to_server(subscribe("8", "v"))}));
}

TEST(forgetful_server, is_asked_again_for_the_subscription_of_all_who_waited_for_the_answer_to_one) {
  forgetful t;
  t.opened(3);
  t.user(1, subscribe("7", "u"));
  EXPECT_EQ(t.user(2, subscribe("8", "u")), server_effects{});
  EXPECT_EQ(t.user(3, unsubscribe("9", "u")), server_effects{});
  t.forgets();
  EXPECT_EQ(t.it.calls_in_flight(), 4U);
  EXPECT_EQ(t.server(result("3", greeting)).back(), server_effect{to_server(subscribe("4", "u"))});
  EXPECT_EQ(t.server(result("4")),
            (server_effects{to_user(1, result("7")), to_user(2, result("8")), to_user(3, result("9"))}));
  EXPECT_EQ(t.it.calls_in_flight(), 0U);
}

TEST(forgetful_server, is_asked_for_a_subscription_on_behalf_of_the_next_when_it_has_refused_one_twice) {
  forgetful t;
  t.opened(2);
  t.user(1, subscribe("7", "u"));
  t.user(2, subscribe("8", "u"));
  t.forgets();
  t.server(result("3", greeting));
  t.answers_one("5");
  EXPECT_EQ(t.forgets().front(), server_effect{to_user(1, failed("7", over))});
  ASSERT_FALSE(t.server(result("6", greeting)).empty());
  EXPECT_EQ(t.server(result("7")), server_effects{to_user(2, result("8"))});
}

TEST(forgetful_server, of_one_user_is_initialized_as_that_one_wanted) {
  auto rules = remote_rules();
  rules.dedicated = true;
  forgetful t{std::move(rules)};
  t.opened();
  t.user(1, R"({"jsonrpc":"2.0","id":"x","method":"a","params":{"_meta":{"progressToken":"p"}}})");
  t.user(1, subscribe("8", "u"));
  EXPECT_EQ(t.forgets(), (server_effects{start_server{}, to_server(hello("4")), shows(phase::starting, 1, "over")}));
  EXPECT_EQ(
      t.server(result("4", greeting)),
      (server_effects{shows(phase::ready, 1, "over"), to_server(our_note("initialized")),
                      to_user(1, list_changed_again("tools")),
                      to_server(R"({"jsonrpc":"2.0","id":5,"method":"a","params":{"_meta":{"progressToken":5}}})"),
                      to_server(subscribe("6", "u"))}));
}

TEST(forgetful_server, has_its_questions_taken_back) {
  forgetful t;
  t.opened();
  t.user(1, request("7", "a"));
  t.server(request("\"q\"", "q"));
  EXPECT_EQ(t.forgets().front(), server_effect{to_user(1, cancellation_of("1", "the MCP server stopped").text)});
}

TEST(forgetful_server, that_was_of_use_is_begun_again_at_once_however_often_it_forgets) {
  auto rules = remote_rules();
  rules.restarts.attempts = 2;
  forgetful t{std::move(rules)};
  t.opened();
  std::uint64_t own = 1;
  for (int i = 0; i < 20; ++i) {
    t.answers_one(std::to_string(++own));
    t.forgets();
    EXPECT_EQ(t.it.status().is, phase::starting) << i;
    t.server(result(std::to_string(++own), greeting));
  }
}

TEST(forgetful_server, that_was_of_no_use_is_held_to_be_lost) {
  auto rules = remote_rules();
  rules.restarts.attempts = 2;
  forgetful t{std::move(rules)};
  t.opened();
  t.user(1, request("7", "a"));
  t.forgets();
  t.server(result("3", greeting));
  EXPECT_EQ(t.forgets().front(), server_effect{to_user(1, failed("7", over))});
  EXPECT_EQ(t.it.status().is, phase::resting);
}

TEST(forgetful_server, fails_what_it_refused_when_it_cannot_be_initialized_again) {
  forgetful t;
  t.opened();
  t.user(1, request("7", "a"));
  t.forgets();
  EXPECT_EQ(t.lost("away").front(), server_effect{to_user(1, failed("7", "The MCP server stopped: away"))});
}

TEST(forgetful_server, fails_what_it_refused_where_a_loss_ends_its_users) {
  auto rules = remote_rules();
  rules.ends_users = true;
  forgetful t{std::move(rules)};
  t.opened();
  t.user(1, request("7", "a"));
  EXPECT_EQ(t.forgets(),
            (server_effects{to_user(1, failed("7", over)), end_user{1, "over"}, shows(phase::idle, 0, "over")}));
}

TEST(forgetful_server, has_no_more_kept_for_it_than_may_wait_for_its_start) {
  auto rules = remote_rules();
  rules.waiting_bytes = 2 * request("7", "a").size() - 1;
  forgetful t{std::move(rules)};
  t.opened();
  t.user(1, request("7", "a"));
  t.user(1, request("8", "b"));
  EXPECT_EQ(t.forgets().front(), server_effect{to_user(1, failed("8", over))});
  EXPECT_EQ(t.it.calls_in_flight(), 2U);
}

TEST(server_on_stdio, that_is_lost_gets_nothing_twice) {
  server_driver t;
  t.opened();
  t.user(1, request("7", "a"));
  EXPECT_EQ(t.it.server_lost("over", t.now, false, true).front(), server_effect{to_user(1, failed("7", over))});
}

} // namespace troupe::tests::supervised_expired_test
