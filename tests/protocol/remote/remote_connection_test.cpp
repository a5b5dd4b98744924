#include "protocol/remote/remote_connection.hpp"

#include "tests/support/remote_driver.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::tests::remote_connection_test {

namespace {

using effects = remote_connection::effects;

struct connected {
  explicit connected(server_era era) : it{at_site(), {.era = era, .is_remote = true, .mark = "m"}, 1} {}

  effects sends(std::string text) { return it.user_sent(gateway_message(std::move(text)), now); }
  /// A whole answer: what all of it leads to.
  effects answers(http_call_id call, int status, std::string text) {
    effects result;
    for (auto& news : std::vector<call_event>{
             {call, call_head{status, json}}, {call, call_body{std::move(text)}}, {call, call_ended{}}})
      for (auto& effect : it.receive_event(news, now))
        result.push_back(std::move(effect));
    return result;
  }

  time_point now{1h};
  remote_connection it;
};

template <class Effect>
std::vector<Effect> all_of(const effects& some) {
  std::vector<Effect> result;
  for (const auto& one : some)
    if (const auto* found = std::get_if<Effect>(&one))
      result.push_back(*found);
  return result;
}

} // namespace

TEST(remote_connection, passes_messages_of_a_server_with_sessions_unchanged) {
  for (const auto era : {server_era::session, server_era::automatic}) {
    connected to{era};
    const auto first = all_of<send_call>(to.sends(hello("0")));
    ASSERT_EQ(first.size(), 1u);
    EXPECT_EQ(first[0].body, hello("0"));
    const auto greeting = all_of<deliver_to_user>(to.answers(first[0].call, 200, welcome("0")));
    ASSERT_EQ(greeting.size(), 1u);
    EXPECT_EQ(greeting[0].what.text, welcome("0"));
    const auto second = all_of<send_call>(to.sends(initialized));
    ASSERT_EQ(second.size(), 1u);
    EXPECT_EQ(second[0].body, initialized);
  }
}

TEST(remote_connection, asks_a_server_that_refuses_to_begin_for_its_era_unless_that_is_configured) {
  const std::string refusal = R"({"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"Method not found"}})";
  for (const auto era : {server_era::session, server_era::automatic}) {
    connected to{era};
    const auto call = all_of<send_call>(to.sends(hello("0"))).at(0).call;
    const auto then = to.answers(call, 200, refusal);
    EXPECT_EQ(all_of<deliver_to_user>(then).size(), era == server_era::session ? 1u : 0u);
    EXPECT_EQ(all_of<send_call>(then).size(), era == server_era::session ? 0u : 1u);
  }
}

TEST(remote_connection, ends_with_its_credentials_after_an_answer_to_each_request) {
  connected to{server_era::automatic};
  to.sends(hello("0"));
  const auto told = to.it.credentials_lost("gone", to.now);
  EXPECT_EQ(all_of<deliver_to_user>(told).size(), 1u);
  const auto* how = std::get_if<lose_server>(&told.back());
  ASSERT_TRUE(how);
  EXPECT_EQ(how->why, "No token for the remote MCP server: gone");
  EXPECT_EQ(to.it.deadline(), time_point::max());
}

} // namespace troupe::tests::remote_connection_test
