// Local servers whose era decides whether their users share one process.

#define CAF_SUITE sharing

#include "tests/support/world.hpp"

#include <algorithm>

namespace troupe::tests::sharing_suite {

using namespace std::chrono_literals;

namespace {

const std::string initialize = client_hello();
const std::string greeting = R"("result":{"protocolVersion":"2025-06-18","capabilities":{}}})";
const std::string welcome = R"({"jsonrpc":"2.0","id":1,)" + greeting;
const std::string call = R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t"}})";

std::size_t count_of(const lines& output, const std::string& word) {
  return static_cast<std::size_t>(std::ranges::count_if(output, [&](auto& one) { return one.find(word) != one.npos; }));
}

struct era_world : world {
  era_world() {
    auto program = server("a", sharing::automatic);
    program.source = command_server{.program = "x"};
    serve({program});
  }

  /// Server 1 answers `initialize` as a 2026-07-28 server.
  void greets_as_modern() {
    auto greeting = protocol::gateway_message(welcome);
    greeting.claims_modern = true;
    caf::send_as(caf::actor_cast<caf::actor>(upstreams.at(0)), caf::actor_cast<caf::actor>(sessions.at(0)),
                 actors::from_server{std::move(greeting)});
    run();
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(sharing_tests, era_world)

CAF_TEST(the process of the first user becomes that of all when it greets as modern) {
  post("x", "", initialize);
  post("y", "", initialize);
  CAF_CHECK_EQUAL(servers, 1);
  CAF_CHECK_EQUAL(count_of(seen(), "server1 < "), 1u);
  greets_as_modern();
  CAF_CHECK_EQUAL(count_of(seen(), " 200 "), 2u);
  end("d", "s1");
  CAF_CHECK_EQUAL(servers, 1);
  seen();
  post("z", "s2", call);
  CAF_CHECK_EQUAL(count_of(seen(), "server1 < "), 1u);
  post("w", "", initialize);
  CAF_CHECK_EQUAL(servers, 1);
  CAF_CHECK_EQUAL(count_of(seen(), " 200 "), 1u);
}

CAF_TEST(the process of all ends when nobody has used it for a minute) {
  post("x", "", initialize);
  greets_as_modern();
  end("d", "s1");
  pass(59s);
  CAF_CHECK_EQUAL(servers, 1);
  pass(1s);
  CAF_CHECK_EQUAL(servers, 0);
  post("y", "", initialize);
  CAF_CHECK_EQUAL(servers, 1);
}

CAF_TEST(the loss of the process of all ends no session) {
  post("x", "", initialize);
  greets_as_modern();
  post("y", "", initialize);
  seen();
  server_dies(1);
  CAF_CHECK_EQUAL(servers, 1);
  CAF_CHECK_EQUAL(sessions.size(), 2u);
  auto output = seen();
  CAF_CHECK_EQUAL(count_of(output, R"("clientInfo":{"name":"troupe")"), 1u);
}

CAF_TEST(each session has its own process when the first greets as one with sessions) {
  post("x", "", initialize);
  post("y", "", initialize);
  CAF_CHECK_EQUAL(servers, 1);
  server_says(1, welcome);
  CAF_CHECK_EQUAL(servers, 2);
  CAF_CHECK_EQUAL(count_of(seen(), "server2 < "), 1u);
  end("d", "s1");
  CAF_CHECK_EQUAL(servers, 1);
}

CAF_TEST(nobody waits longer than five seconds for the first process) {
  post("x", "", initialize);
  post("y", "", initialize);
  pass(4999ms);
  CAF_CHECK_EQUAL(servers, 1);
  pass(1ms);
  CAF_CHECK_EQUAL(servers, 2);
  greets_as_modern();
  post("z", "", initialize);
  CAF_CHECK_EQUAL(servers, 2);
}

CAF_TEST(another user is the first when the first is lost) {
  post("x", "", initialize);
  post("y", "", initialize);
  server_dies(1);
  CAF_CHECK_EQUAL(servers, 1);
  CAF_CHECK_EQUAL(count_of(seen(), "server2 < "), 1u);
}

CAF_TEST(a program that is told to have one process each has it whatever its era) {
  auto program = server("b", sharing::session);
  program.source = command_server{.program = "x"};
  serve({program});
  post("x", "", initialize);
  post("y", "", initialize);
  CAF_CHECK_EQUAL(servers, 2);
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::sharing_suite
