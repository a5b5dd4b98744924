// Counts of clients that are refused before they have an exchange, by reason. TLS is in `tls_handshake_test.cpp`.

#include "net/server/admission.hpp"

#include "tests/support/plain_get.hpp"
#include "tests/support/test_listener.hpp"

namespace troupe::tests::refusal_counts_test {

using namespace net;
using namespace std::chrono_literals;

namespace {

using refusal_counts_test = tidy_test;

/// The status of the answer to these bytes.
int status_of(test_listener& at, const std::string& sent) {
  tcp_client client{at.port()};
  client.send(sent);
  return client.status();
}

std::uint64_t all_of(const test_listener& at) {
  std::uint64_t result = 0;
  for (auto why : {refusal::connections, refusal::connections_of_address, refusal::handshake, refusal::unreadable,
                   refusal::too_large, refusal::too_slow})
    result += at.totals.refusals->of(why);
  return result;
}

} // namespace

TEST_F(refusal_counts_test, are_of_what_is_no_request) {
  connection_limits limits;
  limits.header = 1000;
  limits.body = 1000;
  limits.header_time = 200ms;
  test_listener at{limits, [](auto& one) { one.respond(text_answer("fine")); }};
  EXPECT_EQ(status_of(at, plain_get), 200);
  EXPECT_EQ(all_of(at), 0U);
  EXPECT_EQ(status_of(at, "no request at all\r\n\r\n"), 400);
  EXPECT_EQ(at.totals.refusals->of(refusal::unreadable), 1U);
  EXPECT_EQ(status_of(at, "GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(1001, 'x') + "\r\n\r\n"), 431);
  EXPECT_EQ(status_of(at, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n"), 413);
  EXPECT_EQ(at.totals.refusals->of(refusal::too_large), 2U);
  EXPECT_EQ(status_of(at, "GET / HTTP/1.1\r\n"), 408);
  EXPECT_EQ(at.totals.refusals->of(refusal::too_slow), 1U);
  EXPECT_EQ(all_of(at), 4U);
}

TEST_F(refusal_counts_test, are_of_those_for_whom_there_is_no_room) {
  connection_limits limits;
  limits.connections = 1;
  test_listener at{limits};
  tcp_client busy{at.port()};
  busy.send(plain_get);
  at.seen.wait_for(1);
  EXPECT_EQ(status_of(at, plain_get), 503);
  EXPECT_EQ(at.totals.refusals->of(refusal::connections), 1U);
  at.respond(0, "fine");
  EXPECT_EQ(busy.status(), 200);
  at.settle();
  tcp_client second{at.port()}; // the first connection, already answered, is closed for it
  second.send(plain_get);
  at.seen.wait_for(2);
  EXPECT_EQ(all_of(at), 1U);
}

TEST_F(refusal_counts_test, are_of_addresses_with_too_many_connections) {
  auto one_each = std::make_shared<connections_by_address>(1, [](const std::string& from) { return from; });
  test_listener at{{}, {}, 1, 1024 * 1024, one_each};
  tcp_client first{at.port()};
  first.send(plain_get);
  at.seen.wait_for(1);
  EXPECT_EQ(status_of(at, plain_get), 429);
  EXPECT_EQ(at.totals.refusals->of(refusal::connections_of_address), 1U);
  EXPECT_EQ(all_of(at), 1U);
}

} // namespace troupe::tests::refusal_counts_test
