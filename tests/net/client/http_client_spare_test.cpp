#include "net/client/http_client.hpp"
#include "net/spare_connections.hpp"
#include "tests/support/http_caller.hpp"

#include <sys/resource.h>

namespace troupe::tests::http_client_spare_test {

using namespace net;
using namespace std::chrono_literals;
using troupe::protocol::call_priority;

namespace {

/// Begins an answer without ending it.
void begin_answer(peer& one) {
  one.read_request();
  one.say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n");
  one.sees_the_end();
}

void answer_one(peer& one) {
  one.read_request();
  one.say(length_answer("x"));
  one.sees_the_end();
}

/// Makes every attempt to open a descriptor fail.
class no_descriptors {
public:
  no_descriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    auto none = before_;
    none.rlim_cur = 0;
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~no_descriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  no_descriptors(const no_descriptors&) = delete;
  no_descriptors& operator=(const no_descriptors&) = delete;

private:
  rlimit before_;
};

/// Each test must stop its caller, because the server waits for the end of its connections.
struct http_client_spare_test : tidy_test {
  http_caller caller;

  std::uint64_t asks(const http_server& whom) {
    auto call = caller.start({.method = "POST", .url = whom.url(), .body = "{}", .turn = call_priority::request});
    EXPECT_TRUE(eventually([&] { return is_told(call, " head 200"); }));
    return call;
  }
  bool is_told(std::uint64_t call, const std::string& what) const {
    auto all = caller.seen.all();
    return std::ranges::find(all, std::to_string(call) + what) != all.end();
  }
  void rest(std::uint64_t call) {
    run_on(caller.thread(), [&] { caller.client().rest(call); });
  }
  bool close_oldest() {
    bool result = false;
    run_on(caller.thread(), [&] { result = caller.thread().spare().close_oldest(); });
    return result;
  }
};

const std::string taken = " failed: its connection was needed for another";

} // namespace

// A server has a limit of open files too, which would be reached long before ours.
TEST_F(http_client_spare_test, lets_a_few_dozen_calls_to_a_server_rest) {
  http_server server{begin_answer};
  std::vector<std::uint64_t> calls;
  for (int i = 0; i < 33; ++i)
    calls.push_back(asks(server));
  for (std::size_t i = 0; i < 32; ++i)
    rest(calls[i]);
  EXPECT_FALSE(is_told(calls[0], taken));
  rest(calls[32]);
  EXPECT_TRUE(eventually([&] { return is_told(calls[0], taken); }));
  EXPECT_FALSE(is_told(calls[1], taken));
  caller.stop();
}

TEST_F(http_client_spare_test, ends_a_call_that_rests_when_its_connection_is_needed) {
  http_server server{begin_answer};
  auto busy = asks(server), resting = asks(server);
  EXPECT_FALSE(close_oldest());
  rest(resting);
  EXPECT_TRUE(close_oldest());
  EXPECT_TRUE(eventually([&] { return is_told(resting, taken); }));
  EXPECT_FALSE(close_oldest());
  EXPECT_FALSE(is_told(busy, taken));
  caller.stop();
}

TEST_F(http_client_spare_test, ends_no_call_that_is_over) {
  http_server server{begin_answer};
  auto one = asks(server);
  rest(one);
  rest(one);
  caller.abort(one);
  rest(one);
  EXPECT_FALSE(close_oldest());
  caller.stop();
}

TEST_F(http_client_spare_test, closes_a_kept_connection_when_it_is_needed) {
  http_server server{answer_one};
  caller.wait_for_end(asks(server));
  EXPECT_TRUE(close_oldest());
  EXPECT_FALSE(close_oldest());
  caller.wait_for_end(asks(server));
  EXPECT_EQ(server.accepted(), 2U);
  caller.stop();
}

TEST_F(http_client_spare_test, takes_a_kept_connection_for_a_call_and_none_else) {
  http_server server{[](peer& one) {
    while (!one.read_request().empty())
      one.say(length_answer("x"));
  }};
  for (auto i = 0; i < 3; ++i)
    caller.wait_for_end(asks(server));
  EXPECT_EQ(server.accepted(), 1U);
  EXPECT_TRUE(close_oldest());
  EXPECT_FALSE(close_oldest());
  caller.stop();
}

TEST_F(http_client_spare_test, gives_up_what_rests_before_a_call_fails_for_want_of_a_descriptor) {
  http_server server{begin_answer};
  auto resting = asks(server), other = asks(server);
  rest(resting);
  rest(other);
  no_descriptors now;
  auto failing = caller.start({.method = "GET", .url = server.url()});
  EXPECT_TRUE(eventually([&] { return is_told(resting, taken) && is_told(other, taken); }));
  caller.wait_for_end(failing);
  auto is_its_failure = [&](auto& line) { return line.starts_with(std::to_string(failing) + " failed"); };
  const auto all = caller.seen.all();
  EXPECT_TRUE(std::ranges::any_of(all, is_its_failure));
  caller.stop();
}

} // namespace troupe::tests::http_client_spare_test
