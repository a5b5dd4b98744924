// Detection of a server's era.

#include "tests/support/server_as_legacy_driver.hpp"

namespace troupe::tests::server_as_legacy_test {

namespace {

server_as_legacy_rules knowing(bool modern) {
  return {.known = modern ? server_era::stateless : server_era::automatic, .name = "server", .mark = "mark"};
}
server_as_legacy_rules configured(server_era era) { return {.era = era, .name = "server", .mark = "mark"}; }

const std::string no_greeting = error("0", -32601);

} // namespace

// -- initialize comes first -----------------------------------------------------

TEST(server_as_legacy, sends_initialize_first_and_shows_a_session_server_as_it_is) {
  server_as_legacy_driver t{knowing(false)};
  EXPECT_EQ(t.user(hello("0")), adapter_effects{asks(hello("0"))});
  EXPECT_FALSE(t.it.is_transparent());
  EXPECT_EQ(t.server(note("notifications/message")), adapter_effects{shows_user(note("notifications/message"))});
  EXPECT_EQ(t.server(welcome("0")), adapter_effects{shows_user(welcome("0"))});
  EXPECT_TRUE(t.it.is_transparent());
  EXPECT_EQ(t.user(request("1", "tools/list")), adapter_effects{asks(request("1", "tools/list"))});
  EXPECT_EQ(t.server(request("7", "roots/list")), adapter_effects{shows_user(request("7", "roots/list"))});
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(server_as_legacy, asks_a_server_that_refuses_initialize_what_it_speaks) {
  for (auto& refusal :
       {refuses_version("0", R"(["2026-07-28"])"), error("0", -32601), error("0", -32602), error("0", -32600)}) {
    server_as_legacy_driver t{knowing(false)};
    t.user(hello("0"));
    EXPECT_EQ(t.server(refusal), adapter_effects{asks(discover())});
    EXPECT_EQ(t.server(discovered()), (adapter_effects{note_era{server_era::stateless}, shows_user(greeted())}));
  }
}

TEST(server_as_legacy, shows_a_refusal_that_does_not_sound_modern) {
  for (auto code : {-32603, -32000, -32002, 1}) {
    server_as_legacy_driver t{knowing(false)};
    t.user(hello("0"));
    EXPECT_EQ(t.server(error("0", code)), adapter_effects{shows_user(error("0", code))});
    EXPECT_TRUE(t.it.is_transparent());
  }
}

TEST(server_as_legacy, shows_how_initialize_was_refused_when_discover_is_refused_too) {
  for (auto& answer : {error("\"troupe-discover-1\"", -32601), error("\"troupe-discover-1\"", -32602),
                       error("\"troupe-discover-1\"", -32000), result("\"troupe-discover-1\""),
                       result("\"troupe-discover-1\"", R"({"supportedVersions":["2027-01-01"]})"),
                       refuses_version("\"troupe-discover-1\"", R"(["2027-01-01"])")}) {
    server_as_legacy_driver t{knowing(false)};
    t.user(hello("0"));
    t.server(no_greeting);
    EXPECT_EQ(t.server(answer), adapter_effects{shows_user(no_greeting)});
    EXPECT_EQ(t.it.deadline(), time_point::max());
  }
}

TEST(server_as_legacy, gives_a_server_ten_seconds_to_answer_discover) {
  server_as_legacy_driver t{knowing(false)};
  t.user(hello("0"));
  t.server(no_greeting);
  EXPECT_EQ(t.it.deadline(), t.now + 10s);
  EXPECT_EQ(t.after(10s - 1ns), adapter_effects{});
  EXPECT_EQ(t.after(1ns), adapter_effects{shows_user(no_greeting)});
  EXPECT_EQ(t.server(discovered()), adapter_effects{});
  EXPECT_EQ(t.server(note("n")), adapter_effects{shows_user(note("n"))});
}

TEST(server_as_legacy, shows_how_initialize_was_refused_when_the_server_ends_on_discover) {
  server_as_legacy_driver t{knowing(false)};
  t.user(hello("0"));
  EXPECT_EQ(t.lost(), adapter_effects{});
  t.server(no_greeting);
  EXPECT_EQ(t.lost(), adapter_effects{shows_user(no_greeting)});
}

TEST(server_as_legacy, drops_what_a_server_says_by_itself_before_it_has_answered_discover) {
  server_as_legacy_driver t{knowing(false)};
  t.user(hello("0"));
  t.server(no_greeting);
  EXPECT_EQ(t.server(note("notifications/tools/list_changed")), adapter_effects{});
  EXPECT_EQ(t.server(request("1", "roots/list")), adapter_effects{});
  EXPECT_EQ(t.server(result("5")), adapter_effects{});
}

// -- changed era of a server -------------------------------------------------------

TEST(server_as_legacy, asks_a_server_that_was_modern_before_at_once) {
  server_as_legacy_driver t{knowing(true)};
  EXPECT_EQ(t.user(hello("0")), adapter_effects{asks(discover())});
  EXPECT_EQ(t.server(discovered()), adapter_effects{shows_user(greeted())});
}

TEST(server_as_legacy, keeps_what_the_user_says_until_the_era_is_known) {
  server_as_legacy_driver t{knowing(true)};
  t.user(hello("0"));
  EXPECT_EQ(t.user(request("1", "tools/list")), adapter_effects{});
  EXPECT_EQ(t.server(discovered()), (adapter_effects{shows_user(greeted()), asks(enveloped("1", "tools/list"))}));
}

TEST(server_as_legacy, keeps_no_more_bytes_than_it_may_until_the_era_is_known) {
  const std::string list = request("1", "tools/list");
  for (auto room : {2 * list.size() - 1, 2 * list.size(), 2 * list.size() + 1}) {
    server_as_legacy_driver t{
        {.known = server_era::stateless, .name = "server", .mark = "mark", .waiting_bytes = room}};
    t.user(hello("0"));
    EXPECT_EQ(t.user(list), adapter_effects{});
    if (room < 2 * list.size()) {
      EXPECT_EQ(t.user(list),
                adapter_effects{shows_user(failed("1", "Too many bytes wait for the MCP server: try again later"))});
      EXPECT_EQ(t.user(note("notifications/" + std::string(list.size(), 'x'))), adapter_effects{});
      EXPECT_EQ(t.server(discovered()), (adapter_effects{shows_user(greeted()), asks(enveloped("1", "tools/list"))}));
    } else
      EXPECT_EQ(t.user(list), adapter_effects{});
  }
}

TEST(server_as_legacy, sends_initialize_to_a_server_that_is_modern_no_more) {
  for (auto& answer : {error("\"troupe-discover-1\"", -32601), error("\"troupe-discover-1\"", -32602),
                       error("\"troupe-discover-1\"", 1),
                       result("\"troupe-discover-1\"", R"({"supportedVersions":["2027-01-01"]})")}) {
    server_as_legacy_driver t{knowing(true)};
    t.user(hello("0"));
    t.user(request("1", "tools/list"));
    EXPECT_EQ(t.server(answer), (adapter_effects{asks(hello("0")), asks(request("1", "tools/list"))}));
    EXPECT_EQ(t.server(welcome("0")), (adapter_effects{note_era{server_era::session}, shows_user(welcome("0"))}));
  }
}

TEST(server_as_legacy, asks_again_when_initialize_is_refused_after_a_late_answer) {
  server_as_legacy_driver t{knowing(true)};
  t.user(hello("0"));
  EXPECT_EQ(t.after(10s), adapter_effects{asks(hello("0"))});
  EXPECT_EQ(t.server(discovered()), adapter_effects{});
  EXPECT_EQ(t.server(refuses_version("0", R"(["2026-07-28"])")), adapter_effects{asks(discover("2"))});
  EXPECT_EQ(t.server(discovered("{}", "2")), adapter_effects{shows_user(greeted("{}"))});
}

TEST(server_as_legacy, still_knows_a_server_as_modern_that_answers_neither_era) {
  server_as_legacy_driver t{knowing(true)};
  t.user(hello("0"));
  EXPECT_EQ(t.server(error("\"troupe-discover-1\"", -32603)), adapter_effects{asks(hello("0"))});
  EXPECT_EQ(t.server(error("0", -32603)), adapter_effects{shows_user(error("0", -32603))});
}

TEST(server_as_legacy, does_not_start_a_server_again_at_once_that_was_lost_for_a_shortage) {
  server_as_legacy_driver t{knowing(true)};
  t.user(hello("0"));
  EXPECT_EQ(t.it.server_lost(t.now, true), adapter_effects{});
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(server_as_legacy, starts_a_server_again_that_was_modern_and_ends_on_discover) {
  server_as_legacy_driver t{knowing(true)};
  t.user(hello("0"));
  t.user(request("1", "tools/list"));
  EXPECT_EQ(t.lost(), (adapter_effects{start_again{}, asks(hello("0")), asks(request("1", "tools/list"))}));
  EXPECT_EQ(t.it.deadline(), time_point::max());
  EXPECT_EQ(t.server(welcome("0")), (adapter_effects{note_era{server_era::session}, shows_user(welcome("0"))}));
  EXPECT_EQ(t.lost(), adapter_effects{});
}

TEST(server_as_legacy, does_not_start_a_server_again_that_is_configured_to_be_modern) {
  server_as_legacy_driver t{configured(server_era::stateless)};
  t.user(hello("0"));
  EXPECT_EQ(t.lost(), adapter_effects{});
}

TEST(server_as_legacy, does_not_doubt_a_modern_server_that_ends_later) {
  server_as_legacy_driver t{knowing(true)};
  t.opened();
  EXPECT_EQ(t.lost(), adapter_effects{});
}

TEST(server_as_legacy, asks_once_more_when_the_version_was_refused_and_named) {
  server_as_legacy_driver t{knowing(true)};
  t.user(hello("0"));
  EXPECT_EQ(t.server(refuses_version("\"troupe-discover-1\"", R"(["2026-07-28"])")),
            adapter_effects{asks(discover("2"))});
  EXPECT_EQ(t.server(refuses_version("\"troupe-discover-2\"", R"(["2026-07-28"])")),
            adapter_effects{shows_user(failed("0", "The MCP server refuses protocol version 2026-07-28 though it names "
                                                   "it among those that it supports"))});
}

TEST(server_as_legacy, never_sends_initialize_to_a_server_that_knows_other_modern_versions_only) {
  server_as_legacy_driver t{knowing(true)};
  t.user(hello("0"));
  EXPECT_EQ(t.server(refuses_version("\"troupe-discover-1\"", R"(["2027-01-01"])")),
            adapter_effects{shows_user(failed("0", "The MCP server supports none of the protocol versions that the "
                                                   "gateway knows, only [\"2027-01-01\"]"))});
}

// -- configuration -----------------------------------------------------------------

TEST(server_as_legacy, asks_a_server_that_is_configured_to_be_modern_at_once) {
  server_as_legacy_driver t{configured(server_era::stateless)};
  EXPECT_EQ(t.user(hello("0")), adapter_effects{asks(discover())});
  EXPECT_EQ(t.server(discovered()), (adapter_effects{note_era{server_era::stateless}, shows_user(greeted())}));
}

TEST(server_as_legacy, refuses_a_server_that_is_not_modern_as_configured) {
  server_as_legacy_driver t{configured(server_era::stateless)};
  t.user(hello("0"));
  const std::string why = "The MCP server does not speak revision 2026-07-28, which the `era` of its configuration "
                          "demands: ";
  EXPECT_EQ(t.server(error("\"troupe-discover-1\"", -32601)),
            adapter_effects{shows_user(failed("0", why + "it refused server/discover"))});
  server_as_legacy_driver silent{configured(server_era::stateless)};
  silent.user(hello("0"));
  EXPECT_EQ(silent.after(10s),
            adapter_effects{shows_user(failed("0", why + "it did not answer server/discover within 10 s"))});
}

TEST(server_as_legacy, leaves_a_server_alone_that_is_configured_to_have_sessions) {
  server_as_legacy_driver t{configured(server_era::session)};
  t.user(hello("0"));
  EXPECT_EQ(t.server(no_greeting), adapter_effects{shows_user(no_greeting)});
  EXPECT_TRUE(t.it.is_transparent());
}

} // namespace troupe::tests::server_as_legacy_test
