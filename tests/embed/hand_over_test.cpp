// A gateway hands over to another one. Both are in one process here, and in two otherwise.

#include "tests/embed/in_session.hpp"

#include <gtest/gtest.h>

#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace troupe::tests::hand_over_test {

namespace {

/// A server whose tool returns the server's name.
std::shared_ptr<server> named(const std::string& name) {
  auto result = std::make_shared<server>(server_info{.name = name});
  result->tool({.name = "who"}, [name](const json::object&) { return text("it is " + name); });
  return result;
}

bool is_readable(int descriptor) {
  pollfd one{descriptor, POLLIN, 0};
  return ::poll(&one, 1, 30'000) == 1;
}

/// Sends the first bytes of the gateway at the other end back, as if the next gateway had sent them.
void echo_card(int link) {
  char card[256];
  const auto size = ::read(link, card, sizeof card);
  EXPECT_EQ(::write(link, card, static_cast<std::size_t>(size)), size);
}

/// A gateway that takes over from `before`, and calls `then` when that has ended.
std::unique_ptr<gateway> successor_of(gateway& before, gateway_options options, std::function<void()> then) {
  const auto link = make_process_link();
  options.socket = before.sockets().clients;
  options.predecessor = link.there;
  std::unique_ptr<gateway> after;
  std::thread begins{[&] { after = std::make_unique<gateway>(std::move(options)); }};
  EXPECT_TRUE(is_readable(link.here));
  before.hand_over(link.here, std::move(then));
  begins.join();
  return after;
}

std::string list_tools(in_session& client) {
  client.call("who");
  return client.socket.read_answer().body;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

} // namespace

TEST(a_gateway, hands_over_and_keeps_its_sessions) {
  std::promise<void> over;
  gateway before{serving(named("old"))};
  in_session old{before};
  auto after = successor_of(before, serving(named("new")), [&] { over.set_value(); });
  EXPECT_EQ(after->port(), before.port());
  in_session fresh{*after};
  EXPECT_TRUE(has(list_tools(fresh), "it is new"));
  in_session again{*after, old.session};
  EXPECT_TRUE(has(list_tools(again), "it is old"));
  EXPECT_TRUE(has(list_tools(old), "it is old")) << "on its own connection";
  again.socket.send("DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: " + old.session + "\r\n\r\n");
  again.socket.read_answer();
  over.get_future().get();
  before.drain();
  EXPECT_TRUE(has(list_tools(fresh), "it is new"));
}

TEST(a_gateway, that_has_handed_over_finds_the_sessions_of_the_next_one) {
  gateway before{serving(named("old"))};
  in_session old{before};
  tcp_client kept{before.port()};
  auto after = successor_of(before, serving(named("new")), [] {});
  in_session fresh{*after};
  kept.send(post(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"who"}})", fresh.session));
  EXPECT_TRUE(has(kept.read_answer().body, "it is new"));
}

TEST(a_gateway, that_has_handed_over_begins_new_sessions_in_the_next_one) {
  std::promise<void> over;
  gateway before{serving(named("old"))};
  tcp_client kept{before.port()};
  auto after = successor_of(before, serving(named("new")), [&] { over.set_value(); });
  kept.send(post(hello));
  EXPECT_TRUE(has(kept.read_answer().body, R"("name":"new")"));
  over.get_future().get();
}

TEST(a_gateway, is_no_longer_needed_when_the_next_one_is_gone) {
  std::promise<void> over;
  gateway before{serving(named("old"))};
  in_session old{before};
  successor_of(before, serving(named("new")), [&] { over.set_value(); }).reset();
  over.get_future().get();
}

TEST(a_gateway, accepts_clients_again_when_the_next_one_is_lost) {
  std::promise<bool> lost;
  std::promise<void> over;
  gateway before{serving(named("old"))};
  in_session old{before};
  const auto link = make_process_link();
  echo_card(link.there);
  before.hand_over(
      link.here, [] { ADD_FAILURE(); }, [&](bool hangs) { lost.set_value(hangs); });
  EXPECT_THROW(before.take_back(), std::runtime_error);
  tcp_client waits{before.port()};
  waits.send(post(hello));
  ::close(link.there);
  EXPECT_FALSE(lost.get_future().get());
  EXPECT_THROW(before.sockets(), std::runtime_error);
  before.take_back();
  EXPECT_TRUE(has(waits.read_answer().body, R"("name":"old")"));
  EXPECT_TRUE(has(list_tools(old), "it is old"));
  auto after = successor_of(before, serving(named("new")), [&] { over.set_value(); });
  in_session fresh{*after};
  EXPECT_TRUE(has(list_tools(fresh), "it is new"));
  in_session again{*after, old.session};
  EXPECT_TRUE(has(list_tools(again), "it is old"));
  after.reset();
  over.get_future().get();
}

TEST(a_gateway, does_not_accept_clients_again_from_a_socket_that_no_longer_listens) {
  std::promise<bool> lost;
  gateway before{serving(named("old"))};
  in_session old{before};
  const auto socket = before.sockets().clients;
  const auto link = make_process_link();
  echo_card(link.there);
  before.hand_over(
      link.here, [] { ADD_FAILURE(); }, [&](bool hangs) { lost.set_value(hangs); });
  EXPECT_EQ(::shutdown(socket, SHUT_RD), 0);
  ::close(socket);
  ::close(link.there);
  EXPECT_FALSE(lost.get_future().get());
  EXPECT_THROW(before.take_back(), std::runtime_error);
  EXPECT_TRUE(has(list_tools(old), "it is old")) << "its sessions go on";
}

TEST(a_gateway, notices_that_the_next_one_gives_no_sign_of_life) {
  std::promise<bool> lost;
  gateway before{serving(named("old"))};
  const auto link = make_process_link();
  echo_card(link.there);
  before.hand_over(
      link.here, [] { ADD_FAILURE(); }, [&](bool hangs) { lost.set_value(hangs); });
  EXPECT_TRUE(lost.get_future().get());
  ::close(link.there);
  before.take_back();
  in_session client{before};
  EXPECT_TRUE(has(list_tools(client), "it is old"));
}

TEST(a_gateway, keeps_sessions_for_so_long_at_most) {
  std::promise<void> over;
  auto options = serving(named("old"));
  options.upgrade_time = std::chrono::milliseconds{1};
  gateway before{std::move(options)};
  in_session old{before};
  auto after = successor_of(before, serving(named("new")), [&] { over.set_value(); });
  over.get_future().get();
  before.drain();
  in_session again{*after, old.session};
  again.call("who");
  EXPECT_EQ(again.socket.read_answer().status, 404);
}

TEST(a_gateway, does_not_hand_over_to_what_is_no_gateway) {
  gateway before{serving(named("old"))};
  const auto link = make_process_link();
  EXPECT_EQ(::write(link.there, "\0\0\0\2hi", 6), 6);
  EXPECT_THROW(before.hand_over(link.here, [] {}), std::runtime_error);
  ::close(link.there);
  in_session client{before};
  EXPECT_TRUE(has(list_tools(client), "it is old"));
}

TEST(a_gateway, does_not_hand_over_to_one_that_is_gone) {
  gateway before{serving(named("old"))};
  const auto link = make_process_link();
  echo_card(link.there);
  ::close(link.there);
  EXPECT_THROW(before.hand_over(link.here, [] {}), std::runtime_error);
  in_session client{before};
  EXPECT_TRUE(has(list_tools(client), "it is old"));
}

TEST(a_gateway, that_has_handed_over_lets_those_begin_in_the_next_one_who_wait_for_the_word_of_the_host) {
  std::promise<void> asked, judged, over;
  auto options = serving(named("old"));
  options.refuse_session = [&](const session_request&) {
    asked.set_value();
    judged.get_future().get();
    return std::string{};
  };
  gateway before{std::move(options)};
  tcp_client waits{before.port()};
  waits.send(post(hello));
  asked.get_future().get();
  auto after = successor_of(before, serving(named("new")), [&] { over.set_value(); });
  judged.set_value();
  EXPECT_TRUE(has(waits.read_answer().body, R"("name":"new")"));
  over.get_future().get();
}

TEST(a_gateway, does_not_begin_after_one_that_does_not_hand_over) {
  const auto link = make_process_link();
  std::thread leaves{[&] {
    EXPECT_TRUE(is_readable(link.here));
    ::close(link.here);
  }};
  auto options = serving(named("new"));
  options.predecessor = link.there;
  EXPECT_THROW(gateway{std::move(options)}, std::runtime_error);
  leaves.join();
}

TEST(a_gateway, hands_over_to_one_at_a_time) {
  gateway before{serving(named("old"))};
  in_session old{before};
  auto after = successor_of(before, serving(named("new")), [] {});
  EXPECT_THROW(before.sockets(), std::runtime_error);
  EXPECT_THROW(after->sockets(), std::runtime_error);
}

} // namespace troupe::tests::hand_over_test
