// TLS connections: their traffic and their end.

#include "tests/net/server/tls_test.hpp"
#include "net/server/connection.hpp"

#include <netinet/tcp.h>

namespace troupe::tests::tls_test {

using namespace net;
using namespace std::chrono_literals;

namespace {

using tls_test = tls_site_test;

/// Collects output of the socket, so that it arrives at once.
class corked {
public:
  explicit corked(tcp_client& one) : of_{one.descriptor()} { set(1); }
  ~corked() { set(0); }
  corked(const corked&) = delete;
  corked& operator=(const corked&) = delete;

private:
  void set(int value) const { ::setsockopt(of_, IPPROTO_TCP, TCP_CORK, &value, sizeof value); }
  int of_;
};

/// Opens a stream as a client.
void ask_for_events(test_listener& at, tls_client& client) {
  client.send(get_text("/"));
  at.seen.wait_for(1);
  at.let(0, [](auto& one) { one.begin_events(events_head()); });
  client.read_until("\r\n\r\n");
}

constexpr std::size_t five_megabytes = 5'000'000;

} // namespace

// -- requests and answers --------------------------------------------------------------

TEST_F(tls_test, hands_out_a_request_and_writes_its_answer) {
  auto at = secure();
  tls_client client{at.port()};
  client.send(post_text("/mcp", "{}"));
  EXPECT_EQ(at.seen.wait_for(1), lines{"POST /mcp {}"});
  at.let(0, [](auto& one) {
    EXPECT_TRUE(one.request().is_secure);
    EXPECT_TRUE(one.request().is_local);
    EXPECT_EQ(one.request().peer, "127.0.0.1");
    EXPECT_EQ(one.request().certificate, "");
    one.respond(text_answer("fine"));
  });
  auto answer = client.read_answer();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "fine");
}

TEST_F(tls_test, is_not_said_of_a_plain_connection) {
  auto is_secure = true;
  test_listener at{{}, [&](auto& one) {
                     is_secure = one.request().is_secure;
                     one.respond(text_answer(""));
                   }};
  tcp_client client{at.port()};
  client.send(get_text("/"));
  EXPECT_EQ(client.status(), 200);
  EXPECT_FALSE(is_secure);
}

TEST_F(tls_test, keeps_the_connection_for_further_requests) {
  auto at = secure({}, echo_request);
  tls_client client{at.port()};
  for (auto i = 0; i < 20; ++i) {
    client.send(post_text("/", std::to_string(i)));
    EXPECT_EQ(client.read_answer().body, "/" + std::to_string(i));
  }
}

TEST_F(tls_test, answers_pipelined_requests_in_order) {
  auto at = secure({}, echo_request);
  tls_client client{at.port()};
  client.send(get_text("/1") + post_text("/2", "two") + get_text("/3"));
  EXPECT_EQ(client.read_answer().body, "/1");
  EXPECT_EQ(client.read_answer().body, "/2two");
  EXPECT_EQ(client.read_answer().body, "/3");
}

// The socket is not readable for records that arrived with earlier ones.
TEST_F(tls_test, reads_all_records_that_arrive_together) {
  auto at = secure({}, echo_request);
  tls_client client{at.port()};
  constexpr auto count = 50;
  {
    corked together{client.tcp()};
    for (auto i = 0; i < count; ++i)
      client.send(post_text("/" + std::to_string(i), std::string(300, 'b')));
  }
  for (auto i = 0; i < count; ++i)
    EXPECT_EQ(client.read_answer().body, "/" + std::to_string(i) + std::string(300, 'b'));
}

TEST_F(tls_test, reads_a_record_that_is_longer_than_what_is_read_at_once) {
  auto at = secure();
  tls_client client{at.port()};
  client.send(get_text("/1"));
  at.seen.wait_for(1);
  client.send(get_text("/2", "X-Long: " + std::string(15'000, 'h') + "\r\n"));
  at.respond(0, "one");
  at.seen.wait_for(2);
  at.respond(1, "two");
  EXPECT_EQ(client.read_answer().body, "one");
  EXPECT_EQ(client.read_answer().body, "two");
}

TEST_F(tls_test, reads_a_request_that_arrives_byte_by_byte) {
  auto at = secure({}, echo_request);
  tls_client client{at.port()};
  for (auto byte : post_text("/slow", "abc")) {
    client.send(std::string(1, byte));
    at.settle();
  }
  EXPECT_EQ(client.read_answer().body, "/slowabc");
}

TEST_F(tls_test, carries_long_bodies_both_ways) {
  for (auto version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    auto at = secure(limits_with([](auto& x) { x.body = five_megabytes; }), echo_request);
    tls_client client{at.port(), {.newest = version}};
    const std::string body(five_megabytes, 'b');
    for (auto i = 0; i < 2; ++i) {
      EXPECT_TRUE(client.send(post_text("/", body)));
      EXPECT_TRUE(client.read_answer().body == "/" + body);
    }
  }
}

TEST_F(tls_test, lets_a_client_that_still_sends_read_the_refusal) {
  auto at = secure(limits_with([](auto& x) { x.body = 1000, x.linger = patience; }));
  tls_client client{at.port()};
  client.send(post_text("/", std::string(1001, 'b')));
  EXPECT_TRUE(client.send(std::string(five_megabytes, 'b')));
  EXPECT_EQ(client.read_answer().status, 413);
  EXPECT_TRUE(client.gets_close_notify());
}

// -- streams -------------------------------------------------------------------------

TEST_F(tls_test, carries_event_streams_and_what_follows_them) {
  auto at = secure();
  tls_client client{at.port()};
  ask_for_events(at, client);
  for (auto i = 0; i < 3; ++i) {
    at.let(0, [](auto& one) { one.write("data: 1\n\n"); });
    EXPECT_EQ(client.read_chunk(), "data: 1\n\n");
  }
  at.let(0, [](auto& one) { one.end(); });
  EXPECT_EQ(client.read_chunk(), "");
  client.send(get_text("/next"));
  EXPECT_EQ(at.seen.wait_for(2), (lines{"GET /", "GET /next"}));
}

TEST_F(tls_test, tells_that_a_stream_without_chunks_is_complete) {
  auto at = secure({}, [](auto& one) {
    one.begin_events(events_head());
    one.write("data: 1\n\n");
    one.end();
  });
  tls_client client{at.port()};
  client.send("GET / HTTP/1.0\r\n\r\n");
  client.read_until("\r\n\r\n");
  EXPECT_EQ(client.read(9), "data: 1\n\n");
  EXPECT_TRUE(client.gets_close_notify());
}

TEST_F(tls_test, does_not_tell_that_a_stream_is_complete_that_is_cut_off) {
  auto at = secure();
  tls_client client{at.port()};
  ask_for_events(at, client);
  at.drop(0);
  EXPECT_FALSE(client.gets_close_notify());
}

// -- clients that read slowly ----------------------------------------------------------

TEST_F(tls_test, writes_to_a_client_that_reads_slowly_and_serves_others_meanwhile) {
  constexpr std::size_t size = 20'000'000;
  auto at = secure({}, [](auto& one) {
    const auto is_long = one.request().target == "/long";
    one.respond(text_answer(is_long ? std::string(size, 'x') : "short"));
  });
  tls_client slow{at.port(), {.receive_buffer = 4096}}, other{at.port()};
  slow.send(get_text("/long"));
  EXPECT_TRUE(eventually([&] { return at.totals.unsent->held() >= size; }));
  for (auto i = 0; i < 10; ++i) {
    other.send(get_text("/short"));
    EXPECT_EQ(other.read_answer().body, "short");
  }
  EXPECT_TRUE(slow.read_answer().body == std::string(size, 'x'));
  EXPECT_TRUE(eventually([&] { return at.totals.unsent->held() == 0; }));
  slow.send(get_text("/short"));
  EXPECT_EQ(slow.read_answer().body, "short");
}

TEST_F(tls_test, closes_on_a_client_that_does_not_read_in_time) {
  auto limits = limits_with([](auto& x) { x.write_time = 100ms, x.least_rate = 1'000'000'000; });
  auto at = secure(limits, [](auto& one) { one.respond(text_answer(std::string(20'000'000, 'x'))); });
  tls_client client{at.port(), {.receive_buffer = 4096}};
  client.send(get_text("/"));
  at.seen.wait_for(1);
  EXPECT_TRUE(eventually([&] { return at.totals.count->now() == 0; }));
}

TEST_F(tls_test, closes_on_the_client_of_a_stream_that_does_not_read) {
  auto at = secure(limits_with([](auto& x) { x.unsent = 1'000'000; }));
  tls_client client{at.port(), {.receive_buffer = 4096}};
  ask_for_events(at, client);
  for (auto i = 0; i < 200 && at.totals.count->now() != 0; ++i)
    at.let(0, [](auto& one) { one.write(std::string(100'000, 'x')); });
  EXPECT_EQ(at.seen.wait_for(2), (lines{"GET /", "closed 0"}));
}

// RFC 8446, 4.6.3
TEST_F(tls_test, changes_its_keys_when_the_client_asks_for_it) {
  auto at = secure({}, echo_request);
  tls_client client{at.port()};
  for (auto i = 0; i < 5; ++i) {
    EXPECT_EQ(SSL_key_update(client.tls(), SSL_KEY_UPDATE_REQUESTED), 1);
    client.send(get_text("/"));
    EXPECT_EQ(client.read_answer().body, "/");
  }
}

TEST_F(tls_test, changes_its_keys_while_it_writes_to_a_client_that_reads_slowly) {
  constexpr std::size_t size = 20'000'000;
  auto at = secure({}, [](auto& one) { one.respond(text_answer(std::string(size, 'x'))); });
  tls_client client{at.port(), {.receive_buffer = 4096}};
  client.send(get_text("/"));
  EXPECT_TRUE(eventually([&] { return at.totals.unsent->held() >= size; }));
  EXPECT_EQ(SSL_key_update(client.tls(), SSL_KEY_UPDATE_REQUESTED), 1);
  client.send(get_text("/"));
  EXPECT_TRUE(client.read_answer().body == std::string(size, 'x'));
  EXPECT_TRUE(client.read_answer().body == std::string(size, 'x'));
}

// -- the end -----------------------------------------------------------------------------

TEST_F(tls_test, notices_that_the_client_of_a_stream_left) {
  for (auto how : {"FIN", "RST", "close_notify"}) {
    auto at = secure();
    tls_client client{at.port()};
    ask_for_events(at, client);
    if (how == std::string{"FIN"})
      client.leave();
    else if (how == std::string{"RST"})
      client.tcp().reset();
    else
      client.send_close_notify();
    EXPECT_EQ(at.seen.wait_for(2), (lines{"GET /", "closed 0"})) << how;
  }
}

TEST_F(tls_test, notices_a_farewell_that_arrives_together_with_a_request) {
  auto at = secure();
  tls_client client{at.port()};
  {
    corked together{client.tcp()};
    client.send(get_text("/"));
    client.send_close_notify();
  }
  EXPECT_EQ(at.seen.wait_for(2), (lines{"GET /", "closed 0"}));
}

TEST_F(tls_test, keeps_the_request_readable_after_the_client_left) {
  auto at = secure_with(mutual(true));
  tls_client client{at.port(), {.who = clients.sign({.subject = "DNS:friend"})}};
  client.send(get_text("/"));
  at.seen.wait_for(1);
  client.leave();
  at.seen.wait_for(2);
  at.let(0, [](auto& one) { EXPECT_EQ(one.request().certificate, "friend"); });
}

TEST_F(tls_test, tells_the_end_after_the_last_answer) {
  auto at = secure({}, echo_request);
  tls_client client{at.port()};
  client.send(get_text("/", "Connection: close\r\n"));
  EXPECT_EQ(client.read_answer().body, "/");
  EXPECT_TRUE(client.gets_close_notify());
}

TEST_F(tls_test, tells_the_end_to_a_client_that_asks_no_more) {
  auto at = secure(limits_with([](auto& x) { x.idle = 50ms; }), echo_request);
  tls_client client{at.port()};
  client.send(get_text("/"));
  client.read_answer();
  EXPECT_TRUE(client.gets_close_notify());
}

TEST_F(tls_test, tells_the_end_when_the_listener_drains) {
  auto at = secure({}, echo_request, 2);
  tls_client client{at.port()}, other{at.port()};
  for (auto* one : {&client, &other}) {
    one->send(get_text("/"));
    one->read_answer();
  }
  at.listener().drain();
  EXPECT_TRUE(client.gets_close_notify());
  EXPECT_TRUE(other.gets_close_notify());
  EXPECT_TRUE(at.listener().wait_until_closed(patience));
}

TEST_F(tls_test, answers_a_handshake_and_a_request_that_are_on_their_way_when_the_listener_drains) {
  auto at = secure(limits_with([](auto& x) { x.last_request = patience; }), echo_request);
  tls_client client{at.port()};
  at.listener().drain();
  client.send(get_text("/last"));
  EXPECT_EQ(client.read_answer().body, "/last");
  EXPECT_TRUE(client.gets_close_notify());
}

TEST_F(tls_test, may_end_at_any_point_of_a_connection) {
  for (auto i = 0; i < 5; ++i) {
    auto at = secure(
        {}, [](auto& one) { one.respond(text_answer(std::string(five_megabytes, 'x'))); }, 2);
    tcp_client silent{at.port()};
    tls_client open{at.port()}, slow{at.port(), {.receive_buffer = 4096}};
    slow.send(get_text("/"));
    at.seen.wait_for(1);
  }
}

// -- to another thread -----------------------------------------------------------------

TEST_F(tls_test, goes_to_the_thread_that_its_requests_are_for) {
  auto at = secure(
      {},
      [](auto& one) {
        one.belongs_to(static_cast<std::size_t>(one.request().target.at(1) - '0'));
        echo_request(one);
      },
      2);
  tls_client client{at.port()};
  for (auto i = 0; i < 10; ++i)
    for (std::string target : {"/1", "/0"}) {
      for (std::size_t j = 0; j <= thread_preference::requests; ++j) {
        client.send(get_text(target));
        ASSERT_EQ(client.read_answer().body, target);
      }
      at.settle();
      EXPECT_EQ(at.taken_by().back(), target == "/1" ? 1u : 0u);
    }
}

TEST_F(tls_test, loses_no_request_that_comes_as_it_goes_to_another_thread) {
  auto at = secure(
      {},
      [](auto& one) {
        one.belongs_to(static_cast<std::size_t>(one.request().target.at(1) - '0'));
        echo_request(one);
      },
      2);
  tls_client client{at.port()};
  constexpr auto count = 300;
  std::string all;
  for (auto i = 0; i < count; ++i)
    all += get_text("/" + std::to_string(i / 10 % 2));
  for (std::size_t from = 0; from < all.size(); from += 97)
    client.send(all.substr(from, 97));
  for (auto i = 0; i < count; ++i)
    ASSERT_EQ(client.read_answer().body, "/" + std::to_string(i / 10 % 2));
}

} // namespace troupe::tests::tls_test
