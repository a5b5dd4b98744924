#include "net/server/connection.hpp"

#include "tests/support/test_listener.hpp"

#include <memory>
#include <poll.h>

namespace troupe::tests::connection_limits_test {

using namespace net;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t limit = 1000;

/// A request with a header of that many bytes.
std::string header_of(std::size_t size) {
  std::string begin = "GET / HTTP/1.1\r\nHost: x\r\nX-Long: ";
  return begin + std::string(size - begin.size() - 4, 'h') + "\r\n\r\n";
}

std::string body_of(std::size_t size) {
  return "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n" + std::string(size, 'b');
}

/// A body of that many bytes, in chunks of up to 100.
std::string chunks_of(std::size_t size) {
  std::string result = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (; size > 100; size -= 100)
    result += "64\r\n" + std::string(100, 'c') + "\r\n";
  char hex[8];
  snprintf(hex, sizeof hex, "%zx", size);
  return result + hex + "\r\n" + std::string(size, 'c') + "\r\n0\r\n\r\n";
}

int status_of(const connection_limits& limits, const std::string& request) {
  test_listener at{limits, [](auto& one) { one.respond(text_answer("fine")); }};
  tcp_client client{at.port()};
  client.send(request);
  return client.status();
}

connection_limits with(auto change) {
  connection_limits result;
  change(result);
  return result;
}

/// A client whose request arrived before the timeout. On a busy machine several attempts may be necessary.
std::unique_ptr<tcp_client> with_request(test_listener& at, int receive_buffer = 0) {
  std::unique_ptr<tcp_client> result;
  const auto has_come = [&] { return !at.seen.all().empty(); };
  const auto is_closed = [&] {
    pollfd one{result->descriptor(), POLLIN, 0};
    return ::poll(&one, 1, 0) == 1;
  };
  const auto comes = [&] {
    result = std::make_unique<tcp_client>(at.port(), receive_buffer);
    result->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    eventually([&] { return has_come() || is_closed(); });
    return has_come();
  };
  EXPECT_TRUE(eventually(comes));
  return result;
}

/// Becomes ready at that time, by the clock of that thread.
std::future<void> ready_at(io_thread::clock::time_point when, io_thread& thread) {
  auto ready = std::make_shared<std::promise<void>>();
  thread.post([when, ready, &thread] { thread.at(when, [ready] { ready->set_value(); }); });
  return ready->get_future();
}

/// Status of the answer to a client that is silent for longer than its limit, and whose request arrives while the
/// thread of the listener pauses; 0 if there is none. A first pause brings another request and the check of limits into
/// one turn of the thread: the second pause begins with that request, and the check follows it.
int status_after_pauses() {
  const auto begin = io_thread::clock::now();
  io_thread clock;
  auto first_end = ready_at(begin + 800ms, clock);
  auto second_end = ready_at(begin + 1300ms, clock);
  test_listener at{with([](auto& x) { x.first_request = 100ms; }), [&](auto& one) {
                     if (second_end.valid())
                       second_end.get();
                     one.respond(text_answer("fine"));
                   }};
  tcp_client other{at.port()};
  tcp_client silent{at.port()};
  EXPECT_TRUE(eventually([&] { return at.totals.count->now() == 2; }));
  at.settle();
  at.thread().post([&] { first_end.get(); });
  other.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  at.seen.wait_for(1);
  silent.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  return silent.status();
}

using connection_limits_test = tidy_test;

} // namespace

// -- bytes -----------------------------------------------------------------------------

TEST_F(connection_limits_test, takes_a_header_up_to_its_limit) {
  auto limits = with([](auto& x) { x.header = limit; });
  EXPECT_EQ(status_of(limits, header_of(limit - 1)), 200);
  EXPECT_EQ(status_of(limits, header_of(limit)), 200);
  EXPECT_EQ(status_of(limits, header_of(limit + 1)), 431);
  EXPECT_EQ(status_of(limits, header_of(5 * limit)), 431);
}

TEST_F(connection_limits_test, survives_a_field_of_64_kibibytes_wherever_it_is) {
  auto wide = with([](auto& x) { x.header = 1'000'000; });
  auto body = chunks_of(1);
  for (std::size_t size : {65'535, 65'536, 65'537, 70'000}) {
    auto field = "X-Long:" + std::string(size - 6, 'h') + "\r\n\r\n";
    EXPECT_EQ(status_of({}, "GET / HTTP/1.1\r\nHost: x\r\n" + field), 431) << size;
    EXPECT_EQ(status_of(wide, "GET / HTTP/1.1\r\nHost: x\r\n" + field), 200) << size;
    EXPECT_EQ(status_of({}, body.substr(0, body.size() - 2) + field), size <= 65'536 ? 200 : 431) << size;
  }
  EXPECT_EQ(status_of({}, std::string(70'000, 'M') + " / HTTP/1.1\r\n\r\n"), 431);
  EXPECT_EQ(status_of({}, "GET / HTTP/1.1\r\n" + std::string(70'000, 'N') + ": x\r\n\r\n"), 431);
}

TEST_F(connection_limits_test, refuses_a_long_header_before_it_ends) {
  test_listener at{with([](auto& x) { x.header = limit; })};
  tcp_client client{at.port()};
  client.send(header_of(2 * limit).substr(0, limit + 4));
  EXPECT_EQ(client.status(), 431);
}

TEST_F(connection_limits_test, takes_a_body_up_to_its_limit) {
  auto limits = with([](auto& x) { x.body = limit; });
  for (auto request_of : {body_of, chunks_of}) {
    EXPECT_EQ(status_of(limits, request_of(limit - 1)), 200);
    EXPECT_EQ(status_of(limits, request_of(limit)), 200);
    EXPECT_EQ(status_of(limits, request_of(limit + 1)), 413);
    EXPECT_EQ(status_of(limits, request_of(5 * limit)), 413);
  }
}

TEST_F(connection_limits_test, refuses_a_long_body_instead_of_asking_for_it) {
  test_listener at{with([](auto& x) { x.body = limit; })};
  tcp_client client{at.port()};
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.status(), 413);
}

TEST_F(connection_limits_test, lets_a_client_that_still_sends_read_the_refusal) {
  for (auto request_of : {body_of, chunks_of}) {
    test_listener at{with([](auto& x) { x.body = limit, x.linger = patience; })};
    tcp_client client{at.port()};
    EXPECT_TRUE(client.send(request_of(8'000'000)));
    auto answer = client.read_answer();
    EXPECT_EQ(answer.status, 413);
    EXPECT_NE(answer.body.find("1000 bytes"), answer.body.npos);
    EXPECT_TRUE(client.sees_the_end());
    EXPECT_FALSE(client.was_reset());
  }
}

TEST_F(connection_limits_test, closes_on_a_client_that_sends_on_after_the_refusal) {
  test_listener at{with([](auto& x) { x.body = limit, x.linger = 100ms; })};
  tcp_client client{at.port()};
  client.send(body_of(limit + 1));
  auto begin = std::chrono::steady_clock::now();
  while (client.send(std::string(1000, 'x')) && std::chrono::steady_clock::now() < begin + patience) {
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, patience);
}

TEST_F(connection_limits_test, bounds_what_is_no_data_in_a_chunked_body) {
  std::string begin = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (auto endless : {"5;extension=", "0\r\nTrailer: "}) {
    test_listener at{with([](auto& x) { x.header = limit; })};
    tcp_client client{at.port()};
    client.send(begin + endless + std::string(100'000, 'x'));
    EXPECT_EQ(client.status(), 431) << endless;
  }
}

TEST_F(connection_limits_test, bounds_what_is_pipelined_and_loses_none_of_it) {
  test_listener at{with([](auto& x) { x.header = limit; })};
  tcp_client client{at.port()};
  std::string request = "GET /pipelined HTTP/1.1\r\nHost: x\r\n\r\n";
  std::string all;
  for (auto i = 0; i < 200; ++i)
    all += request;
  client.send(all);
  for (std::size_t i = 0; i < 200; ++i) {
    ASSERT_EQ(at.seen.wait_for(i + 1).size(), i + 1);
    at.respond(i, std::to_string(i));
    ASSERT_EQ(client.read_answer().body, std::to_string(i));
  }
}

TEST_F(connection_limits_test, closes_on_a_reader_that_is_too_slow_for_its_stream) {
  constexpr std::size_t size = 64 * 1024;
  test_listener at{with([](auto& x) { x.unsent = 4 * size; })};
  tcp_client client{at.port(), 4096};
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  at.seen.wait_for(1);
  at.let(0, [](auto& one) { one.begin_events(events_head()); });
  std::size_t writes = 0;
  for (; at.seen.all().size() == 1 && writes < 10'000; ++writes)
    at.let(0, [](auto& one) { one.write(std::string(size, 'e')); });
  EXPECT_EQ(at.seen.wait_for(2), (lines{"GET /", "closed 0"}));
  // Twice our own limit, and the kernel's buffers of both sides.
  EXPECT_LT(writes * size, 32u * 1024 * 1024);
}

TEST_F(connection_limits_test, takes_no_further_request_of_a_client_that_does_not_read_its_answers) {
  constexpr std::size_t size = 1024 * 1024;
  test_listener at{{}, [](auto& one) { one.respond(text_answer(std::string(size, 'a'))); }};
  tcp_client client{at.port(), 4096};
  constexpr std::size_t requests = 100;
  for (std::size_t i = 0; i < requests; ++i)
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  at.seen.wait_for(1);
  for (int i = 0; i < 100; ++i)
    at.settle();
  // The answers in the kernel's buffers, and one that waits.
  EXPECT_LT(at.seen.all().size(), 20u);
  for (std::size_t i = 0; i < requests; ++i)
    ASSERT_EQ(client.read_answer().body.size(), size) << i;
  EXPECT_EQ(at.seen.all().size(), requests);
}

TEST_F(connection_limits_test, takes_one_event_that_is_longer_than_what_may_wait) {
  test_listener at{with([](auto& x) { x.unsent = 10; })};
  tcp_client client{at.port()};
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  at.seen.wait_for(1);
  std::string event(5'000'000, 'e');
  at.let(0, [&](auto& one) {
    one.begin_events(events_head());
    one.write(event);
  });
  client.read_until("\r\n\r\n");
  EXPECT_EQ(client.read_chunk(), event);
}

// -- time ------------------------------------------------------------------------------

TEST_F(connection_limits_test, refuses_a_header_that_is_too_slow) {
  test_listener at{with([](auto& x) { x.header_time = 50ms; })};
  tcp_client client{at.port()};
  client.send("GET / HTTP/1.1\r\nHost:");
  auto answer = client.read_answer();
  EXPECT_EQ(answer.status, 408);
  EXPECT_NE(answer.body.find("Request Timeout"), answer.body.npos);
  EXPECT_TRUE(client.sees_the_end());
}

TEST_F(connection_limits_test, refuses_a_header_that_is_too_slow_although_bytes_keep_arriving) {
  test_listener at{with([](auto& x) { x.header_time = 300ms; })};
  tcp_client client{at.port()};
  client.send("GET / HTTP/1.1\r\nX: ");
  while (client.send("x")) {
    at.settle();
  }
  EXPECT_EQ(at.seen.all(), lines{});
}

TEST_F(connection_limits_test, refuses_a_body_that_is_too_slow) {
  test_listener at{with([](auto& x) { x.body_time = 50ms; })};
  tcp_client client{at.port()};
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf");
  EXPECT_EQ(client.status(), 408);
  EXPECT_EQ(at.seen.all(), lines{});
}

TEST_F(connection_limits_test, closes_a_connection_that_says_nothing) {
  test_listener at{with([](auto& x) { x.first_request = 50ms; })};
  tcp_client client{at.port()};
  EXPECT_TRUE(client.sees_the_end());
  EXPECT_FALSE(client.was_reset());
}

TEST_F(connection_limits_test, closes_a_connection_that_says_nothing_more) {
  test_listener at{with([](auto& x) { x.idle = 50ms; }), [](auto& one) { one.respond(text_answer("fine")); }};
  tcp_client client{at.port()};
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.status(), 200);
  EXPECT_TRUE(client.sees_the_end());
}

// On a busy machine several attempts may be necessary.
TEST_F(connection_limits_test, reads_a_request_that_came_in_a_pause_before_it_checks_limits) {
  EXPECT_TRUE(eventually([] { return status_after_pauses() == 200; }));
}

TEST_F(connection_limits_test, gives_an_answer_as_long_as_it_takes) {
  test_listener at{
      with([](auto& x) { x.first_request = x.header_time = x.body_time = x.write_time = x.linger = 1ms; })};
  auto waits = with_request(at);
  tcp_client idle{at.port()};
  EXPECT_TRUE(idle.sees_the_end()); // the sweep has run
  at.respond(0, "late");
  EXPECT_EQ(waits->read_answer().body, "late");
}

TEST_F(connection_limits_test, does_not_take_a_slow_reader_for_an_idle_client) {
  test_listener at{with([](auto& x) { x.first_request = x.idle = 50ms; })};
  auto reads = with_request(at, 4096);
  std::string text(20'000'000, 't');
  at.respond(0, text);
  for (auto i = 0; i < 2; ++i) {
    tcp_client idle{at.port()};
    EXPECT_TRUE(idle.sees_the_end()); // the sweep has run
  }
  EXPECT_EQ(reads->read_answer().body.size(), text.size());
  EXPECT_TRUE(reads->sees_the_end());
}

TEST_F(connection_limits_test, closes_on_a_client_that_reads_nothing) {
  test_listener at{with([](auto& x) { x.write_time = 50ms; })};
  tcp_client client{at.port(), 4096};
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  at.seen.wait_for(1);
  at.let(0, [](auto& one) {
    one.begin_events(events_head());
    one.write(std::string(20'000'000, 'e'));
  });
  EXPECT_EQ(at.seen.wait_for(2), (lines{"GET /", "closed 0"}));
}

// The client reads a megabyte a second, so that it never reaches the end of the 20, whatever the kernel buffers.
TEST_F(connection_limits_test, closes_on_a_client_that_reads_now_and_then_when_its_time_is_over) {
  test_listener at{with([](auto& x) { x.write_time = 300ms, x.least_rate = 1'000'000'000; })};
  tcp_client client{at.port(), 4096};
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  at.seen.wait_for(1);
  at.let(0, [](auto& one) {
    one.begin_events(events_head());
    one.write(std::string(20'000'000, 'e'));
  });
  const auto begin = std::chrono::steady_clock::now();
  auto taken = client.read(1000).size();
  while (at.seen.wait_for("closed 0", 1ms).size() == 1 && std::chrono::steady_clock::now() < begin + patience) {
    const auto passed = std::chrono::floor<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
    if (const auto due = static_cast<std::size_t>(passed.count()); taken < due)
      taken += client.read(due - taken).size();
  }
  EXPECT_EQ(at.seen.all(), (lines{"GET /", "closed 0"}));
  EXPECT_GT(taken, 0u);
}

TEST_F(connection_limits_test, gives_a_long_answer_more_time_than_a_short_one) {
  const auto limits = with([](auto& x) { x.write_time = 60s, x.least_rate = 1000; });
  EXPECT_EQ(write_time_of(limits, 0), 60s);
  EXPECT_EQ(write_time_of(limits, 999), 60s + 999ms);
  EXPECT_EQ(write_time_of(limits, 1000), 61s);
  EXPECT_EQ(write_time_of(limits, 1001), 61s + 1ms);
  EXPECT_EQ(write_time_of({}, 8 * 1024 * 1024), 60s + 256s);
}

} // namespace troupe::tests::connection_limits_test
