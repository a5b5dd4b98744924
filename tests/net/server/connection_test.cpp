#include "net/server/connection.hpp"

#include "tests/support/test_listener.hpp"

namespace troupe::tests::connection_test {

using namespace net;

namespace {

std::string get(const std::string& target, const std::string& fields = {}) {
  return "GET " + target + " HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n";
}

std::string post(const std::string& target, const std::string& body, const std::string& fields = {}) {
  return "POST " + target + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + fields +
         "\r\n" + body;
}

/// Answers with the request.
void echo(exchange& one) {
  auto& request = one.request();
  one.respond(text_answer(std::string{request.target} + request.body));
}

using connection_test = tidy_test;

} // namespace

// -- requests ------------------------------------------------------------------------

TEST_F(connection_test, hands_out_a_request_and_writes_its_answer) {
  test_listener at;
  tcp_client client{at.port()};
  client.send(post("/mcp", "{}", "X-One: 1\r\nX-Two:  two \r\n"));
  EXPECT_EQ(at.seen.wait_for(1), lines{"POST /mcp {}"});
  at.let(0, [](auto& one) {
    EXPECT_EQ(one.request().field("x-one"), "1");
    EXPECT_EQ(one.request().field("X-TWO"), "two");
    one.respond(text_answer("fine"));
  });
  auto answer = client.read_answer();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "fine");
}

TEST_F(connection_test, keeps_the_connection_for_further_requests) {
  test_listener at{{}, echo};
  tcp_client client{at.port()};
  for (auto i = 0; i < 20; ++i) {
    client.send(post("/", std::to_string(i)));
    auto answer = client.read_answer();
    EXPECT_EQ(answer.body, "/" + std::to_string(i));
    EXPECT_NE(answer.head.find("Connection: keep-alive"), answer.head.npos);
  }
}

TEST_F(connection_test, answers_pipelined_requests_in_order) {
  test_listener at{{}, echo};
  tcp_client client{at.port()};
  client.send(get("/1") + post("/2", "two") + get("/3"));
  EXPECT_EQ(client.read_answer().body, "/1");
  EXPECT_EQ(client.read_answer().body, "/2two");
  EXPECT_EQ(client.read_answer().body, "/3");
}

TEST_F(connection_test, takes_no_trailer_for_a_header_field) {
  bool seen = false;
  test_listener at{{}, [&](auto& one) {
                     seen = !one.request().field("Mcp-Session-Id").empty();
                     one.respond(text_answer(one.request().body));
                   }};
  tcp_client client{at.port()};
  client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
              "3\r\nabc\r\n0\r\nMcp-Session-Id: stolen\r\n\r\n");
  EXPECT_EQ(client.read_answer().body, "abc");
  EXPECT_FALSE(seen);
}

TEST_F(connection_test, hands_out_a_pipelined_request_when_the_one_before_is_answered) {
  test_listener at;
  tcp_client client{at.port()};
  client.send(get("/1") + get("/2"));
  EXPECT_EQ(at.seen.wait_for(1), lines{"GET /1"});
  at.settle();
  EXPECT_EQ(at.seen.all(), lines{"GET /1"});
  at.respond(0, "one");
  EXPECT_EQ(at.seen.wait_for(2), (lines{"GET /1", "GET /2"}));
  at.respond(1, "two");
  EXPECT_EQ(client.read_answer().body, "one");
  EXPECT_EQ(client.read_answer().body, "two");
}

TEST_F(connection_test, reads_on_where_pipelined_requests_end) {
  test_listener at;
  tcp_client client{at.port()};
  client.send(get("/1") + get("/2"));
  at.seen.wait_for(1);
  at.respond(0, "one");
  at.seen.wait_for(2);
  client.send(get("/3"));
  at.settle();
  at.respond(1, "two");
  EXPECT_EQ(at.seen.wait_for(3), (lines{"GET /1", "GET /2", "GET /3"}));
}

TEST_F(connection_test, reads_a_pipelined_request_that_arrives_in_two_parts) {
  test_listener at;
  tcp_client client{at.port()};
  auto second = post("/2", "body");
  for (std::size_t cut = 1; cut < second.size(); cut += 7) {
    auto begin = at.seen.all().size();
    client.send(get("/1") + second.substr(0, cut));
    at.seen.wait_for(begin + 1);
    at.respond(begin, "one");
    EXPECT_EQ(client.read_answer().body, "one");
    at.settle();
    client.send(second.substr(cut));
    EXPECT_EQ(at.seen.wait_for(begin + 2).back(), "POST /2 body");
    at.respond(begin + 1, "two");
    EXPECT_EQ(client.read_answer().body, "two");
  }
}

// RFC 9112, 9.3.2
TEST_F(connection_test, keeps_pipelined_requests_while_a_stream_is_open) {
  test_listener at;
  tcp_client client{at.port()};
  client.send(get("/stream"));
  at.seen.wait_for(1);
  at.let(0, [](auto& one) { one.begin_events(events_head()); });
  client.read_until("\r\n\r\n");
  client.send(get("/next"));
  at.let(0, [](auto& one) { one.write("data: 1\n\n"); });
  EXPECT_EQ(client.read_chunk(), "data: 1\n\n");
  at.let(0, [](auto& one) { one.end(); });
  EXPECT_EQ(client.read_chunk(), "");
  EXPECT_EQ(at.seen.wait_for(2), (lines{"GET /stream", "GET /next"}));
}

TEST_F(connection_test, reads_a_request_that_is_split_at_every_byte) {
  test_listener at{{}, echo};
  tcp_client client{at.port()};
  auto whole = post("/split", "0123456789");
  for (std::size_t cut = 1; cut < whole.size(); ++cut) {
    client.send(whole.substr(0, cut));
    at.settle();
    client.send(whole.substr(cut));
    ASSERT_EQ(client.read_answer().body, "/split0123456789") << cut;
  }
}

TEST_F(connection_test, reads_a_request_that_arrives_byte_by_byte) {
  test_listener at{{}, echo};
  tcp_client client{at.port()};
  for (auto byte : post("/slow", "abc")) {
    client.send(std::string(1, byte));
    at.settle();
  }
  EXPECT_EQ(client.read_answer().body, "/slowabc");
}

TEST_F(connection_test, skips_empty_lines_before_a_request_line) { // RFC 9112, 2.2
  test_listener at{{}, echo};
  tcp_client client{at.port()};
  client.send("\r\n\r\n" + get("/1") + "\r\n" + get("/2"));
  EXPECT_EQ(client.read_answer().body, "/1");
  EXPECT_EQ(client.read_answer().body, "/2");
}

TEST_F(connection_test, reads_a_chunked_body) {
  test_listener at{{}, echo};
  tcp_client client{at.port()};
  auto head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  client.send(std::string{head} + "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nTrailer: 1\r\n\r\n" + get("/next"));
  EXPECT_EQ(client.read_answer().body, "/abc0123456789");
  EXPECT_EQ(client.read_answer().body, "/next");
}

TEST_F(connection_test, reads_a_long_body) {
  test_listener at{{}, echo};
  tcp_client client{at.port()};
  std::string body(3'000'000, 'b');
  client.send(post("/", body));
  EXPECT_EQ(client.read_answer().body, "/" + body);
}

TEST_F(connection_test, asks_for_the_body_of_a_client_that_waits_to_be_asked) {
  test_listener at{{}, echo};
  tcp_client client{at.port()};
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-Continue\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("abc");
  EXPECT_EQ(client.read_answer().body, "/abc");
}

TEST_F(connection_test, does_not_ask_for_a_body_that_is_there_already) {
  test_listener at{{}, echo};
  tcp_client client{at.port()};
  client.send(post("/", "abc", "Expect: 100-continue\r\n"));
  EXPECT_EQ(client.status(), 200);
}

TEST_F(connection_test, refuses_what_is_not_HTTP) {
  for (auto bad :
       {"hello\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/x\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "\x16\x03\x01\x02\x01 TLS\r\n\r\n"}) {
    test_listener at;
    tcp_client client{at.port()};
    client.send(bad);
    auto answer = client.read_answer();
    EXPECT_EQ(answer.status, 400) << bad;
    EXPECT_NE(answer.head.find("Connection: close"), answer.head.npos) << bad;
    EXPECT_NE(answer.body.find("Bad Request"), answer.body.npos) << bad;
    EXPECT_TRUE(client.sees_the_end());
    EXPECT_EQ(at.seen.all(), lines{});
  }
}

// RFC 9112, 6.1
TEST_F(connection_test, refuses_every_transfer_encoding_but_chunked_and_closes) {
  for (auto encoding : {"gzip", "chunked, gzip", "identity", "gzip, chunked", "identity, chunked", "chunked, chunked",
                        "chunked,", ",chunked", "xchunked", "chunked;a=b", "", "gzip\r\nTransfer-Encoding: chunked"})
    for (auto length : {"", "Content-Length: 5\r\n"}) {
      test_listener at;
      tcp_client client{at.port()};
      client.send("POST / HTTP/1.1\r\nHost: x\r\n" + std::string{length} + "Transfer-Encoding: " + encoding +
                  "\r\n\r\n5\r\nhello\r\n0\r\n\r\nGET /next HTTP/1.1\r\nHost: x\r\n\r\n");
      auto status = client.status();
      EXPECT_TRUE(status == 501 || status == 400) << encoding << length << status;
      EXPECT_TRUE(status == 501 || *length != '\0') << encoding << length << status;
      EXPECT_TRUE(client.sees_the_end()) << encoding;
      EXPECT_EQ(at.seen.all(), lines{}) << encoding;
    }
}

// RFC 9112, 6.1
TEST_F(connection_test, refuses_a_transfer_encoding_in_HTTP_1_0_and_closes) {
  for (auto encoding : {"chunked", "gzip"}) {
    test_listener at;
    tcp_client client{at.port()};
    client.send("POST / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: " + std::string{encoding} +
                "\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
    EXPECT_EQ(client.status(), 400) << encoding;
    EXPECT_TRUE(client.sees_the_end()) << encoding;
    EXPECT_EQ(at.seen.all(), lines{}) << encoding;
  }
}

// -- answers ---------------------------------------------------------------------------

TEST_F(connection_test, answers_HEAD_without_a_body) {
  test_listener at{{}, echo};
  tcp_client client{at.port()};
  client.send("HEAD /1234 HTTP/1.1\r\nHost: x\r\n\r\n" + get("/next"));
  EXPECT_NE(client.read_answer(false).head.find("Content-Length: 5"), std::string::npos);
  EXPECT_EQ(client.read_answer().body, "/next");
}

TEST_F(connection_test, gives_the_refusal_after_HEAD_its_body) {
  test_listener at{{}, echo};
  tcp_client client{at.port()};
  client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
  client.read_answer(false);
  client.send("nonsense\r\n\r\n");
  EXPECT_NE(client.read_answer().body.find("Bad Request"), std::string::npos);
}

TEST_F(connection_test, refuses_after_a_request_with_a_method_of_its_own) {
  test_listener at{{}, echo};
  tcp_client client{at.port()};
  client.send("A-LONG-METHOD-THAT-NOBODY-KNOWS / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.status(), 200);
  client.send("nonsense\r\n\r\n");
  EXPECT_EQ(client.status(), 400);
}

TEST_F(connection_test, closes_after_its_answer_when_the_client_asks_for_it) {
  test_listener at{{}, echo};
  tcp_client client{at.port()};
  client.send(get("/", "Connection: close\r\n"));
  auto answer = client.read_answer();
  EXPECT_NE(answer.head.find("Connection: close"), answer.head.npos);
  EXPECT_EQ(answer.body, "/");
  EXPECT_TRUE(client.sees_the_end());
  EXPECT_FALSE(client.was_reset());
}

TEST_F(connection_test, closes_after_its_answer_to_HTTP_1_0) {
  test_listener at{{}, echo};
  tcp_client client{at.port()};
  client.send("GET /old HTTP/1.0\r\n\r\n");
  EXPECT_EQ(client.read_answer().body, "/old");
  EXPECT_TRUE(client.sees_the_end());
}

TEST_F(connection_test, keeps_an_HTTP_1_0_connection_when_the_client_asks_for_it) {
  test_listener at{{}, echo};
  tcp_client client{at.port()};
  for (auto i = 0; i < 2; ++i) {
    client.send("GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(client.read_answer().body, "/old");
  }
}

// RFC 9112, 6.1
TEST_F(connection_test, streams_to_HTTP_1_0_until_it_closes) {
  test_listener at{{}, [](auto& one) {
                     one.begin_events(events_head());
                     one.write("data: 1\n\n");
                     one.write("data: 2\n\n");
                     one.end();
                   }};
  tcp_client client{at.port()};
  client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  auto head = client.read_until("\r\n\r\n");
  EXPECT_EQ(head.find("Transfer-Encoding"), head.npos);
  EXPECT_NE(head.find("Connection: close"), head.npos);
  EXPECT_EQ(client.read_to_end(), "data: 1\n\ndata: 2\n\n");
  EXPECT_FALSE(client.was_reset());
}

TEST_F(connection_test, sends_the_head_of_a_stream_before_its_first_event) {
  test_listener at;
  tcp_client client{at.port()};
  client.send(get("/"));
  at.seen.wait_for(1);
  at.let(0, [](auto& one) { one.begin_events(events_head()); });
  auto head = client.read_until("\r\n\r\n");
  EXPECT_NE(head.find("Transfer-Encoding: chunked"), head.npos);
  EXPECT_NE(head.find("Content-Type: text/event-stream"), head.npos);
  at.let(0, [](auto& one) { one.write("data: 1\n\n"); });
  EXPECT_EQ(client.read_chunk(), "data: 1\n\n");
  at.let(0, [](auto& one) { one.write("data: 2\n\n"); });
  EXPECT_EQ(client.read_chunk(), "data: 2\n\n");
}

TEST_F(connection_test, takes_the_next_request_after_a_stream) {
  test_listener at;
  tcp_client client{at.port()};
  client.send(get("/"));
  at.seen.wait_for(1);
  at.let(0, [](auto& one) {
    one.begin_events(events_head());
    one.write("");
    one.end();
  });
  client.read_until("\r\n\r\n");
  EXPECT_EQ(client.read_chunk(), "");
  client.send(get("/next"));
  EXPECT_EQ(at.seen.wait_for(2), (lines{"GET /", "GET /next"}));
}

TEST_F(connection_test, writes_many_events_in_order) {
  test_listener at;
  tcp_client client{at.port()};
  client.send(get("/"));
  at.seen.wait_for(1);
  at.let(0, [](auto& one) {
    one.begin_events(events_head());
    for (auto i = 0; i < 5000; ++i)
      one.write("data: " + std::to_string(i) + "\n\n");
    one.end();
  });
  client.read_until("\r\n\r\n");
  for (auto i = 0; i < 5000; ++i)
    ASSERT_EQ(client.read_chunk(), "data: " + std::to_string(i) + "\n\n");
  EXPECT_EQ(client.read_chunk(), "");
}

TEST_F(connection_test, ignores_what_an_answered_exchange_says) {
  test_listener at;
  tcp_client client{at.port()};
  client.send(get("/1") + get("/2"));
  at.seen.wait_for(1);
  at.respond(0, "one");
  at.seen.wait_for(2);
  at.let(0, [](auto& one) {
    one.respond(text_answer("again"));
    one.begin_events(events_head());
    one.write("data: late\n\n");
    one.end();
    one.on_abandoned([] { return text_answer("late"); });
    one.on_closed([] { ADD_FAILURE() << "told"; });
  });
  at.drop(0);
  at.settle();
  at.respond(1, "two");
  EXPECT_EQ(client.read_answer().body, "one");
  EXPECT_EQ(client.read_answer().body, "two");
}

} // namespace troupe::tests::connection_test
