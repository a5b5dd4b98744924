// Sockets within one process.

#include "net/crypto.hpp"
#include "net/node/local_sockets.hpp"

#include <gtest/gtest.h>

#include <array>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

namespace troupe::tests::local_sockets_test {

using namespace net;

namespace {

std::string fresh_name() { return "troupe-test-" + std::to_string(random_64()); }

owned_descriptor accepted(const owned_descriptor& listener) {
  pollfd wait{listener.get(), POLLIN, 0};
  return ::poll(&wait, 1, 10'000) == 1 ? owned_descriptor{::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC)}
                                       : owned_descriptor{};
}

/// Whether bytes written to one socket arrive at the other.
bool are_connected(const owned_descriptor& one, const owned_descriptor& other) {
  std::array<char, 8> heard{};
  pollfd wait{other.get(), POLLIN, 0};
  return ::write(one.get(), "hi", 2) == 2 && ::poll(&wait, 1, 10'000) == 1 &&
         ::read(other.get(), heard.data(), heard.size()) == 2 && heard[0] == 'h';
}

} // namespace

TEST(local_sockets, connect_by_a_name) {
  auto name = fresh_name();
  EXPECT_FALSE(connect_locally(name));
  auto listener = listen_locally(name);
  ASSERT_TRUE(listener);
  EXPECT_FALSE(listen_locally(name)) << "the name is taken";
  auto caller = connect_locally(name);
  auto called = accepted(listener);
  EXPECT_TRUE(are_connected(caller, called));
  EXPECT_TRUE(is_from_this_process(called.get()));
  listener = {};
  EXPECT_FALSE(connect_locally(name));
}

TEST(local_sockets, tell_another_process_from_this_one) {
  auto name = fresh_name();
  auto listener = listen_locally(name);
  auto child = ::fork();
  if (child == 0) {
    auto caller = connect_locally(name);
    char end;
    while (::read(caller.get(), &end, 1) < 0 && errno == EAGAIN) {
      pollfd wait{caller.get(), POLLIN, 0};
      ::poll(&wait, 1, 10'000);
    }
    ::_exit(0);
  }
  {
    auto called = accepted(listener);
    ASSERT_TRUE(called);
    EXPECT_FALSE(is_from_this_process(called.get()));
  }
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
}

TEST(local_sockets, are_not_inherited) {
  auto name = fresh_name();
  auto listener = listen_locally(name);
  auto caller = connect_locally(name);
  for (auto descriptor : {listener.get(), caller.get()})
    EXPECT_TRUE(::fcntl(descriptor, F_GETFD) & FD_CLOEXEC);
}

} // namespace troupe::tests::local_sockets_test
