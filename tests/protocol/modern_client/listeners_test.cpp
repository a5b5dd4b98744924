#include "protocol/modern_client/listeners.hpp"

#include "protocol/access/principal.hpp"
#include "tests/support/server_driver.hpp"
#include "tests/support/stateless_effects.hpp"

namespace troupe::tests::listeners_test {

namespace {

const std::string tells_all = R"({"tools":{"listChanged":true},"prompts":{"listChanged":true},
                                  "resources":{"listChanged":true,"subscribe":true}})";
const std::string both_lists = R"({"toolsListChanged":true,"resourcesListChanged":true})";

/// A driver for the listeners of one server.
struct listeners_driver {
  stateless_effects listen(exchange_id exchange, std::string id, std::string filter,
                           const std::string& can = tells_all) {
    return seen([&](auto& out) { it.listen(exchange, listen_request(std::move(id), filter), can, out); });
  }
  stateless_effects listen_as(exchange_id exchange, std::string id, const std::string& filter,
                              const std::shared_ptr<const principal>& requester) {
    auto asked = listen_request(std::move(id), filter);
    asked.requester = requester;
    return seen([&](auto& out) { it.listen(exchange, asked, tells_all, out); });
  }
  static message listen_request(std::string id, const std::string& filter) {
    return gateway_message(request(std::move(id), "subscriptions/listen", R"({"notifications":)" + filter + "}"));
  }
  /// Opens an acknowledged listen. Its only resource is new to the server.
  void listens_to(exchange_id exchange, std::string id, const std::string& uri) {
    listen(exchange, std::move(id), uris({uri}));
    answered(result(own(++requests)));
  }
  stateless_effects answered(std::string text) {
    return seen([&](auto& out) { EXPECT_TRUE(it.takes_answer(gateway_message(std::move(text)), out)); });
  }
  stateless_effects withdrawn(exchange_id exchange) {
    return seen([&](auto& out) { EXPECT_TRUE(it.withdrawn(exchange, out)); });
  }
  stateless_effects server(std::string text) {
    return seen([&](auto& out) { it.receive_from_server(gateway_message(std::move(text)), out); });
  }
  stateless_effects lost() {
    return seen([&](auto& out) { it.server_lost("The server has died", out); });
  }
  stateless_effects ends() {
    return seen([&](auto& out) { it.end(out); });
  }
  template <class Tell>
  static stateless_effects seen(Tell tell) {
    stateless_effects out;
    tell(out);
    return out;
  }

  static std::string own(int number) { return "\"listen-" + std::to_string(number) + "\""; }
  static std::string uris(std::initializer_list<std::string> all) {
    return filter_text({{}, {all.begin(), all.end()}});
  }

  int requests = 0;
  byte_budget bytes{std::size_t{1} << 20};
  listeners it{3, bytes};
};

std::string subscription_meta(const std::string& id) {
  return R"("_meta":{"io.modelcontextprotocol/subscriptionId":)" + id + "}";
}
send_notification acknowledges(exchange_id exchange, const std::string& id, const std::string& filter) {
  return {exchange, note("notifications/subscriptions/acknowledged",
                         R"({"notifications":)" + filter + "," + subscription_meta(id) + "}")};
}
send_notification tells_list(exchange_id exchange, const std::string& id, const std::string& group) {
  return {exchange, note("notifications/" + group + "/list_changed", "{" + subscription_meta(id) + "}")};
}
send_notification tells_updated(exchange_id exchange, const std::string& id, const std::string& uri) {
  return {exchange, note("notifications/resources/updated", R"({"uri":")" + uri + "\"," + subscription_meta(id) + "}")};
}
send_response ends_well(exchange_id exchange, const std::string& id) {
  return {exchange, result(id, R"({"resultType":"complete",)" + subscription_meta(id) + "}")};
}
forward_to_server asks_on(int number, std::string uri) {
  return {gateway_message(subscribe(listeners_driver::own(number), std::move(uri)))};
}
forward_to_server asks_off(int number, std::string uri) {
  return {gateway_message(unsubscribe(listeners_driver::own(number), std::move(uri)))};
}

} // namespace

// -- the acknowledgement ---------------------------------------------------------------

TEST(listeners, acknowledge_at_once_what_needs_no_word_of_the_server) {
  listeners_driver t;
  EXPECT_EQ(t.listen(1, "7", both_lists), (stateless_effects{acknowledges(1, "7", both_lists)}));
  EXPECT_EQ(t.listen(2, "8", both_lists, R"({"resources":{"listChanged":true}})"),
            (stateless_effects{acknowledges(2, "8", R"({"resourcesListChanged":true})")}));
  EXPECT_EQ(t.it.size(), 2U);
  EXPECT_TRUE(t.it.is_listening(1));
  EXPECT_FALSE(t.it.is_listening(3));
}

TEST(listeners, acknowledge_nothing_where_there_is_nothing_to_listen_to) {
  listeners_driver t;
  EXPECT_EQ(t.listen(1, "7", R"({"toolsListChanged":true,"resourceSubscriptions":["a"]})", "{}"),
            (stateless_effects{acknowledges(1, "7", "{}")}));
  EXPECT_EQ(t.server(list_changed("tools")), stateless_effects{});
  EXPECT_EQ(t.server(updated("a")), stateless_effects{});
  EXPECT_EQ(t.withdrawn(1), stateless_effects{});
  EXPECT_EQ(t.it.size(), 0U);
}

TEST(listeners, acknowledge_when_the_server_has_answered_for_each_resource) {
  listeners_driver t;
  EXPECT_EQ(t.listen(1, "7", R"({"toolsListChanged":true,"resourceSubscriptions":["b","a","b"]})"),
            (stateless_effects{asks_on(1, "a"), asks_on(2, "b")}));
  EXPECT_EQ(t.answered(result(t.own(2))), stateless_effects{});
  EXPECT_EQ(
      t.answered(result(t.own(1))),
      (stateless_effects{acknowledges(1, "7", R"({"toolsListChanged":true,"resourceSubscriptions":["a","b"]})")}));
}

TEST(listeners, leave_out_resources_that_the_server_refuses) {
  listeners_driver t;
  t.listen(1, "7", t.uris({"a", "b"}));
  EXPECT_EQ(t.answered(failed(t.own(1), "no such resource")), stateless_effects{});
  EXPECT_EQ(t.answered(result(t.own(2))), (stateless_effects{acknowledges(1, "7", t.uris({"b"}))}));
  EXPECT_EQ(t.server(updated("a")), stateless_effects{});
  EXPECT_EQ(t.listen(2, "8", t.uris({"a"})), (stateless_effects{asks_on(3, "a")}));
  EXPECT_EQ(t.answered(failed(t.own(3), "no such resource")), (stateless_effects{acknowledges(2, "8", "{}")}));
}

TEST(listeners, come_first_of_all_with_the_acknowledgement) {
  listeners_driver t;
  t.listen(1, "7", R"({"toolsListChanged":true,"resourceSubscriptions":["a","b","c/"]})");
  for (auto again = 0; again < 2; ++again) {
    EXPECT_EQ(t.server(list_changed("tools")), stateless_effects{});
    EXPECT_EQ(t.server(list_changed("prompts")), stateless_effects{});
    for (auto uri : {"a", "b", "c/d"})
      EXPECT_EQ(t.server(updated(uri)), stateless_effects{});
  }
  t.answered(result(t.own(1)));
  t.answered(failed(t.own(2), "no such resource"));
  EXPECT_EQ(t.answered(result(t.own(3))),
            (stateless_effects{acknowledges(1, "7", R"({"toolsListChanged":true,"resourceSubscriptions":["a","c/"]})"),
                               tells_list(1, "7", "tools"), tells_updated(1, "7", "a"), tells_updated(1, "7", "c/d")}));
  EXPECT_EQ(t.server(updated("a")), (stateless_effects{tells_updated(1, "7", "a")}));
}

TEST(listeners, hold_a_bounded_number_of_changes_before_the_acknowledgement) {
  for (auto count : {most_listened_uris - 1, most_listened_uris, most_listened_uris + 1}) {
    listeners_driver t;
    t.listen(1, "7", t.uris({"a/"}));
    for (std::size_t i = 0; i < count; ++i)
      t.server(updated("a/" + std::to_string(i)));
    auto seen = t.answered(result(t.own(1)));
    if (count <= most_listened_uris)
      EXPECT_EQ(seen.size(), 1 + count);
    else
      EXPECT_EQ(seen, (stateless_effects{acknowledges(1, "7", t.uris({"a/"})), tells_updated(1, "7", "a/")}));
  }
}

TEST(listeners, are_refused_when_they_are_not_well_formed) {
  listeners_driver t;
  EXPECT_EQ(t.listen(1, "7", R"({"toolsListChanged":1})"),
            (stateless_effects{send_response{
                1, error_text("7", -32602, "params.notifications.toolsListChanged must be true or false"), -32602}}));
  EXPECT_EQ(t.it.size(), 0U);
}

TEST(listeners, are_limited) {
  listeners_driver t;
  for (exchange_id exchange = 1; exchange <= 3; ++exchange)
    EXPECT_EQ(t.listen(exchange, "7", "{}"), (stateless_effects{acknowledges(exchange, "7", "{}")}));
  auto why = "Subscription limit reached: end another one before the next";
  EXPECT_EQ(t.listen(4, "8", t.uris({"a"})),
            (stateless_effects{send_response{4, error_text("8", -32603, why), -32603}}));
  EXPECT_FALSE(t.it.is_listening(4));
  t.withdrawn(2);
  EXPECT_EQ(t.listen(5, "9", "{}"), (stateless_effects{acknowledges(5, "9", "{}")}));
}

TEST(listeners, take_bytes_of_a_budget_as_long_as_they_last) {
  const std::string uri(100, 'a');
  const std::string why = "Too many bytes are under way: try again later";
  const std::size_t needs = 1 + 2 * uri.size() + 256;
  for (auto left : {needs - 1, needs, needs + 1}) {
    listeners_driver t;
    auto others = t.bytes.try_acquire(t.bytes.left() - left);
    auto fits = left >= needs;
    EXPECT_EQ(t.listen(1, "7", t.uris({uri})),
              fits ? stateless_effects{asks_on(1, uri)}
                   : (stateless_effects{send_response{1, error_text("7", -32603, why), -32603}}));
    EXPECT_EQ(t.bytes.left(), fits ? left - needs : left);
    if (fits)
      t.withdrawn(1);
    EXPECT_EQ(t.bytes.left(), left);
  }
}

TEST(listeners, hold_changes_within_the_budget_before_the_acknowledgement) {
  listeners_driver t;
  t.listen(1, "7", t.uris({"a/"}));
  const std::size_t needs = 2 * std::string{"a/1"}.size() + 256;
  auto others = t.bytes.try_acquire(t.bytes.left() - needs);
  t.server(updated("a/1"));
  t.server(updated("a/1"));
  EXPECT_EQ(t.bytes.left(), 0u);
  t.server(updated("a/2"));
  EXPECT_EQ(t.bytes.left(), needs);
  EXPECT_EQ(t.answered(result(t.own(1))),
            (stateless_effects{acknowledges(1, "7", t.uris({"a/"})), tells_updated(1, "7", "a/")}));
}

// -- notifications ---------------------------------------------------------------------

TEST(listeners, are_each_told_of_what_they_asked_for) {
  listeners_driver t;
  t.listen(1, "0", both_lists);
  t.listen(2, R"("0")", R"({"toolsListChanged":true})");
  EXPECT_EQ(t.server(list_changed("tools")),
            (stateless_effects{tells_list(1, "0", "tools"), tells_list(2, R"("0")", "tools")}));
  EXPECT_EQ(t.server(list_changed("resources")), (stateless_effects{tells_list(1, "0", "resources")}));
  EXPECT_EQ(t.server(list_changed("prompts")), stateless_effects{});
  EXPECT_EQ(t.server(progress("1")), stateless_effects{});
  EXPECT_EQ(t.server(logs("error")), stateless_effects{});
}

TEST(listeners, are_told_with_the_id_of_their_request_and_all_that_the_server_said) {
  listeners_driver t;
  t.listen(1, R"("s")", both_lists);
  EXPECT_EQ(t.server(list_changed_again("tools")), (stateless_effects{tells_list(1, R"("s")", "tools")}));
  EXPECT_EQ(t.server(note("notifications/tools/list_changed",
                          R"({"_meta":{"a/b":[1, 2],"io.modelcontextprotocol/subscriptionId":5},"c":1.0})")),
            (stateless_effects{send_notification{1, note("notifications/tools/list_changed",
                                                         R"({"c":1.0,"_meta":{"a/b":[1, 2],)"
                                                         R"("io.modelcontextprotocol/subscriptionId":"s"}})")}}));
  EXPECT_EQ(t.server(note("notifications/tools/list_changed", R"({"_meta":null})")),
            (stateless_effects{tells_list(1, R"("s")", "tools")}));
}

TEST(listeners, are_told_of_parts_of_their_resources) {
  listeners_driver t;
  t.listens_to(1, "7", "file:///d/e");
  for (auto uri : {"file:///d/e", "file:///d/e/f", "file:///d/e#f"})
    EXPECT_EQ(t.server(updated(uri)), (stateless_effects{tells_updated(1, "7", uri)}));
  for (auto uri : {"file:///d/ef", "file:///d", "", "file:///d/e "})
    EXPECT_EQ(t.server(updated(uri)), stateless_effects{}) << uri;
  EXPECT_EQ(t.server(note("notifications/resources/updated", R"({"uri":1})")), stateless_effects{});
}

TEST(listeners, are_told_once_of_what_they_named_in_several_ways) {
  listeners_driver t;
  t.listen(1, "7", t.uris({"a", "a/", "a/b"}));
  for (auto number : {1, 2, 3})
    t.answered(result(t.own(number)));
  EXPECT_EQ(t.server(updated("a/b")), (stateless_effects{tells_updated(1, "7", "a/b")}));
}

// -- one subscriber --------------------------------------------------------------------

TEST(listeners, ask_the_server_for_the_first_of_a_resource_and_for_the_last) {
  listeners_driver t;
  t.listens_to(1, "7", "a");
  EXPECT_EQ(t.listen(2, "8", t.uris({"a"})), (stateless_effects{acknowledges(2, "8", t.uris({"a"}))}));
  EXPECT_EQ(t.server(updated("a")), (stateless_effects{tells_updated(1, "7", "a"), tells_updated(2, "8", "a")}));
  EXPECT_EQ(t.withdrawn(1), stateless_effects{});
  EXPECT_EQ(t.server(updated("a")), (stateless_effects{tells_updated(2, "8", "a")}));
  EXPECT_EQ(t.withdrawn(2), (stateless_effects{asks_off(2, "a")}));
  EXPECT_EQ(t.server(updated("a")), stateless_effects{});
  EXPECT_EQ(t.answered(result(t.own(2))), stateless_effects{});
  EXPECT_EQ(t.listen(3, "9", t.uris({"a"})), (stateless_effects{asks_on(3, "a")}));
}

TEST(listeners, ask_the_server_on_behalf_of_their_caller) {
  listeners_driver t;
  auto caller = std::make_shared<const principal>();
  auto subscribes = t.listen_as(1, "7", t.uris({"a"}), caller);
  t.answered(result(t.own(1)));
  auto unsubscribes = t.withdrawn(1);
  for (auto& out : {subscribes, unsubscribes})
    EXPECT_EQ(std::get<forward_to_server>(out.at(0)).what.requester, caller);
}

TEST(listeners, are_not_granted_what_the_server_granted_to_another_asker) {
  listeners_driver t;
  auto one = std::make_shared<const principal>(), other = std::make_shared<const principal>();
  t.listen_as(1, "7", t.uris({"a"}), one);
  EXPECT_EQ(t.listen_as(2, "8", t.uris({"a"}), other), stateless_effects{});
  EXPECT_EQ(t.answered(result(t.own(1))).size(), 2U) << "the first is acknowledged, the other asked for";
  EXPECT_EQ(t.listen_as(3, "9", t.uris({"a"}), one), (stateless_effects{acknowledges(3, "9", t.uris({"a"}))}));
  EXPECT_EQ(t.answered(failed(t.own(2), "not for you")), (stateless_effects{acknowledges(2, "8", "{}")}));
  EXPECT_EQ(t.server(updated("a")), (stateless_effects{tells_updated(1, "7", "a"), tells_updated(3, "9", "a")}));
  t.withdrawn(2);
  auto again = t.listen_as(4, "10", t.uris({"a"}), other);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(std::get<forward_to_server>(again[0]).what.requester, other);
  EXPECT_EQ(t.answered(result(t.own(3))), (stateless_effects{acknowledges(4, "10", t.uris({"a"}))}));
}

TEST(listeners, wait_for_a_request_of_another) {
  listeners_driver t;
  t.listen(1, "7", t.uris({"a"}));
  EXPECT_EQ(t.listen(2, "8", t.uris({"a"})), stateless_effects{});
  EXPECT_EQ(t.answered(result(t.own(1))),
            (stateless_effects{acknowledges(1, "7", t.uris({"a"})), acknowledges(2, "8", t.uris({"a"}))}));
}

TEST(listeners, undo_what_was_withdrawn_while_it_was_asked_for) {
  listeners_driver t;
  t.listen(1, "7", t.uris({"a"}));
  EXPECT_EQ(t.withdrawn(1), stateless_effects{});
  EXPECT_EQ(t.answered(result(t.own(1))), (stateless_effects{asks_off(2, "a")}));
  t.listen(2, "8", t.uris({"b"}));
  EXPECT_EQ(t.withdrawn(2), stateless_effects{});
  EXPECT_EQ(t.answered(failed(t.own(3), "no such resource")), stateless_effects{});
}

TEST(listeners, ask_again_after_what_is_being_undone) {
  for (auto& answer : {result(listeners_driver::own(2)), failed(listeners_driver::own(2), "no")}) {
    listeners_driver t;
    t.listens_to(1, "7", "a");
    EXPECT_EQ(t.withdrawn(1), (stateless_effects{asks_off(2, "a")}));
    EXPECT_EQ(t.listen(2, "8", t.uris({"a"})), stateless_effects{});
    EXPECT_EQ(t.answered(answer), (stateless_effects{asks_on(3, "a")}));
    EXPECT_EQ(t.answered(result(t.own(3))), (stateless_effects{acknowledges(2, "8", t.uris({"a"}))}));
  }
}

TEST(listeners, leave_answers_to_others) {
  listeners_driver t;
  stateless_effects out;
  for (auto id : {"1", "\"1\"", "\"listen\"", "\"Listen-1\""})
    EXPECT_FALSE(t.it.takes_answer(gateway_message(result(id)), out)) << id;
  for (auto id : {"\"listen-\"", "\"listen-9\"", "\"listen-x\""})
    EXPECT_TRUE(t.it.takes_answer(gateway_message(result(id)), out)) << id;
  EXPECT_FALSE(t.it.withdrawn(1, out));
  EXPECT_EQ(out, stateless_effects{});
}

// -- ends ------------------------------------------------------------------------------

TEST(listeners, end_with_the_server_and_fail_when_they_waited_for_it) {
  listeners_driver t;
  t.listens_to(1, "7", "a");
  t.listens_to(2, "8", "b");
  t.withdrawn(2);
  t.listen(3, "9", t.uris({"a", "b", "c"}));
  EXPECT_EQ(t.lost(), (stateless_effects{ends_well(1, "7"), send_response{3, failed("9", "The server has died"), -32603,
                                                                          call_outcome::kind::lost}}));
  EXPECT_EQ(t.answered(result(t.own(3))), stateless_effects{}); // a late answer
  EXPECT_EQ(t.server(updated("a")), stateless_effects{});
  EXPECT_EQ(t.listen(4, "10", t.uris({"a", "b"})), (stateless_effects{asks_on(5, "a"), asks_on(6, "b")}));
}

TEST(listeners, ask_nothing_of_the_next_server_when_they_fail_with_the_last) {
  listeners_driver t;
  t.listen(1, "7", t.uris({"a", "b"}));
  t.answered(result(t.own(1)));
  EXPECT_EQ(t.lost(), (stateless_effects{
                          send_response{1, failed("7", "The server has died"), -32603, call_outcome::kind::lost}}));
  EXPECT_EQ(t.it.size(), 0U);
}

TEST(listeners, end_with_a_result) {
  listeners_driver t;
  t.listens_to(1, "7", "a");
  t.listen(2, R"("7")", both_lists);
  t.listen(3, "9", t.uris({"b"}));
  EXPECT_EQ(t.ends(),
            (stateless_effects{ends_well(1, "7"), asks_off(3, "a"), ends_well(2, R"("7")"), ends_well(3, "9")}));
  EXPECT_EQ(t.it.size(), 0U);
  EXPECT_EQ(t.answered(result(t.own(2))), (stateless_effects{asks_off(4, "b")}));
}

} // namespace troupe::tests::listeners_test
