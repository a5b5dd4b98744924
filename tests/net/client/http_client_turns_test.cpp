#include "net/client/http_client.hpp"

#include "net/client/http_client_call.hpp"
#include "tests/support/http_caller.hpp"

#include <algorithm>

namespace troupe::tests::http_client_turns_test {

using namespace net;
using namespace std::chrono_literals;
using troupe::protocol::call_priority;

namespace {

/// Answers a request when the test allows it.
class slow_server {
public:
  std::string url() const { return server_.url(); }
  std::size_t accepted() const { return server_.accepted(); }
  std::size_t asked() const { return asked_; }
  void answer_one() { allow(1); }
  /// Allows all answers from now on.
  void let_go() { allow(10'000); }

private:
  void play(peer& one) {
    while (!one.read_request().empty()) {
      ++asked_;
      std::unique_lock lock{mutex_};
      changed_.wait_for(lock, patience, [&] { return allowed_ > 0; });
      --allowed_;
      lock.unlock();
      one.say(length_answer("x"));
    }
  }
  void allow(std::size_t more) {
    std::lock_guard lock{mutex_};
    allowed_ += more;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t allowed_ = 0;
  std::atomic<std::size_t> asked_ = 0;
  http_server server_{[this](peer& one) { play(one); }};
};

http_client_options with_two() {
  http_client_options result;
  result.connections = 2;
  return result;
}

struct http_client_turns_test : tidy_test {
  slow_server server;
  http_caller caller{with_two()};

  std::uint64_t asks(call_priority turn, std::chrono::milliseconds patience = 0ms) {
    return caller.start({.method = "POST", .url = server.url(), .body = "{}", .head_timeout = patience, .turn = turn});
  }
  void fill() {
    asks(call_priority::request);
    asks(call_priority::request);
    EXPECT_TRUE(eventually([&] { return server.asked() == 2; }));
  }
  void TearDown() override {
    server.let_go();
    caller.stop();
  }
};

} // namespace

TEST_F(http_client_turns_test, let_a_call_wait_for_the_end_of_another) {
  fill();
  auto third = asks(call_priority::request);
  bool waits = false;
  run_on(caller.thread(), [&] { waits = caller.client().waits(third); });
  EXPECT_TRUE(waits);
  server.answer_one();
  EXPECT_TRUE(eventually([&] { return server.asked() == 3; }));
  EXPECT_EQ(server.accepted(), 2u) << "the third call uses the connection of the first";
}

TEST_F(http_client_turns_test, let_no_message_wait_for_requests) {
  fill();
  asks(call_priority::message);
  EXPECT_TRUE(eventually([&] { return server.asked() == 3; }));
}

TEST_F(http_client_turns_test, let_no_uncounted_call_wait) {
  fill();
  asks(call_priority::uncounted);
  EXPECT_TRUE(eventually([&] { return server.asked() == 3; }));
}

TEST_F(http_client_turns_test, end_with_the_time_of_a_call_that_waits) {
  fill();
  auto third = asks(call_priority::request, 100ms);
  EXPECT_EQ(caller.wait_for_end(third).back(), "3 failed: timed out after 100 ms while waiting for a connection");
  EXPECT_EQ(server.asked(), 2u);
}

TEST_F(http_client_turns_test, are_not_given_to_a_call_that_was_aborted) {
  fill();
  caller.abort(asks(call_priority::request));
  asks(call_priority::request);
  server.answer_one();
  EXPECT_TRUE(eventually([&] { return server.asked() == 3; }));
  server.let_go();
  EXPECT_EQ(std::ranges::count(caller.wait_for_end(4), "4 end x"), 1);
}

TEST_F(http_client_turns_test, are_free_when_a_call_is_aborted_or_released) {
  fill();
  auto third = asks(call_priority::request), fourth = asks(call_priority::request);
  EXPECT_LT(third, fourth);
  caller.abort(1);
  EXPECT_TRUE(eventually([&] { return server.asked() == 3; }));
  run_on(caller.thread(), [&] { caller.client().release(2); });
  EXPECT_TRUE(eventually([&] { return server.asked() == 4; }));
}

TEST_F(http_client_turns_test, are_refused_when_too_many_wait) {
  fill();
  for (auto i = 0; i < 1000; ++i)
    asks(call_priority::request);
  auto last = asks(call_priority::request);
  EXPECT_EQ(caller.wait_for_end(last).back(),
            "1003 failed: too many calls wait for a connection to it, and this one was not sent");
}

TEST_F(http_client_turns_test, are_shared_by_the_clients_of_a_server) {
  journal seen;
  http_client_group group{with_two()};
  auto one = std::make_unique<http_client>(group.on(caller.thread()));
  http_client other{group.on(caller.thread())};
  auto call = [&](http_client& by) {
    http_call_events events;
    events.begun = [&] { seen.note("begun"); };
    events.end = [&] { seen.note("end"); };
    run_on(caller.thread(), [&] {
      by.start({.method = "POST", .url = server.url(), .body = "{}", .turn = call_priority::request},
               std::move(events));
    });
  };
  call(*one);
  call(*one);
  call(other);
  EXPECT_TRUE(eventually([&] { return server.asked() == 3; })) << "the first call of a client never waits";
  call(other);
  one.reset();
  EXPECT_EQ(seen.wait_for(1), (lines{"begun"}));
  server.let_go();
  EXPECT_EQ(seen.wait_for(3), (lines{"begun", "end", "end"}));
}

// -- user of a connection --------------------------------------------------------------------------

TEST(http_client_groups, are_one_for_each_as_long_as_somebody_has_it) {
  http_client_groups all{http_client_options{}};
  auto ada = all.of("ada");
  EXPECT_EQ(all.of("ada"), ada);
  EXPECT_NE(all.of("eve"), ada);
  std::vector<std::shared_ptr<http_client_group>> kept;
  for (std::size_t i = 0; i < 10 * http_client_groups::most_untidy; ++i)
    kept.push_back(all.of(std::to_string(i)));
  EXPECT_EQ(all.of("7"), kept[7]);
  kept.clear();
  for (std::size_t i = 0; i < 100 * http_client_groups::most_untidy; ++i) {
    all.of("gone " + std::to_string(i));
    EXPECT_LE(all.size(), 25 * http_client_groups::most_untidy);
  }
  EXPECT_LE(all.size(), 2 * http_client_groups::most_untidy) << "those that are gone are forgotten";
  EXPECT_EQ(all.of("ada"), ada);
}

} // namespace troupe::tests::http_client_turns_test
