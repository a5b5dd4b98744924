// Initialization of one client and several servers.

#include "tests/support/catalog_driver.hpp"

namespace troupe::tests::catalog_initialize_test {

namespace {

catalog_limits limits{.version = "1.0"};

std::string refused(std::string id, std::string why = "no") { return error_text(id, -32603, why); }

} // namespace

TEST(catalog_initialize, is_answered_at_once_when_all_servers_are_known) {
  catalog_driver t{
      {configured(1, "a", can(R"({"tools":{}})")), configured(2, "b", can(R"({"resources":{},"tasks":{}})"))}};
  EXPECT_EQ(t.says(hello("7")),
            (catalog_effects{
                client(result("7", presented(R"({"tools":{"listChanged":true},"resources":{"listChanged":true}})")))}));
  EXPECT_EQ(t.says(initialized), catalog_effects{});
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(catalog_initialize, is_answered_when_there_is_no_server) {
  catalog_driver t{{}};
  EXPECT_EQ(t.says(hello("7")), (catalog_effects{client(result("7", presented("{}")))}));
}

TEST(catalog_initialize, greets_servers_of_which_nothing_is_known_with_the_clients_own_words) {
  catalog_driver t{{fresh(1, "a"), configured(2, "b"), fresh(3, "c")}};
  EXPECT_EQ(t.says(hello("7")), (catalog_effects{greets(1, "1"), greets(3, "2")}));
  auto first = can(R"({"tools":{}})"), second = can(R"({})");
  EXPECT_EQ(t.server(3, result("2", second)), (catalog_effects{member_known{3, second}, initializes(3)}));
  EXPECT_EQ(t.server(1, result("1", first)),
            (catalog_effects{member_known{1, first}, initializes(1), client(result("7", presented(presents_all)))}));
}

TEST(catalog_initialize, greets_an_eager_server_without_waiting_for_it) {
  auto eager = configured(1, "a");
  eager.eager = true;
  catalog_driver t{{eager}};
  EXPECT_EQ(t.says(hello("7")), (catalog_effects{greets(1, "1"), client(result("7", presented(presents_all)))}));
}

TEST(catalog_initialize, is_answered_by_the_session_that_ends_for_a_shortage) {
  auto vital = fresh(1, "a");
  vital.ends_session = true;
  catalog_driver t{{vital, fresh(2, "b")}};
  t.says(hello("7"));
  t.server(2, result("2", can("{}")));
  EXPECT_EQ(t.lacks(1, "no files are left"), (catalog_effects{end_catalog{"no files are left", true}}));
}

TEST(catalog_initialize, goes_on_without_a_server_that_a_shortage_keeps_from_beginning) {
  catalog_driver t{{fresh(1, "a"), fresh(2, "b")}};
  t.says(hello("7"));
  t.server(2, result("2", can("{}")));
  EXPECT_EQ(t.lacks(1, "no files are left"), (catalog_effects{client(result("7", presented(presents_all)))}));
}

TEST(catalog_initialize, takes_a_malformed_memory_for_none) {
  for (auto known : {"{", "[]", "1", "{} {}"}) {
    catalog_driver t{{configured(1, "a", known)}};
    EXPECT_EQ(t.says(hello("7")), (catalog_effects{greets(1, "1")})) << known;
  }
}

TEST(catalog_initialize, waits_only_so_long_and_then_presumes_everything) {
  catalog_driver t{{fresh(1, "a"), configured(2, "b", can("{}"))}};
  t.says(hello("7"));
  EXPECT_EQ(t.it.deadline(), t.now + 2s);
  EXPECT_EQ(t.after(2s - 1ns), catalog_effects{});
  EXPECT_EQ(t.after(1ns), (catalog_effects{member_slow{1}, client(result("7", presented(presents_all)))}));
  EXPECT_EQ(t.it.deadline(), time_point::max());
  EXPECT_EQ(t.server(1, result("1", can("{}"))), (catalog_effects{member_known{1, can("{}")}, initializes(1)}));
}

TEST(catalog_initialize, waits_longer_for_eager_servers) {
  auto eager = fresh(1, "a");
  eager.eager = true;
  catalog_driver t{{eager, fresh(2, "b")}};
  t.says(hello("7"));
  EXPECT_EQ(t.after(2s), catalog_effects{});
  EXPECT_EQ(t.it.deadline(), t.now + 27s);
  auto result_of_1 = can("{}", R"(,"instructions":"Be kind.")");
  EXPECT_EQ(t.server(1, result("1", result_of_1)),
            (catalog_effects{member_known{1, result_of_1}, initializes(1), member_slow{2},
                             client(result("7", presented(presents_all, R"(,"instructions":"a:\nBe kind.")")))}));
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(catalog_initialize, waits_for_eager_servers_only_so_long) {
  auto eager = fresh(1, "a");
  eager.eager = true;
  catalog_driver t{{eager}};
  t.says(hello("7"));
  EXPECT_EQ(t.after(29s - 1ns), catalog_effects{});
  EXPECT_EQ(t.after(1ns), (catalog_effects{member_slow{1}, client(result("7", presented(presents_all)))}));
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(catalog_initialize, waits_for_nobody_without_patience) {
  catalog_driver t{{fresh(1, "a")}, {.greet_patience = 0s, .version = "1.0"}};
  EXPECT_EQ(t.says(hello("7")),
            (catalog_effects{greets(1, "1"), member_slow{1}, client(result("7", presented(presents_all)))}));
}

TEST(catalog_initialize, does_not_wait_again_for_a_server_that_was_slow) {
  auto slow = fresh(1, "a");
  slow.slow = true;
  catalog_driver t{{slow}};
  EXPECT_EQ(t.says(hello("7")), (catalog_effects{client(result("7", presented(presents_all)))}));
  EXPECT_EQ(t.says(request("8", "tools/list")), (catalog_effects{greets(1, "2")}));
}

TEST(catalog_initialize, presumes_everything_of_a_server_that_refuses) {
  catalog_driver t{{fresh(1, "a"), configured(2, "b", can(R"({"prompts":{}})"))}};
  t.says(hello("7"));
  EXPECT_EQ(t.server(1, refused("1")), (catalog_effects{client(result("7", presented(presents_all)))}));
}

TEST(catalog_initialize, presumes_everything_of_a_server_that_is_lost) {
  catalog_driver t{{fresh(1, "a")}};
  t.says(hello("7"));
  EXPECT_EQ(t.lost(1), (catalog_effects{client(result("7", presented(presents_all)))}));
}

TEST(catalog_initialize, presumes_of_a_server_that_is_lost_what_it_had_before) {
  auto eager = configured(1, "a", can(R"({"tools":{}})"));
  eager.eager = true;
  catalog_driver t{{eager, fresh(2, "b")}};
  t.says(hello("7"));
  EXPECT_EQ(t.lost(1), catalog_effects{});
  EXPECT_EQ(std::get<send_to_client>(t.server(2, result("2", can(R"({"prompts":{}})"))).back()),
            client(result("7", presented(R"({"tools":{"listChanged":true},"prompts":{"listChanged":true}})"))));
}

TEST(catalog_initialize, takes_no_server_of_a_version_that_is_not_known) {
  for (auto bad : {R"({"protocolVersion":"2026-07-28"})", R"({"protocolVersion":1})", "{}", "[]", "null"}) {
    catalog_driver t{{fresh(1, "a")}};
    t.says(hello("7"));
    EXPECT_EQ(t.server(1, result("1", bad)), (catalog_effects{client(result("7", presented(presents_all)))})) << bad;
    EXPECT_EQ(t.says(request("8", "tools/call", named("a__x"))), (catalog_effects{greets(1, "3")})) << bad;
  }
}

// -- servers that come up later -------------------------------------------------------

TEST(catalog_initialize, is_tried_again_with_a_server_that_was_lost_until_it_is_there) {
  catalog_driver t{{fresh(1, "a")}};
  t.says(hello("7"));
  t.lost(1);
  EXPECT_EQ(t.it.deadline(), t.now + 1s);
  EXPECT_EQ(t.after(1s - 1ns), catalog_effects{});
  EXPECT_EQ(t.after(1ns), (catalog_effects{greets(1, "2")}));
  EXPECT_EQ(t.it.deadline(), time_point::max());
  EXPECT_EQ(t.lost(1), catalog_effects{});
  EXPECT_EQ(t.it.deadline(), t.now + 2s);
  EXPECT_EQ(t.after(2s), (catalog_effects{greets(1, "3")}));
  const missing_part all{1, std::nullopt};
  EXPECT_EQ(t.says(request("8", "tools/list")),
            (catalog_effects{list_part_failed{all, "it crashed"}, client(result("8", R"({"tools":[]})"))}));
  EXPECT_EQ(t.server(1, result("3", can_all)), (catalog_effects{member_known{1, can_all}, initializes(1),
                                                                list_part_recovered{all}, client(changed("tools"))}));
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(catalog_initialize, is_tried_again_after_a_minute_at_most) {
  catalog_driver t{{fresh(1, "a")}};
  t.says(hello("7"));
  for (auto seconds : {1, 2, 4, 8, 16, 32, 60, 60}) {
    t.lost(1);
    EXPECT_EQ(t.it.deadline(), t.now + std::chrono::seconds{seconds});
    t.after(std::chrono::seconds{seconds});
  }
}

TEST(catalog_initialize, is_not_tried_again_with_a_server_that_was_removed) {
  catalog_driver t{{fresh(1, "a")}};
  t.says(hello("7"));
  t.lost(1);
  t.change({});
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(catalog_initialize, leaves_lists_empty_while_nobody_is_there) {
  catalog_driver t{{fresh(1, "a")}};
  t.says(hello("7"));
  t.lost(1);
  EXPECT_EQ(t.says(request("8", "tools/list")),
            (catalog_effects{list_part_failed{{1, std::nullopt}, "it crashed"}, greets(1, "2"),
                             client(result("8", R"({"tools":[]})"))}));
  for (auto [method, items] : {std::pair{"prompts/list", "prompts"}, std::pair{"resources/list", "resources"},
                               std::pair{"resources/templates/list", "resourceTemplates"}})
    EXPECT_EQ(t.says(request("8", method)),
              (catalog_effects{client(result("8", "{\"" + std::string{items} + "\":[]}"))}));
}

TEST(catalog_initialize, agrees_to_the_clients_version_when_it_is_known) {
  auto answer = [](std::string params) {
    auto seen = catalog_driver{{}}.says(request("7", "initialize", params));
    return *string_value(*find_member(std::get<send_to_client>(seen.at(0)).what.text, {"result", "protocolVersion"}));
  };
  for (auto known : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"})
    EXPECT_EQ(answer(R"({"protocolVersion":")" + std::string{known} + "\"}"), known);
  for (auto other : {R"({"protocolVersion":"2026-07-28"})", R"({"protocolVersion":1})", "{}"})
    EXPECT_EQ(answer(other), "2025-11-25") << other;
}

TEST(catalog_initialize, joins_the_servers_instructions) {
  catalog_driver t{{configured(1, "a", can("{}", R"(,"instructions":"Be \"kind\".")")), configured(2, "b", can("{}")),
                    configured(3, "c", can("{}", R"(,"instructions":"Be brief.")"))}};
  EXPECT_EQ(t.says(hello("7")), (catalog_effects{client(result(
                                    "7", presented("{}", R"(,"instructions":"a:\nBe \"kind\".\n\nc:\nBe brief.")")))}));
}

TEST(catalog_initialize, has_the_instructions_of_a_server_that_is_alone_as_they_are) {
  catalog_driver t{{configured(1, "a", can("{}", R"(,"instructions":"Be kind.")"))}};
  EXPECT_EQ(t.says(hello("7")),
            (catalog_effects{client(result("7", presented("{}", R"(,"instructions":"Be kind.")")))}));
}

TEST(catalog_initialize, comes_first_and_once) {
  const std::string why = "Bad Request: a session is initialized first, and once";
  catalog_driver t{{configured(1, "a")}};
  EXPECT_EQ(t.says(request("1", "tools/list")), (catalog_effects{client(error_text("1", -32600, why))}));
  EXPECT_EQ(t.says(request("2", "ping")), (catalog_effects{client(result("2"))}));
  t.opened();
  EXPECT_EQ(t.says(hello("3")), (catalog_effects{client(error_text("3", -32600, why))}));
}

// -- use of servers that were not greeted -------------------------------------------

TEST(catalog_initialize, of_a_known_server_waits_for_its_first_use) {
  catalog_driver t{{configured(1, "a"), configured(2, "b")}};
  t.opened();
  EXPECT_EQ(t.says(request("5", "tools/call", named("b__x"))), (catalog_effects{greets(2, "2")}));
  EXPECT_EQ(t.says(request("6", "tools/call", named("b__y"))), catalog_effects{});
  EXPECT_EQ(t.server(2, result("2", can_all)),
            (catalog_effects{member_known{2, can_all}, initializes(2), to(2, request("1", "tools/call", named("x"))),
                             to(2, request("3", "tools/call", named("y")))}));
  EXPECT_EQ(t.server(2, result("1")), (catalog_effects{client(result("5"))}));
}

TEST(catalog_initialize, that_fails_fails_what_waited_for_it) {
  catalog_driver t{{configured(1, "a")}};
  t.opened().says(request("5", "tools/call", named("a__x")));
  EXPECT_EQ(t.server(1, error_text("2", -32000, "no key")), (catalog_effects{client(refused("5", "no key"))}));
  EXPECT_EQ(t.says(request("6", "tools/call", named("a__x"))), (catalog_effects{greets(1, "4")}));
}

// -- logging ------------------------------------------------------------------------

TEST(catalog_level, is_told_to_every_server_that_logs) {
  catalog_driver t{{fresh(1, "a"), configured(2, "b"), configured(3, "c", can("{}"))}};
  t.opened();
  auto level = R"({"level":"warning"})";
  EXPECT_EQ(t.says(request("5", "logging/setLevel", level)),
            (catalog_effects{client(result("5")), to(1, request("2", "logging/setLevel", level))}));
  EXPECT_EQ(t.server(1, result("2")), catalog_effects{});
  t.says(request("6", "tools/call", named("b__x")));
  EXPECT_EQ(t.server(2, result("4", can_all)),
            (catalog_effects{member_known{2, can_all}, initializes(2), to(2, request("5", "logging/setLevel", level)),
                             to(2, request("3", "tools/call", named("x")))}));
  t.says(request("7", "tools/call", named("c__x")));
  EXPECT_EQ(t.server(3, result("7", can("{}"))), (catalog_effects{member_known{3, can("{}")}, initializes(3),
                                                                  to(3, request("6", "tools/call", named("x")))}));
}

TEST(catalog_level, waits_for_one_answer_however_often_it_is_set) {
  catalog_driver t{{fresh(1, "a"), fresh(2, "b")}};
  t.opened();
  for (auto id : {"5", "6", "7"})
    t.says(request(id, "logging/setLevel", R"({"level":"info"})"));
  EXPECT_EQ(t.it.requests_in_flight(), 2U);
}

TEST(catalog_level, is_all_that_is_kept_of_what_the_client_sent) {
  catalog_driver t{{fresh(1, "a")}};
  t.opened();
  auto junk = R"({"_meta":{"progressToken":7},"level":"info","junk":")" + std::string(1000, 'x') + "\"}";
  EXPECT_EQ(t.says(request("5", "logging/setLevel", junk)),
            (catalog_effects{client(result("5")), to(1, request("2", "logging/setLevel", R"({"level":"info"})"))}));
  auto told = t.says(request("6", "logging/setLevel", R"({"level":")" + std::string(1000, 'x') + "\"}"));
  EXPECT_LT(std::get<send_to_client>(told.at(0)).what.text.size(), 400U);
}

TEST(catalog_level, is_one_of_eight) {
  for (auto level : {"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"})
    EXPECT_EQ(catalog_driver{{}}.opened().says(
                  request("5", "logging/setLevel", R"({"level":")" + std::string{level} + "\"}")),
              (catalog_effects{client(result("5"))}));
  EXPECT_EQ(catalog_driver{{}}.opened().says(request("5", "logging/setLevel", R"({"level":"loud"})")),
            (catalog_effects{client(error_text("5", -32602, "Unknown log level: loud"))}));
  EXPECT_EQ(catalog_driver{{}}.opened().says(request("5", "logging/setLevel")),
            (catalog_effects{client(error_text("5", -32602, "Unknown log level: "))}));
}

} // namespace troupe::tests::catalog_initialize_test
