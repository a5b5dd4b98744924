#include "net/client/http_fetch.hpp"

#include "tests/support/http_caller.hpp"

#include <future>

namespace troupe::tests::http_fetch_test {

using namespace net;
using namespace std::chrono_literals;

namespace {

using http_fetch_test = tidy_test;

/// The result of a fetch of that URL.
fetched fetch_from(const std::string& url, const fetch_limits& limits = {}, reach may = reach::any) {
  io_thread thread;
  std::optional<http_client> client;
  std::promise<fetched> fetch_done;
  auto result = fetch_done.get_future();
  run_on(thread, [&] {
    client.emplace(thread, http_client_options{});
    fetch(*client, {.method = "GET", .url = url, .may = may}, limits,
          [&](fetched what) { fetch_done.set_value(what); });
  });
  auto in_time = result.wait_for(patience) == std::future_status::ready;
  EXPECT_TRUE(in_time);
  run_on(thread, [&] { client.reset(); });
  return in_time ? result.get() : fetched{};
}

http_server::script answering(const std::string& answer) {
  return [answer](peer& one) {
    one.read_request();
    one.say(answer);
    one.sees_the_end();
  };
}

} // namespace

TEST_F(http_fetch_test, gathers_an_answer) {
  http_server server{
      answering("HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n2\r\nne\r\n0\r\n\r\n")};
  auto result = fetch_from(server.url());
  EXPECT_EQ(result.status, 404);
  EXPECT_EQ(result.body, "none");
  EXPECT_EQ(result.why_not, "");
}

TEST_F(http_fetch_test, takes_an_answer_of_the_longest_length_and_none_that_is_longer) {
  for (auto [size, status] : {std::pair{9U, 200}, {10U, 200}, {11U, 0}}) {
    http_server server{answering(length_answer(std::string(size, 'x')))};
    auto result = fetch_from(server.url(), {.bytes = 10});
    EXPECT_EQ(result.status, status) << size;
    EXPECT_EQ(result.body.size(), status == 200 ? size : 0) << size;
    EXPECT_EQ(result.why_not, status == 200 ? "" : "the answer is longer than 10 bytes") << size;
  }
}

TEST_F(http_fetch_test, ends_an_answer_that_never_ends) {
  http_server server{[](peer& one) {
    one.read_request();
    one.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    while (one.say("1\r\nx\r\n"))
      std::this_thread::yield();
  }};
  EXPECT_EQ(fetch_from(server.url(), {.bytes = std::size_t{1} << 40U, .time = 50ms}).why_not,
            "timed out after 50 ms before the answer was complete");
}

// The client's own limits are minutes.
TEST_F(http_fetch_test, ends_a_head_that_never_ends) {
  http_server server{[](peer& one) {
    one.read_request();
    one.say("HTTP/1.1 200 OK\r\nX: x");
    one.sees_the_end();
  }};
  EXPECT_EQ(fetch_from(server.url(), {.time = 50ms}).why_not, "timed out after 50 ms before the answer was complete");
}

TEST_F(http_fetch_test, ends_an_answer_that_stops_in_its_middle) {
  http_server server{[](peer& one) {
    one.read_request();
    one.say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nx");
    one.sees_the_end();
  }};
  EXPECT_EQ(fetch_from(server.url(), {.time = 50ms}).why_not, "timed out after 50 ms before the answer was complete");
}

// An actor's state is destroyed on the thread that drops its last handle.
TEST_F(http_fetch_test, may_lose_its_client_on_another_thread_while_an_answer_comes) {
  http_server server{[](peer& one) {
    one.read_request();
    one.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    while (one.say("1\r\nx\r\n"))
      std::this_thread::yield();
  }};
  for (auto i = 0; i < 50; ++i) {
    io_thread thread;
    auto client = std::make_unique<http_client>(thread, http_client_options{});
    std::atomic<bool> is_done = false;
    run_on(thread, [&] {
      fetch(*client, {.method = "GET", .url = server.url()}, {.bytes = 1000}, [&](const fetched&) { is_done = true; });
    });
    const auto is_under_way = [&] {
      return i % 2 != 0 || is_done || server.accepted() > static_cast<std::size_t>(i) / 2;
    };
    EXPECT_TRUE(eventually(is_under_way));
    client.reset();
  }
}

TEST_F(http_fetch_test, tells_why_there_is_no_answer) {
  http_server server{[](peer& one) {
    one.read_request();
    one.leave();
  }};
  auto result = fetch_from(server.url());
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.why_not, "");
}

TEST_F(http_fetch_test, reaches_public_addresses_only_where_it_is_told_to) {
  http_server server{answering(length_answer("secret"))};
  for (auto host : {"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "0"}) {
    auto result = fetch_from(server.url("/", host), {}, reach::public_only);
    EXPECT_EQ(result.status, 0) << host;
    EXPECT_NE(result.why_not, "") << host;
  }
  EXPECT_EQ(server.accepted(), 0U);
}

} // namespace troupe::tests::http_fetch_test
