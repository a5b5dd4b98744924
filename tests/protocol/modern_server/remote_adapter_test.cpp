// Detection of a remote server's era.

#include "protocol/message/message.hpp"
#include "tests/support/server_as_legacy_driver.hpp"

namespace troupe::tests::remote_adapter_test {

namespace {

server_as_legacy_rules remote(server_era known = server_era::automatic, server_era era = server_era::automatic) {
  return {.era = era, .known = known, .is_remote = true, .name = "server", .mark = "mark"};
}

/// `initialize` of a user that accepts 2026-07-28 answers unchanged.
message modern_hello() {
  auto result = gateway_message(hello("0"));
  result.claims_modern = true;
  return result;
}

struct remote_adapter_driver : server_as_legacy_driver {
  explicit remote_adapter_driver(server_as_legacy_rules rules = remote()) : server_as_legacy_driver{std::move(rules)} {}

  adapter_effects modern_user() { return it.user_sent(modern_hello(), now); }
  adapter_effects lost_by(const std::string& why, bool is_shortage = false) {
    return it.server_lost(now, is_shortage, why);
  }
};

std::string unknown(std::string_view why) {
  return error_text("0", -32603, "It was not found out which revisions the MCP server speaks: " + std::string{why});
}

const std::string no_discovery = error("\"troupe-discover-1\"", -32601);

/// The error of the transport when the server has neither answered nor refused.
message unanswered(const std::string& why, const std::string& number = "1") {
  auto result = gateway_message(error_text("\"troupe-discover-" + number + "\"", -32603, why));
  result.outcome = {call_outcome::kind::lost};
  return result;
}
const adapter_effects asks_anew{start_again{}, asks(hello("0"))};

} // namespace

TEST(remote_face, begins_in_the_era_of_its_user) {
  EXPECT_EQ(remote_adapter_driver{}.user(hello("0")), adapter_effects{asks(hello("0"))});
  EXPECT_EQ(remote_adapter_driver{}.modern_user(), adapter_effects{asks(discover())});
}

TEST(remote_face, begins_in_the_only_era_that_the_server_is_known_to_speak) {
  EXPECT_EQ(remote_adapter_driver{remote(server_era::session)}.user(hello("0")), adapter_effects{asks(hello("0"))});
  EXPECT_EQ(remote_adapter_driver{remote(server_era::session)}.modern_user(), adapter_effects{asks(hello("0"))});
  for (auto& rules : {remote(server_era::stateless), remote(server_era::automatic, server_era::stateless)}) {
    EXPECT_EQ(remote_adapter_driver{rules}.user(hello("0")), adapter_effects{asks(discover())});
    EXPECT_EQ(remote_adapter_driver{rules}.modern_user(), adapter_effects{asks(discover())});
  }
}

// The server may speak both eras.
TEST(remote_face, remembers_nothing_of_a_server_that_was_asked_in_one_era_only) {
  remote_adapter_driver modern;
  modern.modern_user();
  EXPECT_EQ(modern.server(discovered()), adapter_effects{shows_user(greeted())});
  remote_adapter_driver with_session;
  with_session.user(hello("0"));
  EXPECT_EQ(with_session.server(welcome("0")), adapter_effects{shows_user(welcome("0"))});
}

TEST(remote_face, remembers_that_a_server_refused_the_session_era) {
  for (auto known : {server_era::automatic, server_era::session}) {
    remote_adapter_driver t{remote(known)};
    t.user(hello("0"));
    EXPECT_EQ(t.server(refuses_version("0", R"(["2026-07-28"])")), adapter_effects{asks(discover())});
    EXPECT_EQ(t.server(discovered()), (adapter_effects{note_era{server_era::stateless}, shows_user(greeted())}));
  }
}

TEST(remote_face, remembers_that_a_server_refused_the_modern_era) {
  for (auto known : {server_era::automatic, server_era::stateless}) {
    remote_adapter_driver t{remote(known)};
    t.modern_user();
    EXPECT_EQ(t.server(no_discovery), asks_anew);
    EXPECT_EQ(t.server(welcome("0")), (adapter_effects{note_era{server_era::session}, shows_user(welcome("0"))}));
    EXPECT_TRUE(t.it.is_transparent());
    EXPECT_EQ(t.user(request("1", "m")), adapter_effects{asks(request("1", "m"))});
  }
}

TEST(remote_face, gives_up_a_server_that_refuses_both) {
  remote_adapter_driver t;
  t.user(hello("0"));
  t.server(error("0", -32602));
  EXPECT_EQ(t.server(no_discovery),
            (adapter_effects{shows_user(error("0", -32602)), give_up{"the remote MCP server refused to initialize"}}));
}

// 2025-11-25, transports, "Backwards Compatibility": it may be an HTTP+SSE server.
TEST(remote_face, asks_once_more_where_initialize_was_unknown) {
  remote_adapter_driver with_session;
  with_session.user(hello("0"));
  EXPECT_EQ(with_session.server(error("0", -32601)), adapter_effects{asks(discover())});
  with_session.user(request("1", "m"));
  EXPECT_EQ(with_session.server(no_discovery),
            (adapter_effects{start_again{}, asks(hello("0")), asks(request("1", "m"))}));
  EXPECT_EQ(with_session.it.deadline(), time_point::max());
  EXPECT_EQ(with_session.server(welcome("0")),
            (adapter_effects{note_era{server_era::session}, shows_user(welcome("0"))}));
  EXPECT_TRUE(with_session.it.is_transparent());
  remote_adapter_driver of_lease;
  of_lease.modern_user();
  EXPECT_EQ(of_lease.server(no_discovery), asks_anew);
  EXPECT_EQ(of_lease.server(error("0", -32601)), asks_anew);
  EXPECT_EQ(of_lease.server(welcome("0")), (adapter_effects{note_era{server_era::session}, shows_user(welcome("0"))}));
}

TEST(remote_face, asks_no_third_time) {
  for (auto code : {-32601, -32603}) {
    remote_adapter_driver t;
    t.user(hello("0"));
    t.server(error("0", -32601));
    EXPECT_EQ(t.server(no_discovery), asks_anew);
    EXPECT_EQ(t.server(error("0", code)),
              (adapter_effects{shows_user(error("0", code)), give_up{"the remote MCP server refused to initialize"}}));
  }
}

TEST(remote_face, gives_up_a_server_that_is_not_of_the_configured_era) {
  remote_adapter_driver t{remote(server_era::automatic, server_era::stateless)};
  t.user(hello("0"));
  const std::string why = "The MCP server does not speak revision 2026-07-28, which the `era` of its configuration "
                          "demands: it refused server/discover";
  EXPECT_EQ(t.server(no_discovery), (adapter_effects{shows_user(error_text("0", -32603, why)), give_up{why}}));
}

TEST(remote_face, takes_a_loss_while_it_asks_for_no_answer) {
  for (auto refused : {false, true}) {
    remote_adapter_driver t;
    if (refused) {
      t.user(hello("0"));
      t.server(error("0", -32601));
    } else {
      t.modern_user();
    }
    EXPECT_EQ(t.user(request("1", "m")), adapter_effects{});
    EXPECT_EQ(t.lost_by("HTTP 500"),
              (adapter_effects{shows_user(unknown("HTTP 500")), shows_user(error_text("1", -32603, "HTTP 500")),
                               give_up{"HTTP 500"}}));
  }
}

TEST(remote_face, says_that_a_loss_is_a_shortage_of_the_gateway) {
  for (auto is_shortage : {false, true}) {
    remote_adapter_driver t;
    t.modern_user();
    EXPECT_EQ(std::get<deliver_to_user>(t.lost_by("no descriptors", is_shortage).front()).what.is_shortage,
              is_shortage);
  }
}

TEST(remote_face, takes_silence_for_a_refusal) {
  remote_adapter_driver t;
  t.modern_user();
  EXPECT_EQ(t.after(10s - 1ns), adapter_effects{});
  EXPECT_EQ(t.after(1ns), asks_anew);
  EXPECT_EQ(t.it.deadline(), time_point::max());
  const std::string why = "it did not answer server/discover within 10 s";
  EXPECT_EQ(t.server(welcome("0")), (adapter_effects{note_era{server_era::session, why}, shows_user(welcome("0"))}));
}

TEST(remote_face, notes_with_a_doubt_that_a_server_takes_initialize_which_has_not_refused_the_modern_era) {
  for (auto known : {server_era::automatic, server_era::stateless}) {
    remote_adapter_driver t{remote(known)};
    t.modern_user();
    EXPECT_EQ(t.it.server_sent(unanswered("HTTP 503"), t.now), asks_anew);
    EXPECT_EQ(t.server(welcome("0")),
              (adapter_effects{note_era{server_era::session, "HTTP 503"}, shows_user(welcome("0"))}));
  }
}

TEST(remote_face, asks_once_more_where_the_first_question_was_not_answered_and_initialize_is_refused) {
  for (auto code : {-32600, -32601}) {
    remote_adapter_driver t;
    t.modern_user();
    t.it.server_sent(unanswered("HTTP 503"), t.now);
    EXPECT_EQ(t.server(error("0", code)), adapter_effects{asks(discover("2"))});
    EXPECT_EQ(t.server(discovered(R"({"tools":{}})", "2")),
              (adapter_effects{note_era{server_era::stateless}, shows_user(greeted())}));
  }
}

TEST(remote_face, says_what_came_in_the_place_of_an_answer) {
  remote_adapter_driver twice;
  twice.modern_user();
  twice.it.server_sent(unanswered("HTTP 503"), twice.now);
  twice.server(error("0", -32601));
  EXPECT_EQ(twice.it.server_sent(unanswered("HTTP 429", "2"), twice.now),
            (adapter_effects{shows_user(unknown("HTTP 429")), give_up{"HTTP 429"}}));
  remote_adapter_driver no_session;
  no_session.modern_user();
  no_session.it.server_sent(unanswered("HTTP 503"), no_session.now);
  const std::string why = "no (server/discover was not answered before: HTTP 503)";
  EXPECT_EQ(no_session.server(error("0", -32603, R"(,"data":{"x":1.0})")),
            adapter_effects{shows_user(error_text("0", -32603, why, R"({"x":1.0})"))});
  remote_adapter_driver must{remote(server_era::automatic, server_era::stateless)};
  must.modern_user();
  EXPECT_EQ(must.it.server_sent(unanswered("HTTP 503"), must.now),
            (adapter_effects{shows_user(unknown("HTTP 503")), give_up{"HTTP 503"}}));
}

TEST(remote_face, has_no_doubt_of_what_was_refused_in_the_end) {
  remote_adapter_driver t;
  t.modern_user();
  t.it.server_sent(unanswered("HTTP 503"), t.now);
  t.server(error("0", -32601));
  EXPECT_EQ(t.server(error("\"troupe-discover-2\"", -32601)), asks_anew);
  EXPECT_EQ(t.server(welcome("0")), (adapter_effects{note_era{server_era::session}, shows_user(welcome("0"))}));
}

// The server may have been asleep.
TEST(remote_face, asks_a_silent_server_once_more_when_it_refuses_initialize) {
  for (auto code : {-32600, -32601}) {
    remote_adapter_driver t;
    t.modern_user();
    t.after(10s);
    EXPECT_EQ(t.server(error("0", code)), adapter_effects{asks(discover("2"))});
    const std::string why = "it did not answer server/discover within 10 s";
    EXPECT_EQ(t.after(10s), (adapter_effects{shows_user(unknown(why)), give_up{why}}));
  }
}

TEST(remote_face, takes_silence_for_no_answer_once_initialize_was_refused) {
  remote_adapter_driver t;
  t.user(hello("0"));
  t.server(error("0", -32602));
  const std::string why = "it did not answer server/discover within 10 s";
  EXPECT_EQ(t.after(10s), (adapter_effects{shows_user(unknown(why)), give_up{why}}));
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(remote_face, leaves_a_loss_to_others_once_the_era_is_known) {
  remote_adapter_driver modern;
  modern.modern_user();
  modern.server(discovered());
  EXPECT_EQ(modern.lost_by("x"), adapter_effects{});
  remote_adapter_driver greeting;
  greeting.user(hello("0"));
  EXPECT_EQ(greeting.lost_by("x"), adapter_effects{});
}

} // namespace troupe::tests::remote_adapter_test
