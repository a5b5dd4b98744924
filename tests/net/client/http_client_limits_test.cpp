#include "net/client/http_client.hpp"

#include "tests/support/http_caller.hpp"

#include <cstring>

namespace troupe::tests::http_client_limits_test {

using namespace net;
using namespace std::chrono_literals;

namespace {

using http_client_limits_test = tidy_test;

http_server::script saying(std::string text) {
  return [text = std::move(text)](peer& one) {
    one.read_request();
    one.say(text);
    one.sees_the_end();
  };
}

std::string head_of_size(std::size_t size) {
  std::string begin = "HTTP/1.1 204 \r\nX: ";
  return begin + std::string(size - begin.size() - 4, 'x') + "\r\n\r\n";
}

/// Listens without accepting: the kernel establishes connections up to the backlog, and further ones wait.
class deaf_listener {
public:
  explicit deaf_listener(int family = AF_INET, std::uint16_t port = 0)
      : fd_{::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)}, address_{loopback(family, port)} {
    socklen_t size = sizeof address_;
    is_up_ = ::bind(fd_, at(), size) == 0 && ::listen(fd_, 0) == 0 && ::getsockname(fd_, at(), &size) == 0;
  }
  ~deaf_listener() {
    if (filler_ >= 0)
      ::close(filler_);
    ::close(fd_);
  }
  deaf_listener(const deaf_listener&) = delete;
  deaf_listener& operator=(const deaf_listener&) = delete;

  /// Fills the backlog, so that no further connection is established.
  void fill() {
    filler_ = ::socket(address_.sin6_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::connect(filler_, at(), sizeof address_), 0);
  }
  bool is_up() const { return is_up_; }
  /// Both address families use this port.
  std::uint16_t port() const { return ntohs(address_.sin6_port); }
  std::string host() const { return "127.0.0.1:" + std::to_string(port()); }

private:
  static sockaddr_in6 loopback(int family, std::uint16_t port) {
    sockaddr_in6 result{AF_INET6, htons(port), 0, IN6ADDR_LOOPBACK_INIT, 0};
    sockaddr_in four{AF_INET, htons(port), {htonl(INADDR_LOOPBACK)}, {}};
    if (family == AF_INET)
      std::memcpy(&result, &four, sizeof four);
    return result;
  }
  sockaddr* at() { return reinterpret_cast<sockaddr*>(&address_); }

  int fd_;
  int filler_ = -1;
  sockaddr_in6 address_;
  bool is_up_ = false;
};

/// A port without a listener.
std::string free_port() { return std::to_string(deaf_listener{}.port()); }

} // namespace

// -- connecting ------------------------------------------------------------------------

TEST_F(http_client_limits_test, says_that_nobody_listens) {
  http_caller caller;
  auto port = free_port();
  caller.get("http://127.0.0.1:" + port + "/secret?token=secret");
  EXPECT_EQ(caller.wait_for_end(1),
            lines{"1 failed: cannot connect to 127.0.0.1 port " + port + ": Connection refused"});
}

TEST_F(http_client_limits_test, says_that_a_name_means_nothing) {
  http_caller caller;
  auto told = caller.wait_for_end(caller.get("http://no-such-host.invalid/?token=secret"));
  EXPECT_TRUE(told.at(0).starts_with("1 failed: cannot resolve no-such-host.invalid: ")) << told.at(0);
  EXPECT_EQ(told.at(0).find("secret"), std::string::npos);
  EXPECT_EQ(told.at(0).find('\n'), std::string::npos);
}

TEST_F(http_client_limits_test, finds_localhost_whichever_address_it_listens_on) {
  for (auto family : {AF_INET, AF_INET6}) {
    http_server server{saying(length_answer("here")), {}, family};
    if (!server.is_up())
      continue;
    http_caller caller;
    EXPECT_EQ(caller.wait_for_end(caller.get(server.url("/", "localhost"))), (lines{"1 head 200", "1 end here"}));
  }
}

TEST_F(http_client_limits_test, takes_an_address_of_ipv6) {
  http_server server{saying(length_answer("here")), {}, AF_INET6};
  if (!server.is_up())
    GTEST_SKIP() << "no IPv6 here";
  http_caller caller;
  EXPECT_EQ(caller.wait_for_end(caller.get(server.url())), (lines{"1 head 200", "1 end here"}));
}

TEST_F(http_client_limits_test, gives_up_when_the_server_does_not_shake_hands) {
  deaf_listener server;
  http_caller caller{{.connect = 100ms}};
  caller.get("https://" + server.host());
  EXPECT_EQ(caller.wait_for_end(1), lines{"1 failed: timed out after 100 ms while connecting"});
}

TEST_F(http_client_limits_test, gives_up_when_the_server_takes_no_connection) {
  deaf_listener server;
  server.fill();
  http_caller caller{{.connect = 100ms}};
  caller.get("http://" + server.host());
  EXPECT_EQ(caller.wait_for_end(1), lines{"1 failed: timed out after 100 ms while connecting"});
}

TEST_F(http_client_limits_test, passes_over_an_address_that_swallows_everything) {
  http_server server{saying(length_answer("here"))};
  deaf_listener six{AF_INET6, server.port()};
  if (!six.is_up())
    GTEST_SKIP() << "no IPv6 here";
  six.fill();
  http_caller caller{{.connect = 5s}}; // one third of it for the first address
  EXPECT_EQ(caller.wait_for_end(caller.get(server.url("/", "localhost"))), (lines{"1 head 200", "1 end here"}));
}

TEST_F(http_client_limits_test, names_whole_seconds) {
  deaf_listener server;
  http_caller caller{{.connect = 1s}};
  caller.get("https://" + server.host());
  EXPECT_EQ(caller.wait_for_end(1), lines{"1 failed: timed out after 1 s while connecting"});
}

// -- time limits -----------------------------------------------------------------------

TEST_F(http_client_limits_test, gives_up_when_there_is_no_head_in_time) {
  for (auto text : {"", "HTTP/1.1 200 OK\r\nContent-", "HTTP/1.1 100 Continue\r\n\r\n"}) {
    http_server server{saying(text)};
    http_caller caller{{.head = 100ms}};
    EXPECT_EQ(caller.wait_for_end(caller.get(server.url())),
              lines{"1 failed: timed out after 100 ms while waiting for the answer"});
  }
}

TEST_F(http_client_limits_test, is_not_given_time_by_a_head_that_drips) {
  http_server server{[](peer& one) {
    one.read_request();
    one.say("HTTP/1.1 200 OK\r\nX: ");
    while (one.say("x"))
      ::usleep(10'000);
  }};
  http_caller caller{{.head = 200ms}};
  EXPECT_EQ(caller.wait_for_end(caller.get(server.url())),
            lines{"1 failed: timed out after 200 ms while waiting for the answer"});
}

TEST_F(http_client_limits_test, gives_up_when_the_server_does_not_read) {
  deaf_listener server;
  http_caller caller{{.head = 200ms}};
  caller.post("http://" + server.host(), std::string(30'000'000, 'x'));
  EXPECT_EQ(caller.wait_for_end(1), lines{"1 failed: timed out after 200 ms while waiting for the answer"});
}

TEST_F(http_client_limits_test, gives_up_when_a_body_is_silent) {
  http_server server{saying("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")};
  http_caller caller{{.silence = 100ms}};
  EXPECT_EQ(caller.wait_for_end(caller.get(server.url())),
            (lines{"1 head 200", "1 failed: timed out after 100 ms without a byte of the answer"}));
}

TEST_F(http_client_limits_test, is_patient_with_a_body_that_drips) {
  constexpr auto pieces = 10;
  http_server server{[](peer& one) {
    one.read_request();
    one.say("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(pieces) + "\r\n\r\n");
    for (auto i = 0; i < pieces; ++i) {
      ::usleep(400'000);
      one.say("x");
    }
  }};
  http_caller caller{
      {.silence = 3500ms}}; // shorter than all pieces together, long enough for one piece on a busy machine
  EXPECT_EQ(caller.wait_for_end(caller.get(server.url())), (lines{"1 head 200", "1 end xxxxxxxxxx"}));
}

TEST_F(http_client_limits_test, is_as_patient_as_the_call_says) {
  http_server silent{saying("")}, stops{saying("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")};
  http_caller caller{{.head = 1h, .silence = 1h}};
  caller.start({.method = "GET", .url = silent.url(), .head_timeout = 50ms});
  caller.wait_for_end(1);
  caller.start({.method = "GET", .url = stops.url(), .silence = 60ms});
  EXPECT_EQ(caller.wait_for_end(2), (lines{"1 failed: timed out after 50 ms while waiting for the answer", "2 head 200",
                                           "2 failed: timed out after 60 ms without a byte of the answer"}));
}

TEST_F(http_client_limits_test, waits_for_ever_when_its_patience_is_none) {
  std::promise<void> go;
  http_server server{[&](peer& one) {
    one.read_request();
    go.get_future().wait_for(patience);
    one.say(length_answer("late"));
  }};
  http_caller caller{{.connect = 100ms, .head = 0ms, .silence = 0ms}};
  http_server other{saying("")};
  caller.get(server.url());
  caller.start({.method = "GET", .url = other.url(), .head_timeout = 300ms});
  EXPECT_EQ(caller.wait_for_end(2), lines{"2 failed: timed out after 300 ms while waiting for the answer"});
  go.set_value();
  EXPECT_EQ(caller.wait_for_end(1).back(), "1 end late");
}

// -- sizes -----------------------------------------------------------------------------

TEST_F(http_client_limits_test, reads_a_head_up_to_its_limit) {
  constexpr std::size_t limit = 64 * 1024;
  for (auto size : {limit - 1, limit, limit + 1}) {
    http_server server{saying(head_of_size(size))};
    http_caller caller;
    auto told = caller.wait_for_end(caller.get(server.url()));
    EXPECT_EQ(told, size <= limit ? (lines{"1 head 204", "1 end "})
                                  : lines{"1 failed: the head of the server's answer has more than 65536 bytes"});
  }
}

} // namespace troupe::tests::http_client_limits_test
