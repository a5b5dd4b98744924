#include "net/server/listening_socket.hpp"

#include "net/owned_descriptor.hpp"
#include "tests/support/plain_get.hpp"
#include "tests/support/test_listener.hpp"

#include <fcntl.h>
#include <sys/un.h>

namespace troupe::tests::handed_socket_test {

using namespace net;
using namespace std::chrono_literals;

namespace {

class handed_socket_test : public tidy_test {
protected:
  template <class Address>
  static owned_descriptor bound(const Address& to, int family) {
    owned_descriptor result{::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    EXPECT_EQ(::bind(result.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    return result;
  }
  static owned_descriptor bound(std::uint32_t to = INADDR_LOOPBACK) {
    return bound(sockaddr_in{AF_INET, 0, {htonl(to)}, {}}, AF_INET);
  }
  static owned_descriptor listening(owned_descriptor one = bound()) {
    EXPECT_EQ(::listen(one.get(), 16), 0);
    return one;
  }
  /// A second descriptor of the socket, as another process would have it.
  static int another(const owned_descriptor& one) { return ::dup(one.get()); }
  static std::string why_not(int socket) {
    try {
      place_of(socket);
      return "";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }
  static test_listener serving(const owned_descriptor& one) {
    return test_listener{{},      [](exchange& asked) { asked.respond(text_answer("fine")); },
                         1,       std::numeric_limits<std::size_t>::max(),
                         nullptr, {"127.0.0.1", 0, another(one)}};
  }
};

} // namespace

TEST_F(handed_socket_test, is_named_by_where_it_listens) {
  EXPECT_EQ(place_of(listening().get()).host, "127.0.0.1");
  EXPECT_EQ(place_of(listening(bound(INADDR_ANY)).get()).host, "0.0.0.0");
  EXPECT_NE(place_of(listening().get()).port, 0);
  sockaddr_un unnamed{AF_UNIX, "\0troupe-handed-socket-test"};
  EXPECT_TRUE(place_of(listening(bound(unnamed, AF_UNIX)).get()).host.starts_with("unix:@troupe-handed-socket-test"));
}

TEST_F(handed_socket_test, is_refused_unless_it_listens) {
  const auto silent = bound();
  const auto why = "cannot listen on descriptor " + std::to_string(silent.get()) +
                   ": it is no socket of TCP, or of unix, that listens";
  EXPECT_EQ(why_not(silent.get()), why);
  EXPECT_NE(why_not(-1), "");
  EXPECT_NE(why_not(0), "");
}

TEST_F(handed_socket_test, is_not_for_processes_that_are_started) {
  boost::asio::io_context context;
  auto taken = take_over(context, another(listening()));
  EXPECT_EQ(::fcntl(taken.native_handle(), F_GETFD), FD_CLOEXEC);
}

TEST_F(handed_socket_test, serves_clients) {
  const auto one = listening();
  auto at = serving(one);
  EXPECT_EQ(at.port(), place_of(one.get()).port);
  tcp_client client{at.port()};
  client.send(plain_get);
  EXPECT_EQ(client.read_answer().body, "fine");
}

TEST_F(handed_socket_test, leaves_those_who_connect_later_to_who_has_it_next) {
  const auto one = listening();
  auto before = serving(one);
  before.listener().drain_for_others();
  ASSERT_TRUE(before.listener().wait_until_closed(patience));
  tcp_client client{place_of(one.get()).port};
  client.send(plain_get);
  auto after = serving(one);
  EXPECT_EQ(client.read_answer().body, "fine");
}

TEST_F(handed_socket_test, accepts_clients_again_by_another_descriptor) {
  test_listener at{{}, [](exchange& asked) { asked.respond(text_answer("fine")); }};
  owned_descriptor kept{at.listener().duplicate()};
  at.listener().hand_over();
  at.settle();
  tcp_client waits{at.port()};
  waits.send(plain_get);
  at.listener().accept_again(std::move(kept));
  EXPECT_EQ(waits.read_answer().body, "fine");
  waits.send(plain_get);
  EXPECT_EQ(waits.read_answer().body, "fine") << "on the same connection";
  owned_descriptor again{at.listener().duplicate()};
  at.listener().hand_over();
  at.listener().accept_again(std::move(again));
  tcp_client client{at.port()};
  client.send(plain_get);
  EXPECT_EQ(client.read_answer().body, "fine");
}

// The second descriptor gets the number of the first one, which was closed.
TEST_F(handed_socket_test, accepts_clients_again_each_time) {
  test_listener at{{}, [](exchange& asked) { asked.respond(text_answer("fine")); }};
  for (int i = 0; i < 3; ++i) {
    owned_descriptor kept{at.listener().duplicate()};
    at.listener().hand_over();
    EXPECT_NO_THROW(at.listener().accept_again(std::move(kept)));
  }
  tcp_client client{at.port()};
  client.send(plain_get);
  EXPECT_EQ(client.read_answer().body, "fine");
}

TEST_F(handed_socket_test, is_not_left_to_others_after_it_accepts_clients_again) {
  test_listener at{{}, [](exchange& asked) { asked.respond(text_answer("fine")); }};
  owned_descriptor kept{at.listener().duplicate()};
  at.listener().hand_over();
  at.listener().accept_again(std::move(kept));
  at.listener().drain_for_others();
  tcp_client client{at.port()};
  client.send(plain_get);
  EXPECT_EQ(client.read_answer().body, "fine");
}

TEST_F(handed_socket_test, of_ones_own_is_not_left_to_others) {
  test_listener at{{}, [](exchange& asked) { asked.respond(text_answer("fine")); }};
  at.listener().drain_for_others();
  tcp_client client{at.port()};
  client.send(plain_get);
  EXPECT_EQ(client.read_answer().body, "fine");
}

} // namespace troupe::tests::handed_socket_test
