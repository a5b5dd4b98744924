#include "net/server/listening_socket.hpp"

#include "net/server/connection.hpp"
#include "tests/net/server/tls_test.hpp"

#include <fstream>
#include <sys/stat.h>

namespace troupe::tests::unix_socket_test {

using namespace net;
using namespace std::chrono_literals;

namespace {

class unix_socket_test : public tidy_test {
protected:
  test_listener listening(const connection_limits& limits = {}, test_listener::script play = {},
                          std::size_t threads = 1, std::shared_ptr<connections_by_address> by_address = nullptr) {
    return test_listener{limits,     std::move(play), threads, std::numeric_limits<std::size_t>::max(),
                         by_address, {"unix:" + path}};
  }
  static std::string why_not(const std::string& at) {
    try {
      unix_socket one{at};
      return "";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }
  mode_t mode() const {
    struct stat found {};
    return ::lstat(path.c_str(), &found) == 0 ? found.st_mode : 0;
  }
  /// Leaves the socket file of a crashed listener behind.
  void leave_stale_socket() {
    auto at = bound();
    ::listen(at.get(), 1);
  }
  owned_descriptor bound() const {
    owned_descriptor result{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_un at{AF_UNIX, {}};
    path.copy(at.sun_path, sizeof at.sun_path - 1);
    EXPECT_EQ(::bind(result.get(), reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
    return result;
  }

  scratch directory;
  std::string path = directory.path("socket");
};

} // namespace

// -- clients -----------------------------------------------------------------------------

TEST_F(unix_socket_test, hands_out_requests_and_writes_answers) {
  auto at = listening();
  EXPECT_EQ(at.port(), 0);
  EXPECT_TRUE(at.listener().is_loopback());
  tcp_client client{path};
  for (std::size_t i = 0; i < 5; ++i) {
    client.send(post_text("/mcp", "{}"));
    at.seen.wait_for(i + 1);
    at.let(i, [](auto& one) {
      EXPECT_TRUE(one.request().is_local);
      EXPECT_FALSE(one.request().is_secure);
      EXPECT_EQ(one.request().peer, "");
      one.respond(text_answer("fine"));
    });
    EXPECT_EQ(client.read_answer().body, "fine");
  }
}

TEST_F(unix_socket_test, has_no_address_for_a_client_that_has_a_path) {
  auto peer = std::string{"?"};
  auto at = listening({}, [&](auto& one) {
    peer = one.request().peer;
    one.respond(text_answer(""));
  });
  owned_descriptor one{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_un own{AF_UNIX, {}}, to{AF_UNIX, {}};
  (path + std::string(50, 'c')).copy(own.sun_path, sizeof own.sun_path - 1);
  path.copy(to.sun_path, sizeof to.sun_path - 1);
  EXPECT_EQ(::bind(one.get(), reinterpret_cast<sockaddr*>(&own), sizeof own), 0);
  EXPECT_EQ(::connect(one.get(), reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  const auto request = get_text("/");
  EXPECT_EQ(::send(one.get(), request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
  char byte = 0;
  EXPECT_EQ(::recv(one.get(), &byte, 1, 0), 1);
  EXPECT_EQ(peer, "");
}

TEST_F(unix_socket_test, carries_long_bodies_both_ways) {
  constexpr std::size_t size = 5'000'000;
  auto at = listening(limits_with([](auto& x) { x.body = size; }), echo_request);
  tcp_client client{path};
  const std::string body(size, 'b');
  client.send(post_text("/", body));
  EXPECT_TRUE(client.read_answer().body == "/" + body);
}

TEST_F(unix_socket_test, notices_that_the_client_of_a_stream_left) {
  auto at = listening();
  tcp_client client{path};
  client.send(get_text("/"));
  at.seen.wait_for(1);
  at.let(0, [](auto& one) {
    one.begin_events(events_head());
    one.write("data: 1\n\n");
  });
  client.read_until("\r\n\r\n");
  EXPECT_EQ(client.read_chunk(), "data: 1\n\n");
  client.leave();
  EXPECT_EQ(at.seen.wait_for(2), (lines{"GET /", "closed 0"}));
}

TEST_F(unix_socket_test, does_not_count_its_clients_by_address) {
  auto one_each = std::make_shared<connections_by_address>(1, [](const std::string& from) { return from; });
  auto at = listening({}, echo_request, 2, one_each);
  tcp_client first{path}, second{path}, third{path};
  for (auto* one : {&first, &second, &third}) {
    one->send(get_text("/"));
    EXPECT_EQ(one->read_answer().status, 200);
  }
  EXPECT_EQ(one_each->size(), 0u);
}

TEST_F(unix_socket_test, lets_connections_go_to_the_thread_that_their_requests_are_for) {
  auto at = listening(
      {},
      [](auto& one) {
        one.belongs_to(1);
        echo_request(one);
      },
      2);
  tcp_client client{path};
  for (std::size_t i = 0; i < 3 * thread_preference::requests; ++i) {
    client.send(get_text("/1"));
    ASSERT_EQ(client.read_answer().body, "/1");
  }
  at.settle();
  EXPECT_EQ(at.taken_by().back(), 1u);
}

TEST_F(unix_socket_test, lets_a_client_that_still_sends_read_the_refusal) {
  auto at = listening(limits_with([](auto& x) { x.body = 1000, x.linger = patience; }));
  tcp_client client{path};
  EXPECT_TRUE(client.send(post_text("/", std::string(5'000'000, 'b'))));
  EXPECT_EQ(client.read_answer().status, 413);
  EXPECT_TRUE(client.sees_the_end());
}

TEST_F(unix_socket_test, answers_its_last_requests_when_the_listener_drains) {
  auto at = listening(limits_with([](auto& x) { x.last_request = patience; }), echo_request);
  tcp_client idle{path}, late{path};
  idle.send(get_text("/"));
  idle.read_answer();
  at.listener().drain();
  late.send(get_text("/late"));
  EXPECT_EQ(late.read_answer().body, "/late");
  late.leave();
  EXPECT_TRUE(idle.sees_the_end());
  EXPECT_TRUE(at.listener().wait_until_closed(patience));
  EXPECT_FALSE(directory.has("socket"));
}

// -- file --------------------------------------------------------------------------------

TEST_F(unix_socket_test, is_for_its_own_user_alone) {
  const auto before = ::umask(0);
  {
    auto at = listening();
    EXPECT_EQ(mode(), static_cast<mode_t>(S_IFSOCK | 0600));
  }
  ::umask(before);
}

TEST_F(unix_socket_test, removes_its_file_at_the_end) {
  { auto at = listening(); }
  EXPECT_FALSE(directory.has("socket"));
}

TEST_F(unix_socket_test, leaves_the_file_of_another_that_took_its_place) {
  {
    auto at = listening();
    std::filesystem::remove(path);
    leave_stale_socket();
  }
  EXPECT_TRUE(directory.has("socket"));
}

TEST_F(unix_socket_test, replaces_one_that_nobody_listens_to) {
  leave_stale_socket();
  auto at = listening({}, echo_request);
  tcp_client client{path};
  client.send(get_text("/"));
  EXPECT_EQ(client.read_answer().status, 200);
}

TEST_F(unix_socket_test, does_not_replace_one_that_is_in_use) {
  auto at = listening({}, echo_request);
  EXPECT_EQ(why_not(path), "cannot listen on unix:" + path + ": Address already in use");
  tcp_client client{path};
  client.send(get_text("/"));
  EXPECT_EQ(client.read_answer().status, 200);
}

TEST_F(unix_socket_test, does_not_replace_one_whose_queue_is_full) {
  auto busy = bound();
  ::listen(busy.get(), 0);
  tcp_client waiting{path};
  EXPECT_EQ(why_not(path), "cannot listen on unix:" + path + ": Address already in use");
}

TEST_F(unix_socket_test, does_not_replace_a_file_that_is_no_socket) {
  std::ofstream{path} << "precious";
  EXPECT_EQ(why_not(path), "cannot listen on unix:" + path + ": there is a file that is no socket");
  EXPECT_TRUE(directory.has("socket"));
}

TEST_F(unix_socket_test, says_why_it_cannot_listen) {
  EXPECT_EQ(why_not("/nowhere/socket"), "cannot listen on unix:/nowhere/socket: No such file or directory");
  EXPECT_EQ(why_not(""), "cannot listen on unix:: the path has to have 1 to 107 bytes");
  const auto longest = "/nowhere/" + std::string(98, 's');
  EXPECT_NE(why_not(longest).find("No such file"), std::string::npos);
  EXPECT_NE(why_not(longest + "s").find("1 to 107 bytes"), std::string::npos);
}

} // namespace troupe::tests::unix_socket_test
