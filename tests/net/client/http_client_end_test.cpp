#include "net/client/http_client.hpp"

#include "tests/support/http_caller.hpp"

namespace troupe::tests::http_client_end_test {

using namespace net;
using namespace std::chrono_literals;

namespace {

/// Starts an endless answer and records how it ends.
class http_client_end_test : public tidy_test {
protected:
  http_server::script streaming() {
    return [this](peer& one) {
      requests.note(one.read_request());
      one.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
      ends.note(one.sees_the_end() ? "closed" : "open");
    };
  }
  http_server::script silent() {
    return [this](peer& one) {
      requests.note(one.read_request());
      ends.note(one.sees_the_end() ? "closed" : "open");
    };
  }

  journal requests, ends;
};

} // namespace

// -- abort -----------------------------------------------------------------------------

TEST_F(http_client_end_test, aborts_a_call_in_the_middle_of_its_body_silently) {
  http_server server{streaming()};
  http_caller caller;
  caller.wants_pieces = true;
  caller.get(server.url());
  caller.seen.wait_for("1 > one");
  caller.abort(1);
  EXPECT_EQ(ends.wait_for(1), lines{"closed"});
  caller.stop();
  EXPECT_EQ(caller.seen.all(), (lines{"1 head 200", "1 > one"}));
}

TEST_F(http_client_end_test, aborts_a_call_before_its_answer) {
  http_server server{silent()};
  http_caller caller;
  caller.get(server.url());
  requests.wait_for(1);
  caller.abort(1);
  EXPECT_EQ(ends.wait_for(1), lines{"closed"});
  caller.stop();
  EXPECT_EQ(caller.seen.all(), lines{});
}

TEST_F(http_client_end_test, aborts_a_call_that_has_not_begun) {
  http_server server{silent()};
  http_caller caller;
  run_on(caller.thread(), [&] { caller.client().abort(caller.start_here({"GET", server.url()})); });
  caller.stop();
  EXPECT_EQ(caller.seen.all(), lines{});
  EXPECT_EQ(server.accepted(), 0u);
}

TEST_F(http_client_end_test, ignores_an_abort_of_a_call_that_is_over_or_never_was) {
  http_server server{[](peer& one) {
    while (!one.read_request().empty())
      one.say(length_answer("x"));
  }};
  http_caller caller;
  caller.wait_for_end(caller.get(server.url()));
  caller.abort(1);
  caller.abort(0);
  caller.abort(77);
  caller.wait_for_end(caller.get(server.url()));
  EXPECT_EQ(caller.seen.all(), (lines{"1 head 200", "1 end x", "2 head 200", "2 end x"}));
}

TEST_F(http_client_end_test, may_be_told_to_abort_from_any_event) {
  for (std::string when : {"1 head 200", "1 > one"}) {
    http_server server{streaming()};
    http_caller caller;
    caller.wants_pieces = true;
    caller.on_line = [&](auto& line) {
      if (line == when)
        caller.client().abort(1);
    };
    caller.get(server.url());
    EXPECT_EQ(caller.seen.wait_for(when).back(), when);
    caller.settle();
    caller.stop();
    EXPECT_EQ(caller.seen.all().back(), when);
  }
}

TEST_F(http_client_end_test, may_be_told_to_abort_from_the_last_event) {
  http_server server{[](peer& one) {
    one.read_request();
    one.say(length_answer(""));
  }};
  http_caller caller;
  caller.on_line = [&](auto& line) { caller.client().abort(line.starts_with("1 ") ? 1 : 2); };
  caller.start({"GET", "nonsense"});
  EXPECT_TRUE(caller.wait_for_end(1).back().starts_with("1 failed"));
  caller.get(server.url());
  EXPECT_EQ(caller.seen.wait_for("2 head 200").back(), "2 head 200");
  caller.settle();
}

// -- destruction -----------------------------------------------------------------------

TEST_F(http_client_end_test, aborts_every_call_when_it_is_destroyed) {
  http_server streams{streaming()}, waits{silent()};
  http_caller caller;
  caller.wants_pieces = true;
  caller.get(streams.url());
  caller.seen.wait_for("1 > one");
  caller.get(waits.url());
  requests.wait_for(2);
  caller.stop();
  EXPECT_EQ(ends.wait_for(2), (lines{"closed", "closed"}));
  EXPECT_EQ(caller.seen.all(), (lines{"1 head 200", "1 > one"}));
}

TEST_F(http_client_end_test, closes_idle_connections_when_it_is_destroyed) {
  http_server server{[this](peer& one) {
    one.read_request();
    one.say(length_answer(""));
    ends.note(one.sees_the_end() ? "closed" : "open");
  }};
  http_caller caller;
  caller.wait_for_end(caller.get(server.url()));
  caller.let_go();
  EXPECT_EQ(ends.wait_for(1), lines{"closed"});
}

TEST_F(http_client_end_test, may_be_destroyed_from_an_event_and_is_silent_after_that) {
  http_server server{streaming()};
  http_caller caller;
  caller.wants_pieces = true;
  caller.on_line = [&](auto&) { caller.let_go(); };
  caller.get(server.url());
  EXPECT_EQ(ends.wait_for(1), lines{"closed"});
  caller.settle();
  caller.stop();
  EXPECT_EQ(caller.seen.all(), lines{"1 head 200"});
}

TEST_F(http_client_end_test, may_be_destroyed_at_any_moment) {
  http_server server{[](peer& one) {
    while (!one.read_request().empty())
      one.say(length_answer(std::string(100'000, 'x')));
  }};
  for (auto i = 0; i < 100; ++i) {
    http_caller caller;
    for (auto call = 0; call < 3; ++call)
      caller.get(server.url());
    caller.seen.wait_for(static_cast<std::size_t>(i % 6));
  }
}

TEST_F(http_client_end_test, may_be_destroyed_while_it_resolves_connects_or_shakes_hands) {
  http_server plain{silent()};
  auto https = "https" + plain.url().substr(4);
  for (auto i = 0; i < 20; ++i) {
    http_caller caller;
    caller.get("http://no-such-host.invalid/");
    caller.get(plain.url());
    caller.get(https);
  }
}

// -- end -------------------------------------------------------------------------------

TEST_F(http_client_end_test, bids_farewell_although_it_is_destroyed) {
  journal answered;
  http_server server{[&](peer& one) {
    auto request = one.read_request();
    requests.note(request.substr(0, request.find("\r\n")));
    one.say("HTTP/1.1 204 \r\n\r\n");
    ends.note(one.sees_the_end() ? "closed" : "open");
  }};
  http_caller caller;
  caller.client().send_last({"DELETE", server.url("/mcp")}, patience);
  caller.stop();
  EXPECT_EQ(requests.wait_for(1), lines{"DELETE /mcp HTTP/1.1"});
  EXPECT_EQ(ends.wait_for(1), lines{"closed"});
}

TEST_F(http_client_end_test, bids_farewell_on_a_connection_that_it_has) {
  http_server server{[&](peer& one) {
    for (std::string request; !(request = one.read_request()).empty();) {
      requests.note(request.substr(0, request.find("\r\n")));
      one.say(length_answer(""));
    }
  }};
  http_caller caller;
  caller.wait_for_end(caller.get(server.url()));
  run_on(caller.thread(), [&] {
    caller.client().send_last({"DELETE", server.url()}, patience);
    caller.let_go();
  });
  EXPECT_EQ(requests.wait_for(2), (lines{"GET / HTTP/1.1", "DELETE / HTTP/1.1"}));
  EXPECT_EQ(server.accepted(), 1u);
}

TEST_F(http_client_end_test, bids_farewell_no_longer_than_its_limit) {
  http_server waits{silent()}, streams{[](peer&one) {
    one.read_request();
    one.say("HTTP/1.1 200 OK\r\n\r\n");
    while (one.say(std::string(1000, 'x')))
      ::usleep(1000);
  }};
  auto begin = std::chrono::steady_clock::now();
  http_caller caller;
  caller.client().send_last({"DELETE", waits.url()}, 100ms);
  caller.client().send_last({"DELETE", streams.url()}, 100ms);
  caller.stop();
  auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(took, 100ms);
  EXPECT_LT(took, patience);
  EXPECT_EQ(ends.wait_for(1), lines{"closed"});
}

TEST_F(http_client_end_test, bids_farewell_even_to_nobody) {
  http_caller caller;
  caller.client().send_last({"DELETE", "http://127.0.0.1:1/"}, patience);
  caller.client().send_last({"DELETE", "nonsense"}, patience);
  caller.stop();
  EXPECT_EQ(caller.seen.all(), lines{});
}

} // namespace troupe::tests::http_client_end_test
