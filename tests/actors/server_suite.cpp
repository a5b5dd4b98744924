// Configured servers: who may use them, and which kind of upstream a session gets.

#define CAF_SUITE server

#include "tests/support/world.hpp"

namespace troupe::tests::server_suite {

using namespace std::chrono_literals;

namespace {

const std::string initialize = client_hello();
const std::string call = R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t"}})";
const std::string welcome = R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{}}})";

std::string status_of(const lines& output) {
  return output.empty() ? "" : output.front().substr(0, output.front().find('{'));
}

} // namespace

CAF_TEST_FIXTURE_SCOPE(server_tests, world)

CAF_TEST(each server has a path of its own and an unknown name is not found) {
  serve({server("a"), server("b c")});
  post("x", "", initialize, "/servers/b%20c/mcp");
  CAF_CHECK_EQUAL(seen(), (lines{"server1 < " + initialize}));
  post("y", "", initialize, "/servers/c/mcp");
  CAF_CHECK_EQUAL(status_of(seen()), "y 404 ");
}

CAF_TEST(a session is known on its own path only) {
  serve({server("a"), server("b")});
  post("x", "", initialize, "/servers/a/mcp");
  server_says(1, welcome);
  seen();
  post("y", "s1", call, "/servers/b/mcp");
  CAF_CHECK_EQUAL(status_of(seen()), "y 404 ");
  post("z", "s1", call, "/servers/a/mcp");
  CAF_CHECK_EQUAL(seen().front().substr(0, 9), "server1 <");
}

CAF_TEST(a shared server has one process for all its sessions) {
  serve({server("a", sharing::shared)});
  post("x", "", initialize);
  post("y", "", initialize);
  CAF_CHECK_EQUAL(servers, 1);
  server_says(1, welcome);
  auto output = seen();
  CAF_CHECK_EQUAL(std::count_if(output.begin(), output.end(), [](auto& one) { return one.substr(1, 5) == " 200 "; }),
                  2);
  end("d", "s1");
  end("e", "s2");
  CAF_CHECK_EQUAL(servers, 1);
}

CAF_TEST(what a shared server says in a row to several sessions keeps its order) {
  serve({server("a", sharing::shared)});
  for (auto name : {"s1", "s2"}) {
    post("i", "", initialize);
    if (name == std::string{"s1"})
      server_says(1, welcome);
    post("n", name, R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  }
  for (auto name : {"s1", "s2"})
    post(name, name, R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{"progressToken":"t"}}})");
  auto asked = seen();
  auto number = [&](std::size_t from_last) {
    auto& line = asked.at(asked.size() - from_last);
    auto at = line.find("\"id\":") + 5;
    return line.substr(at, line.find(',', at) - at);
  };
  const auto first = number(2), second = number(1);
  auto progress = [](const std::string& id, int step) {
    return R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" + id + R"(,"progress":)" +
           std::to_string(step) + "}}";
  };
  auto result = [](const std::string& id) { return R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{}})"; };
  server_says(1, progress(first, 1), {progress(first, 2), result(second), result(first)});
  auto output = seen();
  std::ranges::stable_sort(output, {}, [](auto& line) { return line.substr(0, 2); });
  CAF_CHECK_EQUAL(output, (lines{"s1 streams", "s1 < " + progress(R"("t")", 1), "s1 < " + progress(R"("t")", 2),
                                 "s1 < " + result("7"), "s1 ends", "s2 200 " + result("7")}));
}

CAF_TEST(a pool has processes that wait and refills when one is taken) {
  auto pooled = server("a", sharing::pool);
  pooled.pool_size = 2;
  serve({pooled});
  pass(0ms);
  CAF_CHECK_EQUAL(servers, 2);
  post("x", "", initialize);
  CAF_CHECK_EQUAL(seen(), (lines{"server1 < " + initialize}));
  CAF_CHECK_EQUAL(servers, 2);
  pass(0ms);
  CAF_CHECK_EQUAL(servers, 3);
  serve({});
  CAF_CHECK_EQUAL(servers, 1);
}

CAF_TEST(servers that are configured anew as they were keep their sessions) {
  serve({server("a"), server("b")});
  post("x", "", initialize, "/servers/a/mcp");
  server_says(1, welcome);
  post("y", "", initialize, "/servers/b/mcp");
  server_says(2, R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}})");
  seen();
  serve({server("c"), server("a")});
  post("p", "s1", call, "/servers/a/mcp");
  CAF_CHECK_EQUAL(seen().front().substr(0, 9), "server1 <");
  post("q", "s2", call, "/servers/b/mcp");
  CAF_CHECK_EQUAL(status_of(seen()), "q 404 ");
  CAF_CHECK_EQUAL(servers, 1);
}

CAF_TEST(a server that is removed finishes the call that it is at) {
  serve({server("a")});
  open_session();
  post("p", "s1", call);
  seen();
  serve({});
  CAF_CHECK_EQUAL(seen(), lines{});
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{}})");
  CAF_CHECK_EQUAL(seen(), (lines{R"(p 200 {"jsonrpc":"2.0","id":7,"result":{}})"}));
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST(a shared server that is lost is started again and its sessions live on) {
  serve({server("a", sharing::shared)});
  post("x", "", initialize);
  server_says(1, welcome);
  post("n", "s1", R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  post("p", "s1", call);
  seen();
  server_dies(1);
  auto output = seen();
  CAF_REQUIRE(!output.empty());
  CAF_CHECK_EQUAL(output.front().substr(0, 6), "p 200 ");
  CAF_CHECK(output.front().find("-32603") != std::string::npos);
  CAF_CHECK_EQUAL(servers, 1);
  CAF_CHECK_EQUAL(output.back().substr(0, 9), "server2 <");
}

CAF_TEST(calls that a remote server refused as of no session are sent again when another is begun) {
  for (auto how : {sharing::session, sharing::shared}) {
    auto far = server("far", how);
    far.source = troupe::remote_server{.url = "http://far/mcp"};
    serve({far});
    auto first = upstreams.size() + 1;
    post("x", "", initialize);
    auto session = "s" + std::to_string(last_session);
    server_says(first, welcome);
    post("n", session, R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    post("p", session, call);
    seen();
    server_forgets(first);
    CAF_CHECK_EQUAL(servers, 1);
    auto output = seen();
    CAF_REQUIRE_EQUAL(output.size(), 1u);
    CAF_CHECK(output.front().find(R"("method":"initialize")") != std::string::npos);
    post("q", session, R"({"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"u"}})");
    server_says(first + 1, R"({"jsonrpc":"2.0","id":3,"result":{"protocolVersion":"2025-06-18","capabilities":{}}})");
    output = seen();
    CAF_REQUIRE_EQUAL(output.size(), 3u);
    CAF_CHECK(output[0].find("notifications/initialized") != std::string::npos);
    CAF_CHECK(output[1].find(R"("id":4,"method":"tools/call")") != std::string::npos);
    CAF_CHECK(output[2].find(R"("id":5,"method":"tools/call")") != std::string::npos);
    server_says(first + 1, R"({"jsonrpc":"2.0","id":5,"result":{}})");
    CAF_CHECK_EQUAL(seen(), (lines{R"(q 200 {"jsonrpc":"2.0","id":8,"result":{}})"}));
    server_forgets(first + 1);
    output = seen();
    CAF_REQUIRE_EQUAL(output.size(), 2u);
    CAF_CHECK(output[0].starts_with("p 200 ") && output[0].find("-32603") != std::string::npos);
    CAF_CHECK(output[1].find(R"("method":"initialize")") != std::string::npos);
    end("d", session);
  }
}

CAF_TEST(a shared server that is removed ends although sessions that saw it merged live on) {
  serve({server("a"), server("s", sharing::shared)});
  post("x", "", initialize);
  CAF_CHECK_EQUAL(servers, 2);
  for (std::size_t i = 1; i <= 2; ++i)
    server_says(i, R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}})");
  auto output = seen();
  CAF_CHECK(std::any_of(output.begin(), output.end(), [](auto& one) { return one.starts_with("x 200 "); }));
  serve({server("a")});
  CAF_CHECK_EQUAL(servers, 1);
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::server_suite
