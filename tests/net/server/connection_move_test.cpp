// Connections that move to the thread of their requests.

#include "net/server/connection.hpp"
#include "tests/support/test_listener.hpp"

namespace troupe::tests::connection_move_test {

using namespace net;

namespace {

constexpr auto requests = thread_preference::requests;
constexpr std::size_t long_answer = 32 * 1024 * 1024;

std::string get(const std::string& target) { return "GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n"; }

/// Answers on the thread that the target names.
void answer_for(exchange& one) {
  auto target = std::string{one.request().target};
  if (auto thread = static_cast<std::size_t>(target.at(1) - '0'); thread < 10)
    one.belongs_to(thread);
  one.respond(text_answer(target == "/long" ? std::string(long_answer, 'x') : target));
}

/// Sends requests in turn, and expects an answer to each.
void ask(tcp_client& client, const std::string& target, std::size_t times) {
  for (std::size_t i = 0; i < times; ++i) {
    client.send(get(target));
    ASSERT_EQ(client.read_answer().body, target);
  }
}

/// The client's connection begins on thread 0.
struct connection_move_test : tidy_test {
  test_listener at{{}, answer_for, 2};
  tcp_client client{at.port()};

  std::size_t last_thread() {
    at.settle();
    return at.taken_by().back();
  }
};

} // namespace

TEST_F(connection_move_test, goes_where_its_requests_are_for_and_stays_there) {
  ask(client, "/1", requests);
  EXPECT_EQ(last_thread(), 0u);
  ask(client, "/1", 1);
  EXPECT_EQ(last_thread(), 1u);
  ask(client, "/here", 10);
  EXPECT_EQ(last_thread(), 1u);
}

TEST_F(connection_move_test, stays_when_its_requests_are_for_here_too) {
  for (auto i = 0; i < 5; ++i) {
    ask(client, "/1", requests - 1);
    ask(client, "/here", 1);
  }
  EXPECT_EQ(last_thread(), 0u);
}

TEST_F(connection_move_test, stays_when_there_is_no_such_thread) {
  ask(client, "/7", 3 * requests);
  EXPECT_EQ(last_thread(), 0u);
}

TEST_F(connection_move_test, goes_to_and_fro) {
  for (auto i = 0; i < 10; ++i) {
    ask(client, "/1", requests + 1);
    EXPECT_EQ(last_thread(), 1u);
    ask(client, "/0", requests + 1);
    EXPECT_EQ(last_thread(), 0u);
  }
}

TEST_F(connection_move_test, loses_no_request_that_comes_as_it_goes) {
  constexpr auto count = 300;
  std::string all;
  for (auto i = 0; i < count; ++i)
    all += get("/" + std::to_string(i / 10 % 2));
  for (std::size_t at = 0; at < all.size(); at += 97)
    client.send(all.substr(at, 97));
  for (auto i = 0; i < count; ++i)
    EXPECT_EQ(client.read_answer().body, "/" + std::to_string(i / 10 % 2));
}

TEST_F(connection_move_test, stays_once_its_client_was_slow_to_read) {
  ask(client, "/1", requests + 1);
  tcp_client neighbour{at.port()};
  client.send(get("/long"));
  ask(neighbour, "/1", requests);
  ask(neighbour, "/here", 1);
  EXPECT_EQ(last_thread(), 1u);
  EXPECT_EQ(client.read_answer().body.size(), long_answer);
  ask(client, "/0", requests + 1);
  EXPECT_EQ(last_thread(), 1u);
}

TEST_F(connection_move_test, is_closed_with_its_client_wherever_it_is) {
  ask(client, "/1", requests + 1);
  client.reset();
  EXPECT_TRUE(at.listener().wait_until_closed(patience));
}

TEST_F(connection_move_test, is_closed_by_a_drain_wherever_it_is) {
  tcp_client other{at.port()};
  ask(client, "/1", requests + 1);
  ask(other, "/0", requests);
  at.listener().drain();
  EXPECT_TRUE(client.sees_the_end());
  EXPECT_TRUE(other.sees_the_end());
  EXPECT_TRUE(at.listener().wait_until_closed(patience));
}

TEST(a_listener, may_be_destroyed_while_connections_move) {
  for (auto i = 0; i < 30; ++i) {
    test_listener at{{}, answer_for, 2};
    tcp_client client{at.port()};
    ask(client, "/1", requests);
  }
}

} // namespace troupe::tests::connection_move_test
