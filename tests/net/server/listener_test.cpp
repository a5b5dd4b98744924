#include "net/server/listener.hpp"

#include "tests/support/plain_get.hpp"
#include "tests/support/test_listener.hpp"

#include <deque>
#include <sys/resource.h>

namespace troupe::tests::listener_test {

using namespace net;
using namespace std::chrono_literals;

namespace {

void answer_at_once(exchange& one) { one.respond(text_answer("fine")); }

std::string why_not(const std::string& host, std::uint16_t port) {
  listener::thread_list threads;
  threads.push_back(std::make_unique<io_thread>());
  try {
    listener on{threads, {host, port}};
    return {};
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

using listener_test = tidy_test;

} // namespace

// -- listening -------------------------------------------------------------------------

TEST_F(listener_test, listens_once_it_is_constructed) {
  listener::thread_list threads;
  threads.push_back(std::make_unique<io_thread>());
  listener on{threads, {"127.0.0.1", 0}};
  EXPECT_NE(on.port(), 0);
  EXPECT_TRUE(on.is_loopback());
  tcp_client client{on.port()};
}

TEST_F(listener_test, knows_that_others_can_reach_it) {
  listener::thread_list threads;
  threads.push_back(std::make_unique<io_thread>());
  listener on{threads, {"0.0.0.0", 0}};
  EXPECT_FALSE(on.is_loopback());
}

TEST_F(listener_test, says_why_it_cannot_listen) {
  test_listener taken;
  EXPECT_EQ(why_not("127.0.0.1", taken.port()),
            "cannot listen on 127.0.0.1 port " + std::to_string(taken.port()) + ": Address already in use");
  EXPECT_TRUE(why_not("192.0.2.1", 0).starts_with("cannot listen on 192.0.2.1 port 0: "));
  EXPECT_TRUE(why_not("not a host", 0).starts_with("cannot listen on not a host: "));
}

TEST_F(listener_test, shares_connections_out_in_turn) {
  test_listener at{{}, answer_at_once, 2};
  std::vector<std::unique_ptr<tcp_client>> clients;
  for (auto i = 0; i < 4; ++i) {
    clients.push_back(std::make_unique<tcp_client>(at.port()));
    clients.back()->send(plain_get);
    EXPECT_EQ(clients.back()->status(), 200);
  }
  EXPECT_EQ(at.taken_by(), (std::vector<std::size_t>{0, 1, 0, 1}));
}

// -- drain -----------------------------------------------------------------------------

TEST_F(listener_test, closes_idle_connections_when_it_drains) {
  test_listener at{{}, answer_at_once};
  tcp_client silent{at.port()}, answered{at.port()};
  answered.send(plain_get);
  EXPECT_EQ(answered.status(), 200);
  at.listener().drain();
  EXPECT_TRUE(silent.sees_the_end());
  EXPECT_TRUE(answered.sees_the_end());
  at.listener().wait_until_closed(patience);
}

TEST_F(listener_test, refuses_new_connections_when_it_drains) {
  test_listener at;
  at.listener().drain();
  at.settle();
  auto fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{AF_INET, htons(at.port()), {htonl(INADDR_LOOPBACK)}, {}};
  EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to), -1);
  EXPECT_EQ(errno, ECONNREFUSED);
  ::close(fd);
}

TEST_F(listener_test, closes_busy_connections_after_their_answer) {
  test_listener at;
  tcp_client client{at.port()};
  client.send(plain_get);
  at.seen.wait_for(1);
  at.listener().drain();
  at.settle();
  at.respond(0, "last");
  auto answer = client.read_answer();
  EXPECT_EQ(answer.body, "last");
  EXPECT_NE(answer.head.find("Connection: close"), answer.head.npos);
  EXPECT_TRUE(client.sees_the_end());
  at.listener().wait_until_closed(patience);
}

TEST_F(listener_test, lets_a_request_that_has_begun_arrive_while_it_drains) {
  test_listener at{{}, answer_at_once};
  tcp_client client{at.port()};
  client.send("GET / HTTP/1.1\r\n");
  tcp_client idle{at.port()};
  idle.send(plain_get);
  EXPECT_EQ(idle.status(), 200);
  at.settle();
  at.listener().drain();
  EXPECT_TRUE(idle.sees_the_end());
  client.send("Host: x\r\n\r\n");
  auto answer = client.read_answer();
  EXPECT_EQ(answer.status, 200);
  EXPECT_NE(answer.head.find("Connection: close"), answer.head.npos);
}

TEST_F(listener_test, answers_who_has_connected_before_it_drains) {
  connection_limits limits;
  limits.last_request = patience;
  test_listener at{limits, answer_at_once};
  std::deque<tcp_client> clients;
  for (int i = 0; i < 20; ++i)
    clients.emplace_back(at.port());
  at.listener().drain();
  for (auto& client : clients)
    client.send(plain_get);
  for (auto& client : clients) {
    auto answer = client.read_answer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_NE(answer.head.find("Connection: close"), answer.head.npos);
  }
  EXPECT_TRUE(at.listener().wait_until_closed(patience));
}

TEST_F(listener_test, says_with_each_answer_that_it_leaves_and_takes_new_connections) {
  test_listener at{{}, answer_at_once};
  tcp_client before{at.port()};
  before.send(plain_get);
  EXPECT_EQ(before.read_answer().head.find("Connection: close"), std::string::npos);
  at.listener().leave();
  at.settle();
  tcp_client after{at.port()};
  for (auto client : {&before, &after}) {
    client->send(plain_get);
    EXPECT_NE(client->read_answer().head.find("Connection: close"), std::string::npos);
    EXPECT_TRUE(client->sees_the_end());
  }
}

TEST_F(listener_test, knows_whether_requests_still_come_since_it_leaves) {
  using namespace std::chrono_literals;
  test_listener at{{}, answer_at_once};
  at.listener().leave();
  at.settle();
  EXPECT_FALSE(at.listener().is_quiet(1h));
  tcp_client client{at.port()};
  client.send(plain_get);
  EXPECT_EQ(client.status(), 200);
  EXPECT_FALSE(at.listener().is_quiet(1h));
  EXPECT_TRUE(eventually([&] { return at.listener().is_quiet(1ms); }));
}

TEST_F(listener_test, knows_whether_requests_are_under_way) {
  test_listener at;
  const auto is_answering = [&] { return at.listener().is_answering_since(io_thread::clock::now()); };
  tcp_client client{at.port()};
  const auto before = io_thread::clock::now();
  client.send(plain_get);
  at.seen.wait_for(1);
  EXPECT_TRUE(is_answering());
  EXPECT_FALSE(at.listener().is_answering_since(before));
  at.let(0, [](auto& one) { one.begin_events(events_head()); });
  client.read_until("\r\n\r\n");
  EXPECT_TRUE(is_answering());
  at.let(0, [](auto& one) { one.end(); });
  EXPECT_TRUE(eventually([&] { return !is_answering(); }));
}

TEST_F(listener_test, closes_streams_after_their_end_when_it_drains) {
  test_listener at;
  tcp_client client{at.port()};
  client.send(plain_get);
  at.seen.wait_for(1);
  at.let(0, [](auto& one) { one.begin_events(events_head()); });
  client.read_until("\r\n\r\n");
  at.listener().drain();
  at.settle();
  at.let(0, [](auto& one) {
    one.write("data: last\n\n");
    one.end();
  });
  EXPECT_EQ(client.read_to_end(), "c\r\ndata: last\n\n\r\n0\r\n\r\n");
  at.listener().wait_until_closed(patience);
}

TEST_F(listener_test, closes_a_connection_whose_answer_was_still_being_written_when_it_drained) {
  test_listener at;
  tcp_client client{at.port(), 4096};
  client.send(plain_get);
  at.seen.wait_for(1);
  at.respond(0, std::string(20'000'000, 'x'));
  at.listener().drain();
  at.settle();
  EXPECT_EQ(client.read_answer().body.size(), 20'000'000u);
  auto begin = std::chrono::steady_clock::now();
  at.listener().wait_until_closed(patience);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, patience);
  EXPECT_TRUE(client.sees_the_end());
}

TEST_F(listener_test, waits_until_connections_are_closed_no_longer_than_it_is_told_to) {
  test_listener at;
  at.listener().wait_until_closed(patience);
  tcp_client client{at.port()};
  client.send(plain_get);
  at.seen.wait_for(1);
  auto begin = std::chrono::steady_clock::now();
  at.listener().wait_until_closed(20ms);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 20ms);
  at.respond(0, "");
}

// -- destruction -----------------------------------------------------------------------

TEST_F(listener_test, closes_every_connection_when_it_is_destroyed) {
  test_listener at{{}, {}, 2};
  tcp_client idle{at.port()}, half{at.port()}, waits{at.port()}, pipelines{at.port()};
  half.send("GET / HT");
  waits.send(plain_get);
  pipelines.send(std::string{plain_get} + plain_get + "GET /");
  at.seen.wait_for(2);
  at.close_listener();
  for (auto one : {&idle, &half, &waits, &pipelines})
    EXPECT_TRUE(one->sees_the_end());
  auto told = at.seen.wait_for(4);
  std::sort(told.begin(), told.end());
  EXPECT_EQ(told, (lines{"GET /", "GET /", "closed 0", "closed 1"}));
}

TEST_F(listener_test, may_be_destroyed_before_it_accepts) {
  listener::thread_list threads;
  threads.push_back(std::make_unique<io_thread>());
  auto on = std::make_unique<listener>(threads, listening_place{"127.0.0.1"});
  tcp_client client{on->port()};
  on.reset();
  EXPECT_TRUE(client.sees_the_end());
}

TEST_F(listener_test, may_be_destroyed_while_clients_arrive) {
  for (auto i = 0; i < 50; ++i) {
    test_listener at{{}, answer_at_once, 2};
    tcp_client first{at.port()}, second{at.port()};
    second.send(plain_get);
  }
}

// -- out of descriptors ------------------------------------------------------------------

namespace {

bool is_answered(test_listener& at) {
  tcp_client client{at.port()};
  client.send(plain_get);
  at.settle();
  auto result = client.status() == 200;
  client.reset();
  at.settle();
  return result;
}

/// Runs in a child process: leaves a descriptor for the client, and none for the listener.
int accept_without_descriptors() {
  test_listener at{{}, answer_at_once};
  if (!is_answered(at)) // sanitizers open descriptors on first use
    return 2;
  rlimit before;
  ::getrlimit(RLIMIT_NOFILE, &before);
  auto next = ::dup(0);
  ::close(next);
  rlimit tight{static_cast<rlim_t>(next) + 1, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &tight);
  tcp_client client{at.port()};
  client.send(plain_get);
  auto is_served = client.status() == 200;
  ::setrlimit(RLIMIT_NOFILE, &before);
  return is_served ? 0 : 1;
}

} // namespace

TEST_F(listener_test, keeps_a_descriptor_for_a_client_that_comes_when_there_is_no_other) {
  auto pid = ::fork();
  if (pid == 0)
    ::_exit(accept_without_descriptors());
  int status = -1;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
}

} // namespace troupe::tests::listener_test
