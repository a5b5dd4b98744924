// The cost of one call, counted in allocations, system calls and messages. A change of the cost fails here, and the new
// numbers are recorded here.

#include "tests/bench/costs/counts.hpp"
#include "tests/embed/in_session.hpp"

#include <gtest/gtest.h>
#include <troupe/caf.hpp>

#include <iostream>
#include <string>

using namespace troupe;
using namespace troupe::tests;

namespace {

/// Recorded numbers may differ by this part.
constexpr double tolerance = 0.1;

struct cost {
  double allocations = 0;
  /// In units of 1 KiB.
  double allocated = 0;
  double system_calls = 0;
  double messages = 0;
  double actors = 0;
};

gateway_options echoing() {
  gateway_options result;
  result.port = 0;
  result.threads = 1;
  result.grace = {};
  result.servers.push_back({.source = command(TROUPE_BENCH_ECHO), .sharing = sharing::shared});
  return result;
}

class call_costs : public testing::Test {
protected:
  call_costs() {
    bench::leave_out_this_thread();
    client_.tell(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    client_.socket.read_answer();
  }

  /// Makes calls in turn on one connection, after a few calls to warm up.
  cost of_one(const std::string& arguments) {
    calls(arguments, 200);
    auto before = bench::costs_so_far();
    auto last_actor = system_.latest_actor_id();
    calls(arguments, counted);
    auto after = bench::costs_so_far();
    auto each = [](std::size_t from, std::size_t to) { return static_cast<double>(to - from) / counted; };
    return {each(before.allocations, after.allocations), each(before.allocated_bytes, after.allocated_bytes) / 1024,
            each(before.system_calls, after.system_calls), each(before.messages, after.messages),
            each(last_actor, system_.latest_actor_id())};
  }

private:
  static constexpr int counted = 1000;

  void calls(const std::string& arguments, int count) {
    for (int i = 0; i < count; ++i) {
      client_.tell(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":)" + arguments +
                   "}}");
      ASSERT_EQ(client_.socket.read_answer().status, 200);
    }
  }

  struct configuration : caf::actor_system_config {
    configuration() { configure(*this); }
  };
  configuration configuration_;
  caf::actor_system system_{configuration_};
  gateway at_{system_, echoing()};
  in_session client_{at_};
};

void expect_about(double seen, double recorded, const char* what) {
  std::cout << what << ": " << seen << '\n';
  EXPECT_NEAR(seen, recorded, recorded * tolerance) << what << ": if that is right, record it";
}

} // namespace

TEST_F(call_costs, of_a_short_call_are_those_recorded) {
  auto seen = of_one(R"({"message":"hello"})");
  expect_about(seen.allocations, 31.4, "allocations");
  expect_about(seen.allocated, 5.2, "KiB allocated");
  expect_about(seen.system_calls, 10, "system calls");
  expect_about(seen.messages, 4, "messages");
  expect_about(seen.actors, 1, "actors");
}

TEST_F(call_costs, of_a_call_with_a_long_result_are_those_recorded) {
  auto seen = of_one(R"({"message":"hello","size":65536})");
  // The kernel decides in how many pieces the result arrives.
  expect_about(seen.allocations, 31.4, "allocations");
  expect_about(seen.allocated, 196, "KiB allocated");
}
