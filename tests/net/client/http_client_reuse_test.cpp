#include "net/client/http_client.hpp"

#include "tests/support/http_caller.hpp"

namespace troupe::tests::http_client_reuse_test {

using namespace net;
using namespace std::chrono_literals;

namespace {

using http_client_reuse_test = tidy_test;

void answer_all(peer& one) {
  while (!one.read_request().empty())
    one.say(length_answer(std::to_string(one.number)));
}

/// Answers one request on each connection, then runs `then`.
http_server::script answering_once(const std::function<void(peer&)>& then, const std::string& fields = {}) {
  return [then, fields](peer& one) {
    one.read_request();
    one.say(length_answer(std::to_string(one.number), fields));
    then(one);
  };
}

lines ends_of(const lines& lines_seen) {
  lines result;
  std::copy_if(lines_seen.begin(), lines_seen.end(), std::back_inserter(result),
               [](auto& line) { return line.find(" head ") == line.npos; });
  return result;
}

} // namespace

TEST_F(http_client_reuse_test, uses_a_connection_for_one_call_after_the_other) {
  http_server server{answer_all};
  http_caller caller;
  for (auto i = 0; i < 5; ++i)
    caller.wait_for_end(caller.post(server.url(), "{}"));
  EXPECT_EQ(ends_of(caller.seen.all()), (lines{"1 end 0", "2 end 0", "3 end 0", "4 end 0", "5 end 0"}));
  EXPECT_EQ(server.accepted(), 1u);
}

TEST_F(http_client_reuse_test, has_the_connection_ready_when_the_end_is_told) {
  http_server server{answer_all};
  http_caller caller;
  caller.on_line = [&](auto& line) {
    if (line.starts_with("1 end"))
      caller.start_here({"POST", server.url(), {}, "{}"});
  };
  caller.get(server.url());
  caller.wait_for_end(2);
  EXPECT_EQ(server.accepted(), 1u);
}

TEST_F(http_client_reuse_test, does_not_use_a_connection_for_another_server) {
  http_server one{answer_all}, other{answer_all};
  http_caller caller;
  for (auto url : {one.url(), other.url(), one.url("/x"), other.url("/x")})
    caller.wait_for_end(caller.get(url));
  EXPECT_EQ(one.accepted(), 1u);
  EXPECT_EQ(other.accepted(), 1u);
}

TEST_F(http_client_reuse_test, does_not_use_a_connection_that_the_server_wants_closed) {
  http_server server{answering_once([](peer& one) { EXPECT_TRUE(one.sees_the_end()); }, "Connection: close\r\n")};
  http_caller caller;
  caller.wait_for_end(caller.get(server.url()));
  caller.wait_for_end(caller.get(server.url()));
  EXPECT_EQ(ends_of(caller.seen.all()), (lines{"1 end 0", "2 end 1"}));
}

TEST_F(http_client_reuse_test, leaves_a_connection_that_the_server_closed_while_nobody_used_it) {
  for (auto method : {"POST", "GET"}) {
    std::promise<void> closed;
    http_server server{[&](peer& one) {
      one.read_request();
      one.say(length_answer(std::to_string(one.number)));
      one.leave();
      if (one.number == 0)
        closed.set_value();
    }};
    http_caller caller;
    caller.wait_for_end(caller.start({method, server.url()}));
    closed.get_future().wait();
    caller.wait_for_end(caller.start({method, server.url()}));
    EXPECT_EQ(ends_of(caller.seen.all()), (lines{"1 end 0", "2 end 1"}));
  }
}

TEST_F(http_client_reuse_test, leaves_a_connection_on_which_the_server_spoke_unasked) {
  std::promise<void> spoken;
  http_server server{[&](peer& one) {
    one.read_request();
    one.say(length_answer(std::to_string(one.number)));
    if (one.number > 0)
      return;
    one.say("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
    spoken.set_value();
    EXPECT_TRUE(one.sees_the_end());
  }};
  http_caller caller;
  caller.wait_for_end(caller.get(server.url()));
  spoken.get_future().wait();
  auto second = caller.get(server.url());
  auto lines_seen = caller.wait_for_end(second);
  EXPECT_EQ(std::count(lines_seen.begin(), lines_seen.end(), "2 end evil"), 0);
}

TEST_F(http_client_reuse_test, repeats_a_get_once_when_the_connection_dies_before_a_byte_of_the_answer) {
  http_server server{[](peer& one) {
    one.read_request();
    one.say(length_answer(std::to_string(one.number)));
    one.read_request();
  }};
  for (auto method : {"GET", "DELETE"}) {
    http_caller caller;
    auto before = server.accepted();
    caller.wait_for_end(caller.start({method, server.url()}));
    caller.wait_for_end(caller.start({method, server.url()}));
    EXPECT_EQ(caller.seen.all().back(), "2 end " + std::to_string(before + 1));
  }
}

TEST_F(http_client_reuse_test, does_not_repeat_a_get_on_a_fresh_connection) {
  http_server server{[](peer& one) {
    one.read_request();
    if (one.number > 0)
      return;
    one.say(length_answer("first"));
    one.read_request();
  }};
  http_caller caller;
  caller.wait_for_end(caller.get(server.url()));
  caller.wait_for_end(caller.get(server.url()));
  EXPECT_EQ(ends_of(caller.seen.all()),
            (lines{"1 end first", "2 failed: the server closed the connection without an answer"}));
  EXPECT_EQ(server.accepted(), 2u);
}

TEST_F(http_client_reuse_test, never_repeats_a_post) {
  http_server server{answering_once([](peer& one) { one.read_request(); })};
  http_caller caller;
  caller.wait_for_end(caller.post(server.url(), "{}"));
  caller.wait_for_end(caller.post(server.url(), "{}"));
  EXPECT_EQ(ends_of(caller.seen.all()),
            (lines{"1 end 0", "2 failed: the server closed the connection without an answer"}));
  EXPECT_EQ(server.accepted(), 1u);
}

TEST_F(http_client_reuse_test, does_not_repeat_what_was_answered_in_part) {
  http_server server{answering_once([](peer& one) {
    one.read_request();
    one.say("HTTP/1.1 2");
  })};
  http_caller caller;
  caller.wait_for_end(caller.get(server.url()));
  caller.wait_for_end(caller.get(server.url()));
  EXPECT_EQ(ends_of(caller.seen.all()),
            (lines{"1 end 0", "2 failed: the server closed the connection before the end of its answer"}));
}

TEST_F(http_client_reuse_test, closes_a_connection_that_nobody_uses_for_long) {
  journal ends;
  http_server server{answering_once([&](peer& one) { ends.note(one.sees_the_end() ? "closed" : "open"); })};
  http_caller caller{{.idle = 50ms}};
  caller.wait_for_end(caller.get(server.url()));
  EXPECT_EQ(ends.wait_for(1), lines{"closed"});
}

TEST_F(http_client_reuse_test, keeps_no_more_connections_than_its_limit) {
  for (std::size_t calls : {2, 3, 4}) {
    std::atomic<std::size_t> arrived = 0, closed = 0;
    http_server server{[&](peer& one) {
      one.read_request();
      ++arrived;
      EXPECT_TRUE(eventually([&] { return arrived == calls; }));
      one.say(length_answer(""));
      one.sees_the_end();
      ++closed;
    }};
    http_caller caller{{.idle_connections = 3}};
    for (std::size_t i = 0; i < calls; ++i)
      caller.get(server.url());
    caller.seen.wait_for(calls * 2);
    EXPECT_TRUE(eventually([&] { return closed == (calls > 3 ? 1u : 0u); }));
    caller.settle();
    EXPECT_EQ(closed, calls > 3 ? 1u : 0u);
  }
}

TEST_F(http_client_reuse_test, keeps_none_when_the_request_is_not_written) {
  std::atomic<bool> closed = false;
  http_server server{[&](peer& one) {
    one.say(length_answer("early"));
    while (!one.sees_the_end() && !one.read_request().empty()) {
    }
    closed = true;
  }};
  http_caller caller;
  caller.wait_for_end(caller.post(server.url(), std::string(30'000'000, 'x')));
  EXPECT_EQ(caller.seen.all().back(), "1 end early");
  EXPECT_TRUE(eventually([&] { return closed.load(); }));
}

} // namespace troupe::tests::http_client_reuse_test
