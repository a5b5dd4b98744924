#include "net/server/connection.hpp"

#include "tests/support/plain_get.hpp"
#include "tests/support/test_listener.hpp"

#include <atomic>

namespace troupe::tests::connection_end_test {

using namespace net;

namespace {

/// A client with a request that the listener's script has not answered.
class connection_end_test : public tidy_test {
protected:
  void ask() {
    client->send(plain_get);
    ASSERT_EQ(at->seen.wait_for(1), lines{"GET /"});
  }
  void ask_for_events() {
    ask();
    at->let(0, [](auto& one) { one.begin_events(events_head()); });
    client->read_until("\r\n\r\n");
  }
  /// Expects exactly the lines `told`, after waiting for further ones.
  void expect_only(const lines& told) {
    EXPECT_EQ(at->seen.wait_for(told.size()), told);
    for (auto i = 0; i < 10; ++i)
      at->settle();
    EXPECT_EQ(at->seen.all(), told);
  }

  std::unique_ptr<test_listener> at = std::make_unique<test_listener>();
  std::unique_ptr<tcp_client> client = std::make_unique<tcp_client>(at->port());
};

protocol::http_response gone() { return {404, {}, "gone"}; }

} // namespace

// -- the client leaves -----------------------------------------------------------------

TEST_F(connection_end_test, tells_once_that_a_waiting_client_left) {
  ask();
  client->leave();
  expect_only({"GET /", "closed 0"});
}

TEST_F(connection_end_test, tells_once_that_a_waiting_client_was_reset) {
  ask();
  client->reset();
  expect_only({"GET /", "closed 0"});
}

TEST_F(connection_end_test, takes_a_half_closed_connection_for_closed) {
  ask();
  client->finish_sending();
  expect_only({"GET /", "closed 0"});
  EXPECT_TRUE(client->sees_the_end());
}

TEST_F(connection_end_test, tells_once_that_the_client_of_a_stream_left) {
  ask_for_events();
  at->let(0, [](auto& one) { one.write("data: 1\n\n"); });
  client->leave();
  expect_only({"GET /", "closed 0"});
}

TEST_F(connection_end_test, tells_once_that_the_client_of_a_stream_was_reset) {
  ask_for_events();
  client->reset();
  expect_only({"GET /", "closed 0"});
}

TEST_F(connection_end_test, notices_a_client_that_left_after_it_pipelined) {
  ask();
  client->send(plain_get);
  client->leave();
  expect_only({"GET /", "closed 0"});
}

TEST_F(connection_end_test, drops_what_is_written_after_the_client_left) {
  ask_for_events();
  client->reset();
  at->seen.wait_for(2);
  at->let(0, [](auto& one) {
    one.write("data: 1\n\n");
    one.end();
    one.respond(text_answer("late"));
  });
  at->drop(0);
  expect_only({"GET /", "closed 0"});
}

TEST_F(connection_end_test, keeps_the_request_readable_after_the_client_left) {
  ask();
  client->reset();
  at->seen.wait_for(2);
  at->let(0, [](auto& one) { EXPECT_EQ(one.request().field("Host"), "x"); });
}

TEST_F(connection_end_test, tells_a_late_listener_that_the_client_left_already) {
  at->listens_for_closed = false;
  ask();
  client->reset();
  tcp_client{at->port()}.leave();
  at->listener().drain();
  at->listener().wait_until_closed(patience);
  at->let(0, [this](auto& one) {
    one.on_closed([this] { at->seen.note("late"); });
    at->seen.note("asked");
  });
  expect_only({"GET /", "asked", "late"});
}

TEST_F(connection_end_test, tells_nothing_once_the_answer_is_complete) {
  ask();
  at->respond(0, "fine");
  EXPECT_EQ(client->status(), 200);
  client->reset();
  expect_only({"GET /"});
}

TEST_F(connection_end_test, tells_nothing_after_an_exchange_is_destroyed) {
  ask();
  client->reset();
  at->drop(0);
  at->settle();
  auto told = at->seen.all().size();
  expect_only(told == 1 ? lines{"GET /"} : lines{"GET /", "closed 0"}); // either may come first, nothing may follow
}

TEST_F(connection_end_test, tells_nothing_when_the_exchange_is_destroyed_right_after_its_connection) {
  at.reset();
  connection_limits limits;
  limits.unsent = 10;
  at = std::make_unique<test_listener>(limits);
  client = std::make_unique<tcp_client>(at->port());
  ask_for_events();
  run_on(at->thread(), [this] {
    auto one = at->take_away(0);
    for (auto i = 0; i < 4; ++i)
      one->write(std::string(20'000'000, 'e')); // exceeds the limit, so the connection is closed
    at->thread().post([this] { at->seen.note("destroyed before"); });
  });
  expect_only({"GET /", "destroyed before"});
}

TEST_F(connection_end_test, never_tells_from_inside_a_call) {
  at.reset();
  connection_limits limits;
  limits.unsent = 10;
  at = std::make_unique<test_listener>(limits);
  client = std::make_unique<tcp_client>(at->port());
  ask_for_events();
  at->let(0, [this](auto& one) {
    for (auto i = 0; i < 4; ++i)
      one.write(std::string(20'000'000, 'e'));
    at->seen.note("written");
  });
  expect_only({"GET /", "written", "closed 0"});
}

TEST_F(connection_end_test, lets_an_exchange_be_destroyed_when_it_is_told) {
  ask();
  at->let(0, [this](auto& one) {
    one.on_closed([this] {
      at->drop(0);
      at->seen.note("dropped");
    });
  });
  client->reset();
  expect_only({"GET /", "dropped"});
}

// -- loss of the exchange ----------------------------------------------------------------

TEST_F(connection_end_test, gives_the_answer_of_an_abandoned_exchange) {
  ask();
  at->let(0, [](auto& one) { one.on_abandoned(gone); });
  at->drop(0);
  auto answer = client->read_answer();
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.body, "gone");
  client->send(plain_get);
  expect_only({"GET /", "GET /"});
}

TEST_F(connection_end_test, closes_on_the_client_of_an_abandoned_exchange_that_has_no_answer) {
  ask();
  at->drop(0);
  EXPECT_TRUE(client->sees_the_end());
  expect_only({"GET /"});
}

TEST_F(connection_end_test, does_not_give_one_exchange_the_last_words_of_another) {
  ask();
  at->let(0, [](auto& one) { one.on_abandoned(gone); });
  at->respond(0, "fine");
  EXPECT_EQ(client->status(), 200);
  client->send(plain_get);
  at->seen.wait_for(2);
  at->drop(1);
  EXPECT_TRUE(client->sees_the_end());
}

TEST_F(connection_end_test, closes_on_a_client_whose_stream_was_abandoned) {
  ask_for_events();
  at->let(0, [](auto& one) { one.on_abandoned(gone); });
  at->drop(0);
  EXPECT_TRUE(client->sees_the_end());
  expect_only({"GET /"});
}

TEST_F(connection_end_test, bears_an_exchange_that_is_destroyed_as_it_is_taken) {
  listener::thread_list threads;
  threads.push_back(std::make_unique<io_thread>());
  listener drops{threads, {"127.0.0.1", 0}};
  drops.accept({}, [](auto) { return [](std::unique_ptr<exchange> one) { one->on_abandoned(gone); }; });
  tcp_client refused{drops.port()};
  refused.send(std::string{plain_get} + plain_get);
  EXPECT_EQ(refused.status(), 404);
  EXPECT_EQ(refused.status(), 404);
}

TEST_F(connection_end_test, bears_exchanges_that_are_destroyed_while_their_clients_leave) {
  at->listens_for_closed = false;
  std::atomic<std::size_t> told = 0;
  for (auto i = 0u; i < 200; ++i) {
    tcp_client leaves{at->port()};
    leaves.send(plain_get);
    ASSERT_EQ(at->seen.wait_for(i + 1).size(), i + 1);
    at->let(i, [&](auto& one) { one.on_closed([&] { ++told; }); });
    leaves.reset();
    at->drop(i);
  }
  at->settle();
  EXPECT_LE(told, 200u);
}

TEST_F(connection_end_test, bears_a_client_that_leaves_at_every_moment) {
  at = std::make_unique<test_listener>(connection_limits{}, [](auto& one) {
    one.begin_events(events_head());
    one.write("data: 1\n\n");
    one.end();
  });
  std::string talk = std::string{plain_get} + "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}" + plain_get;
  for (std::size_t cut = 0; cut <= talk.size(); ++cut) {
    tcp_client leaves{at->port()};
    leaves.send(talk.substr(0, cut));
    cut % 2 ? leaves.reset() : leaves.leave();
  }
  tcp_client stays{at->port()};
  stays.send(plain_get);
  EXPECT_TRUE(stays.read_until("\r\n\r\n").starts_with("HTTP/1.1 200"));
}

} // namespace troupe::tests::connection_end_test
