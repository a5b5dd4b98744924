#define CAF_SUITE http_sse

#include "tests/support/world.hpp"

namespace troupe::tests::http_sse_suite {

namespace {

const std::string initialize = client_hello("\"i\"", "2024-11-05");

struct sse_world : world {
  void connect(const std::string& name) { request(name, {"GET", "/sse", {}, {}}); }
  /// The client of s1 sends `initialize`.
  void begin() {
    connect("c");
    say("i", "s1", initialize);
    seen();
  }
  void say(const std::string& name, const std::string& session, const std::string& body) {
    request(name, {"POST", "/messages?sessionId=" + session, {}, body});
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(http_sse_tests, sse_world)

CAF_TEST(the stream tells where to post and carries every answer) {
  connect("c");
  CAF_CHECK_EQUAL(seen(), (lines{"c streams", "c event: endpoint"}));
  say("i", "s1", initialize);
  server_says(1, R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05"}})");
  CAF_CHECK_EQUAL(seen(), (lines{"i 202", "server1 < " + client_hello("1", "2024-11-05"),
                                 R"(c < {"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2024-11-05"}})"}));
}

// 2025-11-25, lifecycle, "Initialization". A web page can open a connection, but it cannot send `initialize`.
CAF_TEST(no server starts before initialize) {
  auto eager = server("eager");
  eager.eager = true;
  serve({server("server"), eager});
  for (std::string path : {"/sse", "/servers/server/sse", "/servers/eager/sse"}) {
    auto session = "s" + std::to_string(last_session + 1);
    request("c", {"GET", path, {}, {}});
    for (auto text : {R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
                      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})",
                      R"({"jsonrpc":"2.0","id":1,"result":{}})", R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})",
                      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05"}})"}) {
      seen();
      request("n", {"POST", path.substr(0, path.size() - 3) + "messages?sessionId=" + session, {}, text});
      CAF_CHECK_EQUAL(seen().front().substr(0, 5), "n 400");
    }
    CAF_CHECK_EQUAL(servers, 0);
  }
}

CAF_TEST(the end of the stream is the end of the session and of its server) {
  begin();
  CAF_CHECK_EQUAL(servers, 1);
  leave("c");
  CAF_CHECK_EQUAL(servers, 0);
  seen();
  say("p", "s1", initialize);
  CAF_CHECK_EQUAL(seen().front().substr(0, 5), "p 404");
}

CAF_TEST(a session is known by its own transport only) {
  begin();
  open_session();
  post("a", "s1", R"({"jsonrpc":"2.0","id":9,"method":"ping"})");
  CAF_CHECK_EQUAL(seen().front().substr(0, 5), "a 404");
  say("b", "s2", initialize);
  CAF_CHECK_EQUAL(seen().front().substr(0, 5), "b 404");
}

CAF_TEST(the end of the server ends the stream) {
  begin();
  server_dies(1);
  const auto all = seen();
  CAF_CHECK_EQUAL(all.back(), "c ends");
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::http_sse_suite
