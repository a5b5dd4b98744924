#include "net/client/call_carrier.hpp"

#include "net/io_thread.hpp"
#include "tests/support/http_server.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::tests::call_carrier_test {

using namespace net;
using namespace protocol;

namespace {

http_client_options with_one() {
  http_client_options result;
  result.connections = 1;
  return result;
}

/// A carrier of calls to a server that answers each but those to `/never`. Its journal has each event that came, before
/// it is accepted.
struct call_carrier_test : tidy_test {
  http_server server{[](peer& one) {
    for (auto asked = one.read_request(); !asked.empty(); asked = one.read_request())
      if (asked.find("/never") == asked.npos)
        one.say(length_answer("x"));
  }};
  journal seen;
  std::vector<call_event> told;
  std::optional<io_thread> thread{std::in_place};
  std::unique_ptr<call_carrier> carrier =
      std::make_unique<call_carrier>(http_client_group{with_one()}.on(*thread), [this](call_event news) {
        static const lines names{"begun", "head", "body", "ended", "failed", "withheld"};
        told.push_back(news);
        seen.note(names[news.what.index()]);
      });

  bool sends(http_call_id call, const std::string& path) {
    bool waits = false;
    run_on(*thread, [&] {
      waits =
          carrier->send({.call = call, .method = "POST", .url = server.url() + path, .turn = call_priority::request});
    });
    return waits;
  }
  /// The call of an event that came; 0 if it was superseded.
  http_call_id call_of(std::size_t event) {
    http_call_id result = 0;
    run_on(*thread, [&] { result = carrier->accept(told.at(event)) ? told.at(event).call : 0; });
    return result;
  }
  void drops(http_call_id call) {
    run_on(*thread, [&] { carrier->drop(call); });
  }
  void TearDown() override {
    carrier.reset();
    thread.reset();
  }
};

} // namespace

TEST_F(call_carrier_test, reports_what_becomes_of_a_call_by_its_number) {
  EXPECT_FALSE(sends(7, "/"));
  EXPECT_EQ(seen.wait_for(3), (lines{"head", "body", "ended"}));
  for (std::size_t event = 0; event < 3; ++event)
    EXPECT_EQ(call_of(event), 7u);
}

TEST_F(call_carrier_test, takes_no_event_of_an_attempt_that_was_dropped_for_one_of_the_next) {
  sends(7, "/");
  seen.wait_for(3);
  drops(7);
  EXPECT_EQ(call_of(0), 0u);
  sends(7, "/");
  seen.wait_for(6);
  EXPECT_EQ(call_of(1), 0u);
  EXPECT_EQ(call_of(3), 7u);
  EXPECT_EQ(call_of(2), 0u);
  EXPECT_EQ(call_of(5), 7u);
}

TEST_F(call_carrier_test, gives_the_turn_of_a_call_that_is_dropped_or_released_to_the_next) {
  EXPECT_FALSE(sends(1, "/never"));
  EXPECT_TRUE(sends(2, "/never"));
  EXPECT_TRUE(sends(3, "/never"));
  drops(1);
  EXPECT_EQ(seen.wait_for(1), lines{"begun"});
  EXPECT_EQ(call_of(0), 2u);
  run_on(*thread, [&] { carrier->release({.call = 2}); });
  EXPECT_EQ(seen.wait_for(2), (lines{"begun", "begun"}));
  EXPECT_EQ(call_of(1), 3u);
}

TEST_F(call_carrier_test, does_nothing_for_a_call_that_is_not_running) {
  run_on(*thread, [&] { carrier->release({.call = 5, .may_end = true}); });
  drops(5);
  EXPECT_EQ(seen.all(), lines{});
}

} // namespace troupe::tests::call_carrier_test
