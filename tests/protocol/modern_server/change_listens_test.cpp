// 2026-07-28, subscriptions: change notifications for session-based clients.

#include "protocol/message/subscribed_uris.hpp"
#include "tests/support/server_as_legacy_driver.hpp"

namespace troupe::tests::change_listens_test {

namespace {

const std::string lists = R"({"tools":{"listChanged":true},"resources":{"listChanged":true}})";
const std::string resources = R"({"resources":{"subscribe":true}})";

std::string listen_id(int number) { return "\"troupe-listen-" + std::to_string(number) + "\""; }
std::string listens(int number, std::string wanted) {
  return enveloped(listen_id(number), "subscriptions/listen", R"(,"notifications":{)" + wanted + "}");
}
std::string of(int number) { return R"("_meta":{"io.modelcontextprotocol/subscriptionId":)" + listen_id(number) + "}"; }
std::string acknowledges(int number, std::string honored) {
  return note("notifications/subscriptions/acknowledged", "{" + of(number) + R"(,"notifications":{)" + honored + "}}");
}
std::string ends(int number) { return result(listen_id(number), R"({"resultType":"complete"})"); }
std::string uris(std::string those) { return R"("resourceSubscriptions":[)" + those + "]"; }
std::string subscribe(std::string id, std::string uri) {
  return request(std::move(id), "resources/subscribe", R"({"uri":")" + uri + "\"}");
}
std::string unsubscribe(std::string id, std::string uri) {
  return request(std::move(id), "resources/unsubscribe", R"({"uri":")" + uri + "\"}");
}
std::string tools_changed() { return R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})"; }
std::string resources_changed() { return R"({"jsonrpc":"2.0","method":"notifications/resources/list_changed"})"; }
std::string updated(std::string uri) { return note("notifications/resources/updated", R"({"uri":")" + uri + "\"}"); }
std::string no_longer(int number) { return cancellation_of(listen_id(number), "no longer needed").text; }

const std::string both_lists = R"("toolsListChanged":true,"resourcesListChanged":true)";

} // namespace

TEST(change_listens, listens_for_lists_once_the_user_is_ready) {
  server_as_legacy_driver t;
  t.opened(lists);
  EXPECT_EQ(t.user(note("notifications/initialized")), adapter_effects{asks(listens(1, both_lists))});
  EXPECT_EQ(t.server(acknowledges(1, both_lists)), adapter_effects{});
  EXPECT_EQ(t.server(note("notifications/tools/list_changed", "{" + of(1) + "}")),
            adapter_effects{shows_user(tools_changed())});
  EXPECT_EQ(t.server(note("notifications/tools/list_changed", "{" + of(2) + "}")), adapter_effects{});
  EXPECT_EQ(t.server(note("notifications/tools/list_changed")), adapter_effects{});
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(change_listens, does_not_listen_for_what_is_not_offered) {
  server_as_legacy_driver t;
  t.opened(R"({"tools":{"listChanged":false},"prompts":{}})");
  EXPECT_EQ(t.user(note("notifications/initialized")), adapter_effects{});
  EXPECT_EQ(t.user(subscribe("1", "a:b")),
            adapter_effects{shows_user(error_text("1", -32601, "The MCP server offers no subscriptions"))});
}

TEST(change_listens, subscribes_to_a_resource) {
  server_as_legacy_driver t;
  t.opened(resources);
  EXPECT_EQ(t.user(subscribe("1", "a:b")), adapter_effects{asks(listens(1, uris(R"("a:b")")))});
  EXPECT_EQ(t.server(acknowledges(1, uris(R"("a:b")"))), adapter_effects{shows_user(result("1"))});
  EXPECT_EQ(t.server(note("notifications/resources/updated", R"({"uri":"a:b",)" + of(1) + "}")),
            adapter_effects{shows_user(updated("a:b"))});
  EXPECT_EQ(t.user(subscribe("2", "a:b")), adapter_effects{shows_user(result("2"))});
  EXPECT_EQ(t.user(request("3", "resources/subscribe")),
            adapter_effects{shows_user(error_text("3", -32602, "Invalid params: uri must be a string"))});
}

TEST(change_listens, opens_a_new_one_before_the_old_one_ends) {
  server_as_legacy_driver t;
  t.opened(resources);
  t.user(subscribe("1", "a:b"));
  t.server(acknowledges(1, uris(R"("a:b")")));
  EXPECT_EQ(t.user(subscribe("2", "a:c")), adapter_effects{asks(listens(2, uris(R"("a:b","a:c")")))});
  EXPECT_EQ(t.server(note("notifications/resources/updated", R"({"uri":"a:b",)" + of(1) + "}")),
            adapter_effects{shows_user(updated("a:b"))});
  EXPECT_EQ(t.server(acknowledges(2, uris(R"("a:b","a:c")"))),
            (adapter_effects{asks(no_longer(1)), shows_user(result("2"))}));
  EXPECT_EQ(t.server(note("notifications/resources/updated", R"({"uri":"a:b",)" + of(1) + "}")), adapter_effects{});
  EXPECT_EQ(t.server(ends(1)), adapter_effects{});
}

TEST(change_listens, asks_for_more_once_what_is_under_way_is_acknowledged) {
  server_as_legacy_driver t;
  t.opened(resources);
  t.user(subscribe("1", "a:b"));
  EXPECT_EQ(t.user(subscribe("2", "a:c")), adapter_effects{});
  EXPECT_EQ(t.server(acknowledges(1, uris(R"("a:b")"))),
            (adapter_effects{shows_user(result("1")), asks(listens(2, uris(R"("a:b","a:c")")))}));
}

TEST(change_listens, ends_with_the_last_resource) {
  server_as_legacy_driver t;
  t.opened(resources);
  t.user(subscribe("1", "a:b"));
  t.server(acknowledges(1, uris(R"("a:b")")));
  EXPECT_EQ(t.user(unsubscribe("2", "a:b")), (adapter_effects{shows_user(result("2")), asks(no_longer(1))}));
  EXPECT_EQ(t.user(unsubscribe("3", "a:b")), adapter_effects{shows_user(result("3"))});
}

TEST(change_listens, answers_who_is_unsubscribed_before_being_subscribed) {
  server_as_legacy_driver t;
  t.opened(resources);
  t.user(subscribe("1", "a:b"));
  t.user(subscribe("2", "a:c"));
  EXPECT_EQ(t.user(unsubscribe("3", "a:c")), (adapter_effects{shows_user(result("2")), shows_user(result("3"))}));
  EXPECT_EQ(t.server(acknowledges(1, uris(R"("a:b")"))), adapter_effects{shows_user(result("1"))});
}

TEST(change_listens, fails_a_subscription_that_is_not_honored) {
  server_as_legacy_driver t;
  t.opened(resources);
  t.user(subscribe("1", "a:b"));
  EXPECT_EQ(t.server(acknowledges(1, "")),
            adapter_effects{shows_user(failed("1", "The MCP server does not tell changes of this resource"))});
  EXPECT_EQ(t.user(subscribe("2", "a:c")), adapter_effects{asks(listens(2, uris(R"("a:c")")))});
}

TEST(change_listens, fails_a_subscription_whose_request_is_refused) {
  server_as_legacy_driver t;
  t.opened(resources);
  t.user(subscribe("1", "a:b"));
  EXPECT_EQ(t.server(error(listen_id(1), -32603)),
            adapter_effects{shows_user(failed("1", "The MCP server does not tell changes of this resource"))});
  EXPECT_EQ(t.after(500ms), adapter_effects{});
  EXPECT_EQ(t.it.deadline(), time_point::max());
}

TEST(change_listens, waits_thirty_seconds_to_be_acknowledged) {
  server_as_legacy_driver t;
  t.opened(resources);
  t.user(subscribe("1", "a:b"));
  EXPECT_EQ(t.after(30s - 1ns), adapter_effects{});
  EXPECT_EQ(t.after(1ns),
            (adapter_effects{asks(timed_out(listen_id(1))),
                             shows_user(failed("1", "The MCP server does not tell changes of this resource"))}));
}

TEST(change_listens, listens_again_and_announces_what_may_have_been_missed) {
  for (auto& end : {ends(1), error(listen_id(1), -32603), cancelled(listen_id(1))}) {
    server_as_legacy_driver t;
    t.opened(R"({"tools":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true}})");
    t.user(note("notifications/initialized"));
    t.server(acknowledges(1, both_lists));
    t.user(subscribe("1", "a:b"));
    t.server(acknowledges(2, both_lists + "," + uris(R"("a:b")")));
    EXPECT_EQ(t.server(end), adapter_effects{});
    auto last = end;
    last.replace(last.find("listen-1"), 8, "listen-2");
    EXPECT_EQ(t.server(last), adapter_effects{});
    EXPECT_EQ(t.after(500ms - 1ns), adapter_effects{});
    EXPECT_EQ(t.after(1ns), adapter_effects{asks(listens(3, both_lists + "," + uris(R"("a:b")")))});
    EXPECT_EQ(
        t.server(acknowledges(3, both_lists + "," + uris(R"("a:b")"))),
        (adapter_effects{shows_user(tools_changed()), shows_user(resources_changed()), shows_user(updated("a:b"))}));
  }
}

TEST(change_listens, pauses_ever_longer_while_nothing_is_acknowledged) {
  server_as_legacy_driver t;
  t.opened(lists);
  t.user(note("notifications/initialized"));
  auto number = 1;
  for (auto pause : {500ms, 1000ms, 2000ms, 4000ms, 8000ms, 16000ms, 30000ms, 30000ms}) {
    t.server(error(listen_id(number), -32601));
    EXPECT_EQ(t.it.deadline(), t.now + pause);
    EXPECT_EQ(t.after(pause), adapter_effects{asks(listens(++number, both_lists))});
  }
  EXPECT_EQ(t.server(acknowledges(number, both_lists)),
            (adapter_effects{shows_user(tools_changed()), shows_user(resources_changed())}));
}

TEST(change_listens, pauses_shortly_only_after_one_that_has_lasted) {
  server_as_legacy_driver t;
  t.opened(lists);
  t.user(note("notifications/initialized"));
  auto number = 1;
  for (auto pause : {500ms, 1000ms, 2000ms, 4000ms}) {
    t.server(acknowledges(number, both_lists));
    t.after(30s - 1ns);
    t.server(ends(number));
    EXPECT_EQ(t.it.deadline(), t.now + pause);
    EXPECT_EQ(t.after(pause), adapter_effects{asks(listens(++number, both_lists))});
  }
  t.server(acknowledges(number, both_lists));
  t.after(30s);
  t.server(ends(number));
  EXPECT_EQ(t.it.deadline(), t.now + 500ms);
}

TEST(change_listens, counts_how_long_it_has_listened_over_one_that_took_the_place_of_another) {
  server_as_legacy_driver t;
  t.opened(resources);
  t.user(subscribe("1", "a:b"));
  t.server(error(listen_id(1), -32603));
  t.user(subscribe("2", "a:b"));
  t.server(acknowledges(2, uris(R"("a:b")")));
  t.after(30s);
  t.user(subscribe("3", "a:c"));
  t.server(acknowledges(3, uris(R"("a:b","a:c")")));
  t.server(ends(3));
  EXPECT_EQ(t.it.deadline(), t.now + 500ms);
}

TEST(change_listens, subscribes_to_no_uri_that_is_too_long) {
  server_as_legacy_driver t;
  t.opened(resources);
  for (auto size : {4095, 4096}) {
    auto uri = std::string(static_cast<std::size_t>(size), 'u');
    EXPECT_EQ(t.user(subscribe("1", uri)).size(), size == 4095 ? 1u : 0u);
  }
  EXPECT_EQ(t.user(subscribe("2", std::string(4097, 'u'))),
            adapter_effects{shows_user(error_text("2", -32602, "The URI is too long to be subscribed to"))});
}

TEST(change_listens, subscribes_to_a_thousand_resources_at_most) {
  server_as_legacy_driver t;
  t.opened(resources);
  for (auto number = 1; number <= 1000; ++number)
    EXPECT_EQ(t.user(subscribe("1", "a:" + std::to_string(number))).size(), number == 1 ? 1u : 0u);
  EXPECT_EQ(t.user(subscribe("2", "a:1001")),
            adapter_effects{shows_user(failed("2", std::string{too_many_subscriptions}))});
  EXPECT_EQ(t.user(subscribe("3", "a:1000")), adapter_effects{});
  t.user(unsubscribe("4", "a:1000"));
  EXPECT_EQ(t.user(subscribe("5", "a:1001")), adapter_effects{});
}

TEST(change_listens, keeps_what_it_has_when_more_is_refused) {
  server_as_legacy_driver t;
  t.opened(resources);
  t.user(subscribe("1", "a:b"));
  t.server(acknowledges(1, uris(R"("a:b")")));
  t.user(subscribe("2", "a:c"));
  EXPECT_EQ(t.server(error(listen_id(2), -32603)),
            adapter_effects{shows_user(failed("2", "The MCP server does not tell changes of this resource"))});
  EXPECT_EQ(t.after(1s), adapter_effects{});
  EXPECT_EQ(t.server(note("notifications/resources/updated", R"({"uri":"a:b",)" + of(1) + "}")),
            adapter_effects{shows_user(updated("a:b"))});
}

// -- many users -------------------------------------------------------------------------

TEST(change_listens, leave_it_to_who_has_many_users_that_none_has_too_many_resources) {
  server_as_legacy_driver t;
  t.opened(resources);
  auto of_many = [&](const std::string& uri) { return t.user_of_many(subscribe("1", uri), hello("0")); };
  for (auto number = 1; number <= 1000; ++number)
    of_many("a:" + std::to_string(number));
  EXPECT_EQ(of_many("b:1"), adapter_effects{asks(listens(2, uris(R"("b:1")")))});
  EXPECT_EQ(t.server(acknowledges(2, uris(R"("b:1")"))), adapter_effects{shows_user(result("1"))});
  EXPECT_EQ(t.user(subscribe("2", "b:2")),
            adapter_effects{shows_user(failed("2", std::string{too_many_subscriptions}))});
}

TEST(change_listens, name_a_thousand_resources_in_each_request) {
  server_as_legacy_driver t;
  t.opened(resources);
  auto of_many = [&](const std::string& uri) { return t.user_of_many(subscribe("1", uri), hello("0")).size(); };
  of_many("a:0");
  for (auto number = 1; number < 1000; ++number)
    EXPECT_EQ(of_many("a:" + std::to_string(number)), 0u);
  EXPECT_EQ(of_many("a:999"), 0u) << "a resource that is named already";
  EXPECT_EQ(of_many("b:0"), 1u);
  EXPECT_EQ(of_many("b:1"), 0u);
  t.user(unsubscribe("2", "a:5"));
  EXPECT_EQ(t.server(acknowledges(2, uris(R"("b:0")"))),
            (adapter_effects{shows_user(result("1")), asks(listens(3, uris(R"("b:0","b:1")")))}));
  EXPECT_EQ(of_many("b:2"), 0u) << "the first has room again";
  EXPECT_EQ(t.server(acknowledges(3, uris(R"("b:0","b:1")"))),
            (adapter_effects{asks(no_longer(2)), shows_user(result("1"))}));
  EXPECT_EQ(t.user(unsubscribe("3", "b:1")),
            (adapter_effects{shows_user(result("3")), asks(listens(4, uris(R"("b:0")")))}));
}

TEST(change_listens, name_no_more_than_a_quarter_of_a_mebibyte_of_uris_in_a_request) {
  server_as_legacy_driver t;
  t.opened(resources);
  auto of_length = [](int number, std::size_t bytes) {
    auto uri = std::to_string(number);
    return uri + std::string(bytes - uri.size(), 'u');
  };
  EXPECT_EQ(t.user(subscribe("1", of_length(0, 4096))).size(), 1u);
  for (auto number = 1; number < 63; ++number)
    EXPECT_EQ(t.user(subscribe("1", of_length(number, 4096))).size(), 0u);
  EXPECT_EQ(t.user(subscribe("1", of_length(63, 4095))).size(), 0u);
  EXPECT_EQ(t.user(subscribe("1", "ab")).size(), 1u);
  EXPECT_EQ(t.user(subscribe("1", "a")).size(), 0u);
}

TEST(change_listens, of_several_requests_end_and_go_on_each_by_itself) {
  server_as_legacy_driver t;
  t.opened(resources);
  auto of_many = [&](const std::string& uri) { return t.user_of_many(subscribe("1", uri), hello("0")); };
  of_many("a:0");
  t.server(acknowledges(1, uris(R"("a:0")")));
  for (auto number = 1; number < 1000; ++number)
    of_many("a:" + std::to_string(number));
  EXPECT_EQ(of_many("b:0"), adapter_effects{asks(listens(3, uris(R"("b:0")")))});
  t.server(acknowledges(3, uris(R"("b:0")")));
  EXPECT_EQ(t.server(note("notifications/resources/updated", R"({"uri":"b:0",)" + of(3) + "}")),
            adapter_effects{shows_user(updated("b:0"))});
  EXPECT_EQ(t.server(note("notifications/resources/updated", R"({"uri":"a:0",)" + of(1) + "}")),
            adapter_effects{shows_user(updated("a:0"))});
  EXPECT_EQ(t.server(ends(3)), adapter_effects{});
  EXPECT_EQ(t.after(500ms), adapter_effects{asks(listens(4, uris(R"("b:0")")))});
  EXPECT_EQ(t.server(acknowledges(4, uris(R"("b:0")"))), adapter_effects{shows_user(updated("b:0"))});
}

} // namespace troupe::tests::change_listens_test
