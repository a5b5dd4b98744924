#include "protocol/admin/admin_command.hpp"

#include <gtest/gtest.h>

#include <string>

namespace troupe::tests::admin_command_test {

using namespace protocol;

namespace {

addressed_command order_at(std::string target, std::string method = "GET", std::string body = {}) {
  return std::get<addressed_command>(read_operator_order({std::move(method), std::move(target), std::move(body)}));
}

template <class Order>
Order order_of(std::string target, std::string method = "GET", std::string body = {}) {
  return std::get<Order>(order_at(std::move(target), std::move(method), std::move(body)).what);
}

/// The refusal as `404 text`; empty for a valid command.
std::string refused(std::string target, std::string method = "GET", std::string body = {}) {
  const auto read = read_operator_order({std::move(method), std::move(target), std::move(body)});
  const auto* why = std::get_if<rejection>(&read);
  return why ? std::to_string(why->status) + ' ' + why->text : std::string{};
}

std::string allowed(std::string target, std::string method) {
  return std::get<rejection>(read_operator_order({std::move(method), std::move(target)})).headers.at(0).second;
}

} // namespace

TEST(admin_command, is_read_from_method_and_path) {
  order_of<show_state>("/api/state");
  order_of<show_node>("/api/node");
  order_of<reload_configuration>("/api/reload", "POST");
  order_of<drain_gateway>("/api/drain", "POST");
  EXPECT_EQ(order_of<show_session>("/api/sessions/7").number, 7u);
  EXPECT_EQ(order_of<end_session_now>("/api/sessions/18446744073709551615", "DELETE").number, ~std::uint64_t{0});
  EXPECT_EQ(order_of<end_call_now>("/api/sessions/7/calls/3", "DELETE").session, 7u);
  EXPECT_EQ(order_of<end_call_now>("/api/sessions/7/calls/3", "DELETE").call, 3u);
  EXPECT_EQ(order_of<list_servers>("/api/servers").name, "");
  EXPECT_EQ(order_of<list_servers>("/api/servers/files").name, "files");
}

TEST(admin_command, asks_whether_the_gateway_is_ready) {
  EXPECT_FALSE(order_of<show_readiness_now>("/readyz").verbose);
  EXPECT_TRUE(order_of<show_readiness_now>("/readyz?verbose").verbose);
  EXPECT_TRUE(order_of<show_readiness_now>("/readyz?verbose=true").verbose);
  EXPECT_FALSE(order_of<show_readiness_now>("/readyz?verbose=false").verbose);
  EXPECT_EQ(refused("/readyz?loud"), "400 there is no parameter loud at this path, or it is there twice");
  EXPECT_EQ(allowed("/readyz", "POST"), "GET, HEAD");
  EXPECT_EQ(refused("/api/readyz"), "404 there is nothing for operators at this path");
  EXPECT_EQ(refused("/other/state"), "404 there is nothing for operators at this path");
}

TEST(admin_command, drains_at_a_rate_and_back) {
  EXPECT_EQ(order_of<drain_gateway>("/api/drain", "POST").rate, std::nullopt);
  EXPECT_EQ(order_of<drain_gateway>("/api/drain?rate=20", "POST").rate, drain_rate{20});
  EXPECT_EQ(order_of<drain_gateway>("/api/drain?rate=90%2Fmin", "POST").rate,
            (drain_rate{90, std::chrono::seconds{60}}));
  for (auto rate : {"", "0", "-1", "abc", "10001"})
    EXPECT_EQ(refused("/api/drain?rate=" + std::string{rate}, "POST"), "400 " + no_drain_rate(rate));
  order_of<undrain_gateway>("/api/drain", "DELETE");
}

TEST(admin_command, knows_the_node_that_it_is_for) {
  EXPECT_EQ(order_at("/api/state").node, "");
  EXPECT_EQ(order_at("/api/state?node=b").node, "b");
  EXPECT_EQ(order_at("/api/sessions/7?node=a%20b", "DELETE").node, "a b");
}

TEST(admin_command, lists_sessions_by_what_they_are) {
  const auto all = order_of<list_sessions>("/api/sessions");
  EXPECT_EQ(all.after, 0u);
  EXPECT_EQ(all.limit, 100u);
  EXPECT_FALSE(all.idle);
  const auto some =
      order_of<list_sessions>("/api/sessions?after=7&limit=50&server=a%26b&caller=J%c3%bcrgen+K&id=ab&idle=true");
  EXPECT_EQ(some.after, 7u);
  EXPECT_EQ(some.limit, 50u);
  EXPECT_EQ(some.server, "a&b");
  EXPECT_EQ(some.caller, "J\xc3\xbcrgen K");
  EXPECT_EQ(some.id, "ab");
  EXPECT_EQ(some.idle, true);
  EXPECT_EQ(order_of<list_sessions>("/api/sessions?idle=false").idle, false);
}

TEST(admin_command, has_pages_of_at_most_a_thousand) {
  EXPECT_EQ(order_of<list_sessions>("/api/sessions?limit=1").limit, 1u);
  EXPECT_EQ(order_of<list_sessions>("/api/sessions?limit=999").limit, 999u);
  EXPECT_EQ(order_of<list_calls>("/api/calls?limit=1000").limit, 1000u);
  EXPECT_EQ(refused("/api/sessions?limit=1001"), "400 limit has to be a number from 1 to 1000");
  EXPECT_EQ(refused("/api/calls?limit=0"), "400 limit has to be a number from 1 to 1000");
}

TEST(admin_command, says_what_is_wrong_with_a_query) {
  EXPECT_EQ(refused("/api/sessions?after=x"), "400 after has to be a number");
  EXPECT_EQ(refused("/api/sessions?after=-1"), "400 after has to be a number");
  EXPECT_EQ(refused("/api/sessions?after=18446744073709551616"), "400 after has to be a number");
  EXPECT_EQ(refused("/api/sessions?idle=yes"), "400 idle has to be true or false");
  EXPECT_EQ(refused("/api/sessions?id=%4"), "400 the query has a % without two hexadecimal digits");
  EXPECT_EQ(refused("/api/sessions?colour=red"), "400 there is no parameter colour at this path, or it is there twice");
  EXPECT_EQ(refused("/api/sessions?id=a&id=b"), "400 there is no parameter id at this path, or it is there twice");
  EXPECT_EQ(refused("/api/state?limit=5"), "400 there is no parameter limit at this path, or it is there twice");
}

TEST(admin_command, follows_with_content_only_when_told) {
  EXPECT_FALSE(order_of<follow_session>("/api/sessions/7/follow").content);
  EXPECT_TRUE(order_of<follow_session>("/api/sessions/7/follow?content=true").content);
  EXPECT_EQ(order_of<follow_session>("/api/sessions/7/follow?content=true").number, 7u);
}

TEST(admin_command, changes_a_server_of_any_name) {
  using kind = change_server::kind;
  EXPECT_EQ(order_of<change_server>("/api/servers/files/restart", "POST").how, kind::restart);
  EXPECT_EQ(order_of<change_server>("/api/servers/files/enable", "POST").how, kind::enable);
  EXPECT_EQ(order_of<change_server>("/api/servers/files/disable", "POST").how, kind::disable);
  EXPECT_EQ(order_of<change_server>("/api/servers/a%2fb%3F/restart", "POST").name, "a/b?");
}

TEST(admin_command, sets_a_level_that_its_body_names) {
  EXPECT_EQ(order_of<log_level_command>("/api/log-level").level, "");
  EXPECT_EQ(order_of<log_level_command>("/api/log-level", "PUT", " {\"level\": \"debug\"}\n").level, "debug");
  for (const auto* body :
       {"", "debug", "{}", "[\"level\"]", "{\"level\":1}", "{\"level\":\"\"}", "{\"level\":\"debug\""})
    EXPECT_EQ(refused("/api/log-level", "PUT", body).substr(0, 3), "400") << body;
}

TEST(admin_command, is_nothing_at_other_paths) {
  for (const auto* target : {"/api/", "/api/nothing", "/api/state/", "/api/State", "/api/sessions/", "/api/sessions/x",
                             "/api/sessions/-1", "/api/sessions/7/calls", "/api/sessions/7/follow/", "/api//state",
                             "/api/servers/", "/api/servers/%4", "/api/sessions/18446744073709551616", "", "/a"})
    EXPECT_EQ(refused(target).substr(0, 3), "404") << target;
  EXPECT_EQ(refused("/api/sessions/7/calls/x", "DELETE").substr(0, 3), "404");
  EXPECT_EQ(refused("/api/servers//restart", "POST").substr(0, 3), "404");
}

// RFC 9110, 9.1
TEST(admin_command, is_the_same_for_HEAD) {
  EXPECT_EQ(order_of<log_level_command>("/api/log-level", "HEAD").level, "");
  EXPECT_EQ(refused("/api/drain", "HEAD").substr(0, 3), "405");
}

TEST(admin_command, says_which_methods_a_path_has) {
  EXPECT_EQ(allowed("/api/sessions", "POST"), "GET, HEAD");
  EXPECT_EQ(allowed("/api/sessions/7", "PUT"), "GET, HEAD, DELETE");
  EXPECT_EQ(allowed("/api/log-level", "POST"), "GET, HEAD, PUT");
  EXPECT_EQ(allowed("/api/sessions/7/follow", "HEAD"), "GET");
  EXPECT_EQ(allowed("/api/servers/files/restart", "GET"), "POST");
  EXPECT_EQ(allowed("/api/drain", "GET"), "POST, DELETE");
  EXPECT_EQ(allowed("/api/state", "get"), "GET, HEAD");
}

} // namespace troupe::tests::admin_command_test
