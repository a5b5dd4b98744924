#define CAF_SUITE watched

#include "protocol/metrics/metrics_page.hpp"
#include "tests/support/world.hpp"

#include <algorithm>

namespace troupe::tests::watched_suite {

using namespace std::chrono_literals;

namespace {

/// A gateway whose access log and metrics the test reads.
struct watched_world : world {
  watched_world() {
    auto setup = std::make_shared<troupe::actors::broker_setup>(*brokers_setup);
    setup->access_log = [this](const troupe::access_record& one) {
      records.push_back(line_of(one));
      origins.push_back(std::string{one.client} + " " + std::string{one.http_method} + " " + std::string{one.path});
    };
    brokers_setup = std::move(setup);
  }

  /// The parts of an access record that are the same in each run.
  static std::string line_of(const troupe::access_record& one) {
    auto result = std::string{one.http_method} + " " + std::to_string(one.status);
    for (auto word : {one.session, one.method, one.tool, one.server, one.error})
      result.append(" ").append(word.empty() ? "-" : word);
    return result + (one.in_server.count() == 0 ? "" : " " + std::to_string(one.in_server / 1ms) + " ms");
  }
  /// Access records since the last call.
  lines new_records() { return std::exchange(records, {}); }
  std::string metrics() const {
    troupe::protocol::metrics_page page;
    page.add(*at.metrics());
    return page.text();
  }
  bool has(const std::string& line) const { return ("\n" + metrics()).find("\n" + line + "\n") != std::string::npos; }
  static std::string call(const std::string& id, const std::string& tool) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"tools/call","params":{"name":")" + tool + R"("}})";
  }
  static std::string count_of(const std::string& metric, const std::string& labels, int count) {
    return metric + "_count{" + labels + "} " + std::to_string(count);
  }

  lines records;
  /// The client address and path of each request.
  lines origins;
};

const std::string server_calls = "mcp_server_operation_duration_seconds";
const std::string client_calls = "mcp_client_operation_duration_seconds";

} // namespace

CAF_TEST_FIXTURE_SCOPE(watched_tests, watched_world)

CAF_TEST(each request is told with what it asked for and how it ended) {
  open_session();
  CAF_CHECK_EQUAL(new_records(), (lines{"POST 200 s… initialize - server -", "POST 202 s… - - - -"}));
  post("a", "s1", call("1", "echo"));
  pass(30ms);
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{"content":[]}})");
  CAF_CHECK_EQUAL(new_records(), (lines{"POST 200 s… tools/call echo server - 30 ms"}));
  post("b", "s1", call("1", "echo"));
  server_says(1, R"({"jsonrpc":"2.0","id":3,"result":{"content":[],"isError":true}})");
  post("c", "s1", call("1", "nothing"));
  server_says(1, R"({"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"m"}})");
  CAF_CHECK_EQUAL(new_records(), (lines{"POST 200 s… tools/call echo server tool_error",
                                        "POST 200 s… tools/call nothing server -32602"}));
}

CAF_TEST(requests that are refused or whose client leaves are told too) {
  post("a", "s9", call("1", "echo"));
  post("b", "", "nonsense");
  request("h", {"GET", "/healthz", {}, {}});
  CAF_CHECK_EQUAL(new_records(),
                  (lines{"POST 404 s… tools/call echo - -32600", "POST 400 - - - - -32700", "GET 200 - - - - -"}));
  CAF_CHECK(has(R"(troupe_refused_total{reason="not_found"} 1)"));
  CAF_CHECK(has(R"(troupe_refused_total{reason="bad_request"} 1)"));
  CAF_CHECK(has(R"(troupe_http_responses_total{status="404"} 1)"));
  open_session();
  new_records();
  post("c", "s1", call("1", "echo"));
  leave("c");
  CAF_CHECK_EQUAL(new_records(), (lines{"POST 499 s… tools/call echo - closed"}));
  get("g", "s1");
  leave("g");
  CAF_CHECK_EQUAL(new_records(), (lines{"GET 200 s… - - - -"}));
}

CAF_TEST(a batch is told with its first error and its longest request) {
  open_session("2025-03-26");
  new_records();
  post("a", "s1", "[" + call("1", "echo") + "," + call("2", "other") + "," + call("3", "third") + "]");
  pass(10ms);
  server_says(1, R"({"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"m"}})");
  pass(20ms);
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{"content":[],"isError":true}})");
  server_says(1, R"({"jsonrpc":"2.0","id":4,"result":{"content":[]}})");
  CAF_CHECK_EQUAL(new_records(), (lines{"POST 200 s… tools/call echo server -32602 30 ms"}));
}

CAF_TEST(a request is told with where it came from however it ends) {
  peer = "203.0.113.7";
  open_session();
  origins.clear();
  post("a", "s1", call("1", "echo"), "/mcp?x=1");
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{"content":[]}})");
  post("b", "s1",
       R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"n","_meta":{"progressToken":7}}})");
  server_says(1, R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":3,"progress":1}})");
  server_says(1, R"({"jsonrpc":"2.0","id":3,"result":{"content":[]}})");
  get("g", "s1");
  leave("g");
  post("c", "s1", call("3", "echo"));
  leave("c");
  const std::string by_post = "203.0.113.7 POST /mcp";
  CAF_CHECK_EQUAL(origins, (lines{by_post, by_post, "203.0.113.7 GET /mcp", by_post}));
}

CAF_TEST(operations are measured on both sides by tool and error) {
  open_session();
  post("a", "s1", call("1", "echo"));
  pass(30ms);
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{"content":[]}})");
  post("b", "s1", call("2", "guessed"));
  server_says(1, R"({"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"m"}})");
  auto labels = [](const std::string& tool, const std::string& transport, const std::string& error = {}) {
    return R"(mcp_method_name="tools/call",gen_ai_tool_name=")" + tool + R"(",server="server",network_transport=")" +
           transport + '"' + (error.empty() ? "" : R"(,error_type=")" + error + '"');
  };
  CAF_CHECK(has(count_of(server_calls, labels("echo", "tcp"), 1)));
  CAF_CHECK(has(server_calls + "_sum{" + labels("echo", "tcp") + "} 0.03"));
  CAF_CHECK(has(count_of(client_calls, labels("echo", "inproc"), 1)));
  CAF_CHECK(has(count_of(server_calls, labels("other", "tcp", "-32602"), 1)));
  CAF_CHECK(has(count_of(client_calls, labels("other", "inproc", "-32602"), 1)));
}

CAF_TEST(a call whose client leaves is measured when it is answered) {
  open_session();
  post("a", "s1", call("1", "echo"));
  leave("a");
  const std::string labels = R"(mcp_method_name="tools/call",gen_ai_tool_name="echo",server="server",)"
                             R"(network_transport="tcp")";
  CAF_CHECK(!has(count_of(server_calls, labels, 1)));
  pass(30ms);
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{"content":[]}})");
  CAF_CHECK(has(count_of(server_calls, labels, 1)));
  CAF_CHECK(has(server_calls + "_sum{" + labels + "} 0.03"));
}

CAF_TEST(what lives is counted until it is gone) {
  open_session();
  get("g", "s1");
  get("h", "s1");
  post("a", "s1", call("1", "echo"));
  CAF_CHECK(has(R"(troupe_sessions{transport="streamable_http"} 1)"));
  CAF_CHECK(has(R"(troupe_streams{role="primary"} 1)"));
  CAF_CHECK(has(R"(troupe_streams{role="shadow"} 1)"));
  CAF_CHECK(has("troupe_calls_in_flight 1"));
  end("e", "s1");
  run();
  CAF_CHECK(has(R"(troupe_sessions{transport="streamable_http"} 0)"));
  CAF_CHECK(has(R"(troupe_streams{role="primary"} 0)"));
  CAF_CHECK(has("troupe_calls_in_flight 0"));
  CAF_CHECK(has(R"(mcp_server_session_duration_seconds_count{transport="streamable_http"} 1)"));
}

CAF_TEST(a call is measured also when its server is lost) {
  open_session();
  post("a", "s1", call("1", "echo"));
  server_dies(1);
  const auto last = new_records();
  CAF_CHECK_EQUAL(last.back(), "POST 200 s… tools/call echo server server_lost");
  for (auto& of : {server_calls, client_calls}) {
    const auto transport = of == server_calls ? "tcp" : "inproc";
    CAF_CHECK(has(of + R"(_count{mcp_method_name="tools/call",gen_ai_tool_name="other",server="server",)" +
                  R"(network_transport=")" + transport + R"(",error_type="server_lost"} 1)"));
  }
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::watched_suite
