#define CAF_SUITE session

#include "tests/support/world.hpp"

namespace troupe::tests::session_suite {

using namespace std::chrono_literals;

namespace {

const std::string initialize = client_hello("\"i1\"", "2025-11-25");
const std::string call = R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x"}})";

std::string notice(const std::string& text) {
  return R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":")" + text + "\"}}";
}

} // namespace

CAF_TEST_FIXTURE_SCOPE(session_tests, world)

// -- lifetime of a session -----------------------------------------------------------

CAF_TEST(a session is known to its client once its server has agreed) {
  post("a", "", initialize);
  CAF_CHECK_EQUAL(seen(), (lines{"server1 < " + client_hello("1", "2025-11-25")}));
  server_says(1, R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}})");
  CAF_CHECK_EQUAL(seen(),
                  (lines{R"(a 200 opens s1 {"jsonrpc":"2.0","id":"i1","result":{"protocolVersion":"2025-11-25"}})"}));
}

CAF_TEST(a server that refuses to initialize leaves no session and no server) {
  post("a", "", initialize);
  seen();
  server_says(1, R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}})");
  CAF_CHECK_EQUAL(seen(), (lines{R"(a 200 {"jsonrpc":"2.0","id":"i1","error":{"code":-32602,"message":"no"}})"}));
  CAF_CHECK_EQUAL(servers, 0);
  get("b", "s1");
  CAF_CHECK_EQUAL(seen().front().substr(0, 5), "b 404");
}

CAF_TEST(a client that leaves before initialize is answered leaves no session and no server) {
  post("a", "", initialize);
  leave("a");
  CAF_CHECK_EQUAL(servers, 0);
  CAF_CHECK_EQUAL(at.reminders(), 0u);
}

CAF_TEST(a deleted session is gone with its server and its streams) {
  open_session();
  get("g", "s1");
  post("p", "s1", call);
  seen();
  end("d", "s1");
  CAF_CHECK_EQUAL(
      seen(),
      (lines{
          "d 200",
          R"(p 500 {"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Session ended before the request completed"}})",
          "g ends"}));
  CAF_CHECK_EQUAL(servers, 0);
  CAF_CHECK_EQUAL(at.reminders(), 0u);
  end("e", "s1");
  CAF_CHECK_EQUAL(seen().front().substr(0, 5), "e 404");
}

CAF_TEST(a server that dies fails its calls at once and its session is gone) {
  open_session();
  get("g", "s1");
  post("p", "s1", call);
  seen();
  server_dies(1);
  CAF_CHECK_EQUAL(seen(),
                  (lines{R"(p 200 {"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"the MCP server is gone"}})",
                         "g ends"}));
  post("q", "s1", call);
  CAF_CHECK_EQUAL(seen().front().substr(0, 5), "q 404");
}

CAF_TEST(a session that crashes drops its streams and leaves the others alone) {
  open_session();
  open_session();
  get("g", "s1");
  get("h", "s2");
  post("p", "s1", call);
  seen();
  caf::anon_send_exit(sessions[0], caf::exit_reason::unhandled_exception);
  run();
  auto after = seen();
  std::sort(after.begin(), after.end());
  CAF_REQUIRE_EQUAL(after.size(), 2u);
  CAF_CHECK_EQUAL(after[0], "g dropped");
  CAF_CHECK_EQUAL(after[1].substr(0, 5), "p 404");
  CAF_CHECK_EQUAL(servers, 1);
  server_says(2, notice("b"));
  CAF_CHECK_EQUAL(seen(), (lines{"h < " + notice("b")}));
}

CAF_TEST(an idle session ends after its time and takes its server with it) {
  open_session();
  pass(30min - 1ms);
  CAF_CHECK_EQUAL(servers, 1);
  pass(1ms);
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST(a session with an open stream is never idle) {
  open_session();
  get("g", "s1");
  pass(10h);
  CAF_CHECK_EQUAL(servers, 1);
  leave("g");
  pass(30min);
  CAF_CHECK_EQUAL(servers, 0);
}

// -- streams ---------------------------------------------------------------------------

CAF_TEST(the shadow speaks when the client of the primary hangs up) {
  open_session();
  get("g", "s1");
  get("h", "s1");
  server_says(1, notice("one"));
  leave("g");
  server_says(1, notice("two"));
  CAF_CHECK_EQUAL(seen(),
                  (lines{"g streams", "h streams", "g < " + notice("one"), "g hung up", "h < " + notice("two")}));
}

CAF_TEST(a message with nobody to hear it waits for the first stream) {
  open_session();
  server_says(1, notice("one"));
  server_says(1, notice("two"));
  CAF_CHECK_EQUAL(seen(), lines{});
  get("g", "s1");
  CAF_CHECK_EQUAL(seen(), (lines{"g streams", "g < " + notice("one"), "g < " + notice("two")}));
}

CAF_TEST(a silent stream is kept alive by comments) {
  open_session();
  get("g", "s1");
  seen();
  pass(15s);
  CAF_CHECK_EQUAL(seen(), (lines{"g : keepalive"}));
  pass(14s);
  server_says(1, notice("one"));
  pass(14s);
  CAF_CHECK_EQUAL(seen(), (lines{"g < " + notice("one")}));
  pass(1s);
  CAF_CHECK_EQUAL(seen(), (lines{"g : keepalive"}));
}

CAF_TEST(progress makes a stream of the call that it belongs to) {
  open_session();
  get("g", "s1");
  post("p", "s1", R"({"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"_meta":{"progressToken":"t"}}})");
  server_says(1, R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1}})");
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{}})");
  CAF_CHECK_EQUAL(
      seen(),
      (lines{"g streams",
             R"(server1 < {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{"progressToken":2}}})",
             "p streams",
             R"(p < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}})",
             R"(p < {"jsonrpc":"2.0","id":"c","result":{}})", "p ends"}));
}

CAF_TEST(what a server says in a row is a whole stream) {
  open_session();
  post("p", "s1", R"({"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"_meta":{"progressToken":"t"}}})");
  seen();
  const lines streamed{
      "p streams",
      R"(p < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}})",
      R"(p < {"jsonrpc":"2.0","id":"c","result":{}})", "p ends"};
  server_says(1, R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1}})",
              {R"({"jsonrpc":"2.0","id":2,"result":{}})"});
  CAF_CHECK_EQUAL(seen(), streamed);
  CAF_CHECK_EQUAL(brokers->size(), 0U);
}

CAF_TEST(a call that is late becomes a stream and stays alive) {
  open_session();
  post("p", "s1", call);
  seen();
  pass(15s);
  pass(15s);
  CAF_CHECK_EQUAL(seen(), (lines{"p streams", "p : keepalive"}));
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{}})");
  CAF_CHECK_EQUAL(seen(), (lines{R"(p < {"jsonrpc":"2.0","id":7,"result":{}})", "p ends"}));
}

CAF_TEST(a client that hangs up during a call cancels nothing) {
  open_session();
  post("p", "s1", call);
  leave("p");
  seen();
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{}})");
  CAF_CHECK_EQUAL(seen(), lines{});
  post("q", "s1", call);
  server_says(1, R"({"jsonrpc":"2.0","id":3,"result":{}})");
  CAF_CHECK_EQUAL(std::string{seen().back()}, R"(q 200 {"jsonrpc":"2.0","id":7,"result":{}})");
}

// -- the gateway stops -------------------------------------------------------------------

CAF_TEST(draining lets calls finish and then ends sessions and registry) {
  open_session();
  open_session();
  post("p", "s1", call);
  seen();
  caf::anon_send(registry, troupe::actors::drain{});
  run();
  CAF_CHECK_EQUAL(servers, 1);
  post("i", "", initialize);
  CAF_CHECK_EQUAL(seen().front().substr(0, 5), "i 503");
  request("r", {"GET", "/readyz", {}, {}});
  CAF_CHECK_EQUAL(seen().front().substr(0, 5), "r 503");
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{}})");
  CAF_CHECK_EQUAL(seen(), (lines{R"(p 200 {"jsonrpc":"2.0","id":7,"result":{}})"}));
  CAF_CHECK_EQUAL(servers, 0);
  post("q", "s1", call);
  CAF_CHECK_EQUAL(seen().front().substr(0, 5), "q 404");
}

CAF_TEST(calls that outlast the grace are failed and streams are ended) {
  open_session();
  get("g", "s1");
  post("p", "s1", call);
  seen();
  caf::anon_send(registry, troupe::actors::drain{troupe::actors::drain_step::at_once});
  run();
  CAF_CHECK_EQUAL(
      seen(),
      (lines{
          R"(p 200 {"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"The call was cut off: the gateway is stopping"}})",
          "g ends"}));
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::session_suite
