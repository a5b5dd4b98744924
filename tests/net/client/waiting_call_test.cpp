#include "net/client/waiting_call.hpp"

#include "net/server/listening_socket.hpp"
#include "tests/support/http_server.hpp"
#include "tests/support/scratch.hpp"

#include <thread>

namespace troupe::tests::waiting_call_test {

using namespace net;
using namespace std::chrono_literals;

namespace {

http_server::script telling(const std::string& answer) {
  return [answer](peer& one) {
    one.read_request();
    one.say(answer);
    one.sees_the_end();
  };
}

waited_answer answer_of(const http_server& server, const waiting_limits& limits = {}, const piece_taker& piece = {}) {
  return wait_for_answer({.method = "GET", .url = server.url()}, {}, limits, piece);
}

const std::string endless_answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

} // namespace

TEST(waiting_call, sends_what_it_is_given_and_waits_for_the_whole_answer) {
  std::string asked;
  std::optional<http_server> server{[&](peer& one) {
    asked = one.read_request();
    one.say("HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n2\r\nne\r\n0\r\n\r\n");
    one.sees_the_end();
  }};
  http_call call{
      .method = "PUT", .url = server->url("/a?b=c"), .fields = {{"Authorization", "Bearer x"}}, .body = "hi"};
  const auto result = wait_for_answer(call, {}, {});
  server.reset();
  EXPECT_EQ(result.status, 404);
  EXPECT_EQ(result.body, "none");
  EXPECT_EQ(result.why_not, "");
  EXPECT_TRUE(asked.starts_with("PUT /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:")) << asked;
  EXPECT_NE(asked.find("\r\nAuthorization: Bearer x\r\n"), asked.npos);
  EXPECT_TRUE(asked.ends_with("\r\n\r\nhi")) << asked;
}

TEST(waiting_call, takes_an_answer_of_the_longest_length_and_none_that_is_longer) {
  for (auto [size, why] : {std::pair{9U, ""}, {10U, ""}, {11U, "the answer is longer than 10 bytes"}}) {
    http_server server{telling(length_answer(std::string(size, 'x')))};
    EXPECT_EQ(answer_of(server, {.bytes = 10}).why_not, why) << size;
  }
}

TEST(waiting_call, gives_up_when_the_time_is_over) {
  for (const auto* beginning : {"", "HTTP/1.1 200 OK\r\nX: x", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nx"}) {
    http_server server{telling(beginning)};
    EXPECT_EQ(answer_of(server, {.time = 50ms}).why_not, "no whole answer within 50 ms") << beginning;
  }
}

TEST(waiting_call, says_when_nobody_is_there) {
  const scratch folder;
  const auto unused = [] { return http_server{[](peer&) {}}.port(); }();
  const auto call = [](std::uint16_t port) {
    return http_call{.method = "GET", .url = "http://127.0.0.1:" + std::to_string(port) + "/"};
  };
  const auto result = wait_for_answer(call(unused), {}, {});
  EXPECT_TRUE(result.is_unreachable);
  EXPECT_NE(result.why_not.find("Connection refused"), result.why_not.npos) << result.why_not;
  EXPECT_TRUE(wait_for_answer(call(unused), folder.path("none"), {}).is_unreachable);
  const auto too_long = wait_for_answer(call(unused), std::string(200, 'x'), {});
  EXPECT_FALSE(too_long.is_unreachable);
  EXPECT_EQ(too_long.why_not, "File name too long");
}

TEST(waiting_call, says_when_an_answer_is_cut_off_or_none) {
  const std::pair<const char*, const char*> answers[] = {
      {"", "the server closed the connection without an answer"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nx",
       "the server closed the connection before the end of its answer"},
      {"SSH-2.0-x\r\n\r\n", "the server's answer is not HTTP: bad version"}};
  for (auto [answer, why] : answers) {
    http_server server{[answer = answer](peer& one) {
      one.read_request();
      one.say(answer);
    }};
    EXPECT_EQ(answer_of(server).why_not, why);
  }
}

TEST(waiting_call, hands_out_the_pieces_of_a_body_as_they_come_however_long_they_take) {
  std::atomic<bool> taken = false;
  http_server server{[&](peer& one) {
    one.read_request();
    one.say(endless_answer + "2\r\nab\r\n");
    while (!taken)
      std::this_thread::yield();
    one.say("2\r\ncd\r\n0\r\n\r\n");
    one.sees_the_end();
  }};
  std::string seen;
  const auto result = answer_of(server, {.bytes = 1}, [&](std::string_view piece) {
    seen.append(piece).append("|");
    taken = true;
    return true;
  });
  EXPECT_EQ(seen, "ab|cd|");
  EXPECT_EQ(result.status, 200);
  EXPECT_EQ(result.body + result.why_not, "");
}

TEST(waiting_call, ends_when_its_caller_has_enough) {
  http_server server{[](peer& one) {
    one.read_request();
    one.say(endless_answer);
    while (one.say("1\r\nx\r\n"))
      std::this_thread::yield();
  }};
  EXPECT_EQ(answer_of(server, {}, [](std::string_view) { return false; }).why_not, "");
}

TEST(waiting_call, keeps_the_body_of_an_answer_that_is_no_success) {
  http_server server{telling("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno")};
  const auto result = answer_of(server, {}, [](std::string_view) { return false; });
  EXPECT_EQ(result.body, "no");
}

TEST(waiting_call, connects_to_a_unix_socket) {
  const scratch folder;
  boost::asio::io_context context;
  unix_socket socket{folder.path("s")};
  auto acceptor = socket.release(context);
  acceptor.native_non_blocking(false);
  std::string asked;
  std::thread server{[&] {
    peer one{::accept(acceptor.native_handle(), nullptr, nullptr), 0, nullptr};
    asked = one.read_request();
    one.say(length_answer("hello"));
  }};
  const auto result = wait_for_answer({.method = "GET", .url = "http://localhost/x"}, folder.path("s"), {});
  server.join();
  EXPECT_EQ(result.body, "hello") << result.why_not;
  EXPECT_TRUE(asked.starts_with("GET /x HTTP/1.1\r\nHost: localhost\r\n")) << asked;
}

} // namespace troupe::tests::waiting_call_test
