#include "net/endpoint.hpp"

#include "net/owned_descriptor.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

namespace troupe::tests::endpoint_test {

using namespace net;

namespace {

/// Starts a connection.
owned_descriptor ask(std::uint16_t port) {
  owned_descriptor result{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  sockaddr_in to{AF_INET, htons(port), {htonl(INADDR_LOOPBACK)}, {}};
  ::connect(result.get(), reinterpret_cast<sockaddr*>(&to), sizeof to);
  return result;
}

/// Whether the connection is established. On the same machine that happens immediately, or not before the next attempt.
bool is_made(const owned_descriptor& one) {
  pollfd what{one.get(), POLLOUT, 0};
  return ::poll(&what, 1, 0) == 1 && (what.revents & POLLERR) == 0;
}

} // namespace

TEST(endpoint, begins_no_handshakes_and_gives_those_that_were_done) {
  boost::asio::io_context context;
  auto acceptor = listen_at(context, "127.0.0.1", 0);
  const auto port = acceptor.local_endpoint().port();
  auto before = ask(port);
  ASSERT_TRUE(is_made(before));
  begin_no_handshakes(acceptor);
  auto after = ask(port);
  EXPECT_FALSE(is_made(after));
  acceptor.non_blocking(true);
  boost::system::error_code error;
  auto accepted = acceptor.accept(error);
  EXPECT_FALSE(error) << error.message();
  acceptor.accept(error);
  EXPECT_EQ(error, boost::asio::error::would_block);
}

} // namespace troupe::tests::endpoint_test
