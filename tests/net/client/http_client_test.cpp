#include "net/client/http_client.hpp"

#include "tests/support/http_caller.hpp"

namespace troupe::tests::http_client_test {

using namespace net;
using namespace std::chrono_literals;

namespace {

using http_client_test = tidy_test;

/// Answers every request with its request line.
void echo(peer& one) {
  for (std::string request; !(request = one.read_request()).empty();)
    one.say(length_answer(request.substr(0, request.find("\r\n"))));
}

http_server::script saying(std::string text) {
  return [text = std::move(text)](peer& one) {
    one.read_request();
    one.say(text);
  };
}

} // namespace

// -- requests --------------------------------------------------------------------------

TEST_F(http_client_test, sends_the_request_as_it_is_told_to) {
  journal requests;
  http_server server{[&](peer& one) {
    requests.note(one.read_request());
    one.say(length_answer("fine"));
  }};
  http_caller caller;
  caller.start({"POST", server.url("/mcp?x=1"), {{"Accept", "text/event-stream"}, {"X-Empty", ""}}, "{}"});
  EXPECT_EQ(caller.wait_for_end(1), (lines{"1 head 200", "1 end fine"}));
  EXPECT_EQ(requests.all(), lines{"POST /mcp?x=1 HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) +
                                  "\r\nUser-Agent: troupe/1.0.0\r\nAccept: text/event-stream\r\nX-Empty: \r\n"
                                  "Content-Length: 2\r\nConnection: keep-alive\r\n\r\n{}"});
}

TEST_F(http_client_test, says_that_a_post_has_no_body_but_not_that_a_get_has_none) {
  journal requests;
  http_server server{[&](peer& one) {
    requests.note(one.read_request());
    one.say(length_answer(""));
  }};
  http_caller caller{{.idle_connections = 0}};
  caller.wait_for_end(caller.post(server.url(), ""));
  caller.wait_for_end(caller.get(server.url()));
  EXPECT_NE(requests.all().at(0).find("Content-Length: 0\r\n"), std::string::npos);
  EXPECT_EQ(requests.all().at(1).find("Content-Length"), std::string::npos);
}

TEST_F(http_client_test, lets_the_caller_name_host_and_agent) {
  journal requests;
  http_server server{[&](peer& one) {
    requests.note(one.read_request());
    one.say(length_answer(""));
  }};
  http_caller caller;
  caller.start({"GET", server.url(), {{"host", "other"}, {"user-agent", "me"}}});
  caller.wait_for_end(1);
  EXPECT_EQ(requests.all(), lines{"GET / HTTP/1.1\r\nhost: other\r\nuser-agent: me\r\nConnection: keep-alive\r\n\r\n"});
}

TEST_F(http_client_test, sends_nothing_when_the_request_could_be_read_as_another_one) {
  http_server server{echo};
  http_caller caller;
  using namespace std::string_literals;
  auto at = server.url();
  std::vector<std::pair<http_call, std::string>> bad{
      {{"GET", at, {{"X", "a\r\nY: b"}}}, "the request's field X has a control character in its value"},
      {{"GET", at, {{"X", "a\nb"}}}, "the request's field X has a control character in its value"},
      {{"GET", at, {{"X", "a\0b"s}}}, "the request's field X has a control character in its value"},
      {{"GET", at, {{"X\r\nY", "b"}}}, "the request has a field with no good name"},
      {{"GET", at, {{"X:", "b"}}}, "the request has a field with no good name"},
      {{"GET", at, {{"", "b"}}}, "the request has a field with no good name"},
      {{"GET", at, {{"content-length", "5"}}}, "the request's field content-length is not for the caller to say"},
      {{"POST", at, {{"Transfer-Encoding", "chunked"}}},
       "the request's field Transfer-Encoding is not for the caller to say"},
      {{"GET /\r\n", at}, "the request has no good method"},
      {{"", at}, "the request has no good method"},
      {{"GET", at + "a b"}, "the URL has a character that must be escaped"},
      {{"GET", "http://u:p@127.0.0.1/"}, "the URL has a user in it"},
  };
  for (auto& [call, why] : bad) {
    auto number = caller.start(call);
    EXPECT_EQ(caller.wait_for_end(number).back(), std::to_string(number) + " failed: " + why);
  }
  EXPECT_EQ(server.accepted(), 0u);
}

TEST_F(http_client_test, sends_a_large_body_while_the_server_already_answers) {
  std::string body(8'000'000, 'x');
  http_server server{[&](peer& one) {
    one.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    auto request = one.read_request();
    one.say(request.ends_with("\r\n\r\n" + body) ? "3\r\nall\r\n0\r\n\r\n" : "4\r\npart\r\n0\r\n\r\n");
  }};
  http_caller caller;
  EXPECT_EQ(caller.wait_for_end(caller.post(server.url(), body)), (lines{"1 head 200", "1 end all"}));
}

TEST_F(http_client_test, hears_an_answer_that_comes_before_the_server_stops_reading) {
  http_server server{[&](peer& one) {
    one.say("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno");
    one.sees_the_end();
  }};
  http_caller caller;
  EXPECT_EQ(caller.wait_for_end(caller.post(server.url(), std::string(30'000'000, 'x'))),
            (lines{"1 head 413", "1 end no"}));
}

// -- answers ---------------------------------------------------------------------------

TEST_F(http_client_test, tells_the_fields_of_the_head) {
  http_server server{saying(length_answer("", "Mcp-Session-Id: abc\r\nX: 1\r\nX: 2\r\n"))};
  http_caller caller;
  caller.wait_for_end(caller.get(server.url()));
  EXPECT_EQ(caller.last_head.field("mcp-session-id"), "abc");
  EXPECT_EQ(caller.last_head.field("x"), "1");
  EXPECT_EQ(caller.last_head.field("y"), "");
  EXPECT_EQ(caller.last_head.fields.size(), 4u);
}

TEST_F(http_client_test, tells_the_body_as_it_arrives) {
  std::promise<void> heard_one, heard_two;
  http_server server{[&](peer& one) {
    one.read_request();
    one.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
    heard_one.get_future().wait_for(patience);
    one.say("3\r\ntwo\r\n");
    heard_two.get_future().wait_for(patience);
    one.say("0\r\n\r\n");
  }};
  http_caller caller;
  caller.wants_pieces = true;
  caller.get(server.url());
  EXPECT_EQ(caller.seen.wait_for("1 > one"), (lines{"1 head 200", "1 > one"}));
  heard_one.set_value();
  EXPECT_EQ(caller.seen.wait_for("1 > two").back(), "1 > two");
  heard_two.set_value();
  EXPECT_EQ(caller.wait_for_end(1), (lines{"1 head 200", "1 > one", "1 > two", "1 end onetwo"}));
}

TEST_F(http_client_test, reads_until_the_server_closes_when_there_is_no_length) {
  http_server server{saying("HTTP/1.1 200 OK\r\n\r\nall of it")};
  http_caller caller;
  EXPECT_EQ(caller.wait_for_end(caller.get(server.url())), (lines{"1 head 200", "1 end all of it"}));
}

TEST_F(http_client_test, takes_answers_without_a_body) {
  http_server server{[](peer& one) {
    for (auto text :
         {"HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"}) {
      one.read_request();
      one.say(text);
    }
    one.read_request();
  }};
  http_caller caller;
  for (auto method : {"GET", "GET", "HEAD", "POST"})
    caller.wait_for_end(caller.start({method, server.url()}));
  EXPECT_EQ(caller.seen.all(),
            (lines{"1 head 204", "1 end ", "2 head 304", "2 end ", "3 head 200", "3 end ", "4 head 202", "4 end "}));
  EXPECT_EQ(server.accepted(), 1u);
}

// RFC 9110, 15.4.8 and 15.4.9
TEST_F(http_client_test, follows_one_redirect_of_its_origin_when_told_to) {
  for (const std::string status : {"307 Temporary Redirect", "308 Permanent Redirect"})
    for (const std::string rest : {"Content-Length: 0\r\n\r\n", "Content-Length: 9\r\n\r\npart"}) {
      journal requests;
      http_server server{[&](peer& one) {
        for (std::string request; !(request = one.read_request()).empty();) {
          requests.note(request);
          one.say(request.starts_with("POST /there") ? length_answer("fine")
                                                     : "HTTP/1.1 " + status + "\r\nLocation: /there?a=b#c\r\n" + rest);
        }
      }};
      http_caller caller;
      http_call call{"POST", server.url(), {{"X-Mine", "x"}}, "what"};
      call.follows = true;
      EXPECT_EQ(caller.wait_for_end(caller.start(call)), (lines{"1 head 200", "1 end fine"})) << status << rest;
      ASSERT_EQ(requests.all().size(), 2u);
      EXPECT_TRUE(requests.all()[1].starts_with("POST /there?a=b HTTP/1.1\r\n")) << requests.all()[1];
      EXPECT_NE(requests.all()[1].find("X-Mine: x\r\n"), std::string::npos);
      EXPECT_TRUE(requests.all()[1].ends_with("what")) << requests.all()[1];
    }
}

// RFC 9110, 15.4.2 and 15.4.3
TEST_F(http_client_test, follows_redirects_of_a_get_that_would_change_other_requests) {
  for (const std::string status : {"301", "302", "303", "304", "307", "308"}) {
    http_server server{[&](peer& one) {
      for (std::string request; !(request = one.read_request()).empty();)
        one.say(request.starts_with("GET /there")
                    ? length_answer("fine")
                    : "HTTP/1.1 " + status + " x\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n");
    }};
    http_caller caller;
    http_call call{"GET", server.url()};
    call.follows = true;
    const auto is_followed = status != "303" && status != "304";
    EXPECT_EQ(caller.wait_for_end(caller.start(call)),
              (is_followed ? lines{"1 head 200", "1 end fine"} : lines{"1 head " + status, "1 end "}))
        << status;
  }
}

TEST_F(http_client_test, follows_no_second_redirect_and_none_that_leads_elsewhere_or_changes_the_request) {
  for (const std::string location :
       {"/again", "http://127.0.0.1:1/", "https://127.0.0.1/", "//evil.example/", "::", ""})
    for (const std::string status : {"301", "302", "303", "307"}) {
      http_server server{saying("HTTP/1.1 " + status + " x\r\nLocation: " + location +
                                "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")};
      http_caller caller;
      http_call call{"POST", server.url()};
      call.follows = true;
      EXPECT_EQ(caller.wait_for_end(caller.start(call)), (lines{"1 head " + status, "1 end "})) << location;
      EXPECT_EQ(server.accepted(), status == "307" && location == "/again" ? 2u : 1u) << location << status;
    }
}

TEST_F(http_client_test, does_not_follow_redirects) {
  http_server server{saying("HTTP/1.1 307 Temporary Redirect\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n")};
  http_caller caller;
  EXPECT_EQ(caller.wait_for_end(caller.get(server.url())), (lines{"1 head 307", "1 end "}));
  EXPECT_EQ(caller.last_head.field("Location"), "/there");
  EXPECT_EQ(server.accepted(), 1u);
}

TEST_F(http_client_test, streams_a_huge_body_without_keeping_it) {
  constexpr std::size_t size = 256 * 1024 * 1024;
  http_server server{[&](peer& one) {
    one.read_request();
    one.say("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n");
    std::string piece(1024 * 1024, 'x');
    for (std::size_t sent = 0; sent < size && one.say(piece); sent += piece.size()) {
    }
  }};
  std::atomic<std::size_t> received = 0, largest = 0;
  std::promise<void> ended;
  http_caller caller;
  run_on(caller.thread(), [&] {
    caller.client().start({"GET", server.url()}, {{},
                                                  [&](const std::string& bytes) {
                                                    received += bytes.size();
                                                    largest = std::max(largest.load(), bytes.size());
                                                  },
                                                  [&] { ended.set_value(); },
                                                  {}});
  });
  EXPECT_EQ(ended.get_future().wait_for(patience), std::future_status::ready);
  EXPECT_EQ(received, size);
  EXPECT_LE(largest, 64 * 1024u);
}

TEST_F(http_client_test, fails_the_call_when_the_answer_ends_too_early) {
  for (auto text : {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"}) {
    http_server server{saying(text)};
    http_caller caller;
    EXPECT_EQ(caller.wait_for_end(caller.get(server.url())),
              (lines{"1 head 200", "1 failed: the server closed the connection before the end of its answer"}));
  }
}

TEST_F(http_client_test, fails_the_call_when_there_is_no_answer) {
  http_server closing{[](peer& one) { one.read_request(); }};
  http_server resetting{[](peer& one) {
    one.read_request();
    one.reset();
  }};
  http_caller caller;
  caller.wait_for_end(caller.get(closing.url()));
  caller.wait_for_end(caller.get(resetting.url()));
  EXPECT_EQ(caller.seen.all(), (lines{"1 failed: the server closed the connection without an answer",
                                      "2 failed: the connection was lost: Connection reset by peer"}));
  EXPECT_EQ(closing.accepted() + resetting.accepted(), 2u);
}

TEST_F(http_client_test, fails_the_call_when_the_answer_is_garbage) {
  http_server server{[](peer& one) {
    one.read_request();
    one.say(std::string(1'000'000, '\x16'));
  }};
  http_caller caller;
  EXPECT_TRUE(caller.wait_for_end(caller.get(server.url())).back().starts_with("1 failed: the server's answer is not"));
}

// -- many objects ----------------------------------------------------------------------

TEST_F(http_client_test, makes_many_calls_at_once) {
  std::atomic<int> waiting = 0;
  http_server server{[&](peer& one) {
    auto request = one.read_request();
    ++waiting;
    EXPECT_TRUE(eventually([&] { return waiting == 20; }));
    one.say(length_answer(request.substr(0, request.find(" HTTP"))));
  }};
  http_caller caller;
  for (auto i = 1; i <= 20; ++i)
    caller.get(server.url("/" + std::to_string(i)));
  auto lines_seen = caller.seen.wait_for(40);
  for (auto i = std::uint64_t{1}; i <= 20; ++i)
    EXPECT_EQ(std::count(lines_seen.begin(), lines_seen.end(), std::to_string(i) + " end GET /" + std::to_string(i)), 1)
        << i;
  EXPECT_EQ(server.accepted(), 20u);
}

TEST_F(http_client_test, tells_nothing_from_inside_a_call_to_it) {
  http_caller caller;
  bool inside = false, called_inside = false;
  caller.on_line = [&](auto&) { called_inside = called_inside || inside; };
  run_on(caller.thread(), [&] {
    inside = true;
    caller.start_here({"GET", "nonsense"});
    caller.start_here({"GET", "http://127.0.0.1:1/"});
    inside = false;
  });
  caller.seen.wait_for(2);
  caller.settle();
  EXPECT_FALSE(called_inside);
}

} // namespace troupe::tests::http_client_test
