// Limits of all connections together: their number, and the bytes buffered for clients that do not read.

#include "net/server/listener.hpp"
#include "tests/support/plain_get.hpp"
#include "tests/support/test_listener.hpp"

#include <algorithm>
#include <poll.h>
#include <sys/resource.h>

namespace troupe::tests::connection_totals_test {

using namespace net;
using namespace std::chrono_literals;

namespace {

connection_limits with(auto change) {
  connection_limits result;
  change(result);
  return result;
}

connection_limits at_most(std::size_t connections) {
  return with([=](auto& x) { x.connections = connections; });
}

void answer_at_once(exchange& one) { one.respond(text_answer("fine")); }

/// A connection that was answered, and is idle now.
std::unique_ptr<tcp_client> served(test_listener& at) {
  auto result = std::make_unique<tcp_client>(at.port());
  result->send(plain_get);
  EXPECT_EQ(result->status(), 200);
  at.settle();
  return result;
}

/// Makes every attempt to open a descriptor fail.
class few_descriptors {
public:
  few_descriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int next = ::dup(0); // the lowest free descriptor
    ::close(next);
    rlimit few{static_cast<rlim_t>(next), before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  ~few_descriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  few_descriptors(const few_descriptors&) = delete;
  few_descriptors& operator=(const few_descriptors&) = delete;

private:
  rlimit before_;
};

/// A client that opens its descriptor before it connects.
class late_client {
public:
  late_client() : fd_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {}
  ~late_client() { ::close(fd_); }
  late_client(const late_client&) = delete;
  late_client& operator=(const late_client&) = delete;

  void connect(std::uint16_t port) {
    sockaddr_in to{AF_INET, htons(port), {htonl(INADDR_LOOPBACK)}, {}};
    EXPECT_EQ(::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  }
  /// The beginning of the answer.
  std::string answer() {
    ::send(fd_, plain_get, std::string_view{plain_get}.size(), MSG_NOSIGNAL);
    pollfd wait{fd_, POLLIN, 0};
    ::poll(&wait, 1, static_cast<int>(std::chrono::milliseconds{patience}.count()));
    std::string result(12, '\0');
    result.resize(
        static_cast<std::size_t>(std::max<ssize_t>(::recv(fd_, result.data(), result.size(), MSG_DONTWAIT), 0)));
    return result;
  }

private:
  int fd_;
};

using connection_totals_test = tidy_test;

} // namespace

TEST_F(connection_totals_test, drop_nobody_up_to_the_limit) {
  test_listener at{at_most(3), answer_at_once};
  tcp_client first{at.port()};
  auto second = served(at), third = served(at);
  EXPECT_EQ(at.totals.count->now(), 3u);
  first.send(plain_get);
  EXPECT_EQ(first.status(), 200);
}

TEST_F(connection_totals_test, drop_the_oldest_idle_connection_for_a_new_one) {
  test_listener at{at_most(3), answer_at_once};
  auto first = served(at), second = served(at), third = served(at);
  first->send(plain_get);
  EXPECT_EQ(first->status(), 200);
  at.settle();
  auto fourth = served(at);
  EXPECT_TRUE(second->sees_the_end());
  EXPECT_FALSE(second->was_reset());
  for (auto* one : {&first, &third, &fourth}) {
    (*one)->send(plain_get);
    EXPECT_EQ((*one)->status(), 200);
  }
  EXPECT_EQ(at.totals.count->now(), 3u);
}

TEST_F(connection_totals_test, drop_a_connection_that_never_asked_before_one_that_did) {
  test_listener at{at_most(3), answer_at_once};
  auto first = served(at);
  tcp_client silent{at.port()}, half{at.port()};
  half.send("GET / HT");
  auto fourth = served(at);
  EXPECT_TRUE(silent.sees_the_end());
  auto fifth = served(at);
  EXPECT_TRUE(half.sees_the_end());
  first->send(plain_get);
  EXPECT_EQ(first->status(), 200);
}

TEST_F(connection_totals_test, drop_the_oldest_of_all_threads) {
  test_listener at{at_most(4), answer_at_once, 2};
  std::vector<std::unique_ptr<tcp_client>> clients;
  for (auto i = 0; i < 4; ++i)
    clients.push_back(served(at));
  clients[0]->send(plain_get);
  EXPECT_EQ(clients[0]->status(), 200);
  at.settle();
  auto newest = served(at); // uses the thread of the first and the third
  EXPECT_TRUE(clients[1]->sees_the_end());
}

TEST_F(connection_totals_test, turn_the_newest_away_when_all_are_busy) {
  test_listener at{at_most(2)};
  tcp_client first{at.port()}, second{at.port()};
  first.send(plain_get);
  second.send(plain_get);
  at.seen.wait_for(2);
  tcp_client third{at.port()};
  auto answer = third.read_answer();
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.head.find("Retry-After: 1"), answer.head.npos);
  EXPECT_NE(answer.body.find("too many connections"), answer.body.npos);
  EXPECT_TRUE(third.sees_the_end());
  at.respond(0, "late");
  EXPECT_EQ(first.read_answer().body, "late");
  tcp_client fourth{at.port()};
  EXPECT_TRUE(first.sees_the_end());
  fourth.send(plain_get);
  EXPECT_EQ(at.seen.wait_for(3).size(), 3u);
}

namespace {

/// With enough time for refused clients on a busy machine.
connection_limits at_most_but_for_probes(std::size_t connections) {
  auto result = at_most(connections);
  result.last_request = result.surplus_linger = patience;
  result.is_always_answered = [](const protocol::http_request& request) { return request.target == "/healthz"; };
  return result;
}

constexpr const char* probe = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

/// A listener whose connections are all in use.
struct full_listener : test_listener {
  explicit full_listener(connection_limits limits = at_most_but_for_probes(2)) : test_listener{limits} {
    for (auto* one : {&first, &second})
      one->send(plain_get);
    seen.wait_for(2);
  }
  tcp_client first{port()}, second{port()};
};

} // namespace

TEST_F(connection_totals_test, answer_probes_when_all_are_busy) {
  full_listener at;
  tcp_client third{at.port()};
  third.send(probe);
  EXPECT_EQ(at.seen.wait_for(3).size(), 3u);
  at.respond(2, "alive");
  const auto answer = third.read_answer();
  EXPECT_EQ(answer.status, 200);
  EXPECT_NE(answer.head.find("Connection: close"), answer.head.npos);
  EXPECT_TRUE(third.sees_the_end());
  EXPECT_EQ(at.totals.refusals->of(refusal::connections), 0u);
}

TEST_F(connection_totals_test, read_what_is_sent_by_those_who_are_turned_away) {
  full_listener at;
  tcp_client third{at.port()};
  third.send("POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n");
  EXPECT_EQ(third.read_answer().status, 503);
  third.send(std::string(100'000, 'x'));
  EXPECT_TRUE(third.sees_the_end());
  EXPECT_FALSE(third.was_reset());
  EXPECT_EQ(at.totals.refusals->of(refusal::connections), 1u);
}

TEST_F(connection_totals_test, turn_away_those_who_are_too_many_and_ask_nothing) {
  auto limits = at_most_but_for_probes(2);
  limits.last_request = 10ms;
  full_listener at{limits};
  tcp_client third{at.port()};
  EXPECT_EQ(third.read_answer().status, 503);
}

TEST_F(connection_totals_test, have_a_place_again_for_who_comes_after_a_surplus) {
  full_listener at;
  const auto places = most_surplus(2);
  std::vector<std::unique_ptr<tcp_client>> silent;
  for (std::size_t i = 0; i < places; ++i)
    silent.push_back(std::make_unique<tcp_client>(at.port()));
  EXPECT_TRUE(eventually([&] { return at.totals.overflow.taken() == places; }));
  tcp_client one_more{at.port()};
  EXPECT_EQ(one_more.read_answer().status, 503) << "at once, as no place is left";
  at.respond(0, "done");
  EXPECT_EQ(at.first.read_answer().body, "done");
  tcp_client next{at.port()};
  next.send(plain_get);
  EXPECT_EQ(at.seen.wait_for(3).size(), 3u) << "the idle one makes room, whoever is a surplus";
}

TEST_F(connection_totals_test, drop_nobody_whose_answer_is_still_to_be_read) {
  test_listener at{at_most(1)};
  tcp_client reads{at.port()};
  reads.send(plain_get);
  at.seen.wait_for(1);
  at.respond(0, std::string(20'000'000, 'x'));
  tcp_client other{at.port()};
  EXPECT_EQ(other.status(), 503);
  EXPECT_EQ(reads.read_answer().body.size(), 20'000'000u);
}

TEST_F(connection_totals_test, go_on_when_there_is_no_descriptor) {
  test_listener at{{}, answer_at_once};
  std::vector<std::unique_ptr<tcp_client>> idle;
  for (auto i = 0; i < 3; ++i)
    idle.push_back(served(at));
  std::vector<std::unique_ptr<late_client>> clients;
  for (auto i = 0; i < 3; ++i)
    clients.push_back(std::make_unique<late_client>());
  few_descriptors none;
  for (auto& one : clients) {
    one->connect(at.port());
    EXPECT_EQ(one->answer(), "HTTP/1.1 200");
  }
}

// Bytes accepted by the kernel at once count until the whole answer is written.
TEST_F(connection_totals_test, close_who_has_kept_the_most_unread_for_the_longest) {
  constexpr std::size_t size = 20'000'000;
  test_listener at{{}, [](auto& one) { one.respond(text_answer(std::string(size, 'x'))); }, 2, 2 * size + 10'000};
  tcp_client first{at.port()}, second{at.port()}, third{at.port()};
  first.send(plain_get);
  EXPECT_TRUE(eventually([&] { return at.totals.unsent->held() > size; }));
  second.send(plain_get);
  EXPECT_TRUE(eventually([&] { return at.totals.unsent->held() > 2 * size; }));
  third.send(plain_get);
  EXPECT_LT(first.read_to_end().size(), size);
  EXPECT_EQ(second.read_answer().body.size(), size);
  EXPECT_EQ(third.read_answer().body.size(), size);
  EXPECT_TRUE(eventually([&] { return at.totals.unsent->held() == 0; }));
}

} // namespace troupe::tests::connection_totals_test
