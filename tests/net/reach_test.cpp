#include "net/reach.hpp"

#include "tests/support/http_server.hpp"
#include "tests/support/site.hpp"

#include <optional>

using namespace troupe::net;
using namespace troupe::tests;
using namespace std::chrono_literals;

namespace {

/// Its journal has `reached`, or why not.
class reach_test : public tidy_test {
protected:
  reach::on_tried note() {
    return [this](const std::string& why_not) { seen.note(why_not.empty() ? "reached" : why_not); };
  }
  std::string tried(const std::string& address, std::chrono::milliseconds limit = patience) {
    auto before = seen.all().size();
    run_on(*thread, [&] { way->attempt(address, limit, note()); });
    return seen.wait_for(before + 1).back();
  }
  void SetUp() override { way.emplace(*thread); }
  void TearDown() override {
    way.reset();
    thread.reset();
  }

  journal seen;
  std::optional<io_thread> thread{std::in_place};
  std::optional<reach> way;
};

/// A port whose queue of connections is full: whoever knocks there waits.
class deaf_port {
public:
  deaf_port() {
    sockaddr_in at{AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {}};
    socklen_t size = sizeof at;
    EXPECT_EQ(::bind(fds_[0], reinterpret_cast<sockaddr*>(&at), size), 0);
    EXPECT_EQ(::listen(fds_[0], 0), 0);
    EXPECT_EQ(::getsockname(fds_[0], reinterpret_cast<sockaddr*>(&at), &size), 0);
    for (auto i : {1, 2, 3})
      ::connect(fds_[i], reinterpret_cast<sockaddr*>(&at), size);
    port_ = ntohs(at.sin_port);
  }
  ~deaf_port() {
    for (auto fd : fds_)
      ::close(fd);
  }
  deaf_port(const deaf_port&) = delete;
  deaf_port& operator=(const deaf_port&) = delete;
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

private:
  static int make() { return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }
  std::array<int, 4> fds_{make(), make(), make(), make()};
  std::uint16_t port_ = 0;
};

std::string address_of(const http_server& server) { return "127.0.0.1:" + std::to_string(server.port()); }

} // namespace

TEST_F(reach_test, reaches_who_listens_and_hangs_up) {
  journal heard;
  http_server server{[&](peer& one) { heard.note(one.sees_the_end() ? "hung up" : "talked"); }};
  EXPECT_EQ(tried(address_of(server)), "reached");
  EXPECT_EQ(heard.wait_for(1), lines{"hung up"});
}

TEST_F(reach_test, reaches_an_address_of_ipv6) {
  http_server server{[](peer&) {}, {}, AF_INET6};
  if (!server.is_up())
    GTEST_SKIP() << "no IPv6 here";
  EXPECT_EQ(tried("[::1]:" + std::to_string(server.port())), "reached");
}

TEST_F(reach_test, is_told_when_nobody_listens) {
  std::string address;
  {
    http_server gone{[](peer&) {}};
    address = address_of(gone);
  }
  EXPECT_EQ(tried(address), "Connection refused");
}

TEST_F(reach_test, gives_up_when_its_time_is_over) {
  deaf_port nobody;
  auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(tried(nobody.address(), 100ms), "Connection timed out");
  EXPECT_GE(std::chrono::steady_clock::now() - begun, 100ms);
}

TEST_F(reach_test, refuses_what_is_no_numeric_address_with_a_port) {
  for (auto address : {"", "1.2.3.4", "localhost:80", "1.2.3.4:0", "1.2.3.4:65536", "1.2.3.4:x", "::1:80", "[::1]",
                       "1.2.3.4:80 ", ":80"})
    EXPECT_EQ(tried(address), "it is no numeric address with a port") << address;
}

TEST_F(reach_test, tries_many_at_once) {
  http_server server{[](peer&) {}};
  run_on(*thread, [&] {
    for (auto i = 0; i < 50; ++i)
      way->attempt(address_of(server), patience, note());
  });
  EXPECT_EQ(seen.wait_for(50), lines(50, "reached"));
}

TEST_F(reach_test, tells_nothing_after_it_was_destroyed_and_waits_for_nothing) {
  deaf_port nobody;
  run_on(*thread, [&] {
    way->attempt(nobody.address(), 1h, note());
    way->attempt("nonsense", 1h, note());
    way.reset();
  });
  thread.reset();
  EXPECT_EQ(seen.all(), lines{});
}

TEST_F(reach_test, may_be_destroyed_by_whom_it_tells_and_from_any_thread) {
  deaf_port nobody;
  run_on(*thread, [&] {
    way->attempt(nobody.address(), 1h, note());
    way->attempt("nonsense", 1h, [&](auto&&) {
      way.reset();
      seen.note("destroyed");
    });
  });
  EXPECT_EQ(seen.wait_for(1), lines{"destroyed"});
  way.emplace(*thread);
  run_on(*thread, [&] { way->attempt(nobody.address(), 1h, note()); });
  way.reset();
  thread.reset();
}
