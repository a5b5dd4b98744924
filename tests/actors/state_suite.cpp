#define CAF_SUITE state

#include "tests/support/world.hpp"

namespace troupe::tests::state_suite {

using namespace std::chrono_literals;

// The test is an actor itself, and counts as a broker.

CAF_TEST_FIXTURE_SCOPE(state_tests, world)

CAF_TEST(the state of an empty gateway is all zero but for who tells it) {
  request("a", {"GET", "/debug/state", {}, {}});
  pass(50ms);
  CAF_CHECK_EQUAL(
      seen(),
      (lines{
          R"(a 200 {"sessions":0,"leases":{"now":0,"calls":0,"parked":0,"listens":0},)"
          R"("streams":{"primary":0,"shadow":0,"call":0,"detached":0},)"
          R"("brokers":1,"calls":0,"questions":0,"waiting":0,"stored":{"events":0,"bytes":0},)"
          R"("dropped":0,"upstreams":[],"servers":[{"name":"server","session":"","state":"idle","restarts":0,)"
          R"("why":"","users":0}],"limits":{"sessions":{"used":0,"most":10}},"cluster":{"nodes":[],"relayed_here":0,"relayed_elsewhere":0},"problems":[],"actors":5})"}));
}

CAF_TEST(the state counts sessions and streams and calls and what waits) {
  open_session();
  open_session();
  get("g", "s1");
  get("h", "s1");
  post("p", "s1", R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  server_says(2, R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  seen();
  request("a", {"GET", "/debug/state", {}, {}});
  auto output = seen();
  CAF_REQUIRE_EQUAL(output.size(), 1u);
  CAF_CHECK_EQUAL(output[0].substr(0, output[0].find(",\"upstreams\"")),
                  R"(a 200 {"sessions":2,"leases":{"now":0,"calls":0,"parked":0,"listens":0},)"
                  R"("streams":{"primary":1,"shadow":1,"call":0,"detached":0},"brokers":4,)"
                  R"("calls":1,"questions":0,"waiting":1,"stored":{"events":0,"bytes":0},"dropped":0)");
}

CAF_TEST(a session that ends while it is asked does not keep the answer back) {
  open_session();
  caf::anon_send_exit(sessions[0], caf::exit_reason::unhandled_exception);
  request("a", {"GET", "/debug/state", {}, {}});
  pass(500ms);
  auto output = seen();
  CAF_REQUIRE_EQUAL(output.size(), 1u);
  CAF_CHECK_EQUAL(output[0].substr(0, 5), "a 200");
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::state_suite
