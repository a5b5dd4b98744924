// The readiness of a gateway with essential servers.

#define CAF_SUITE readiness

#include "protocol/metrics/metrics_page.hpp"
#include "tests/support/world.hpp"

#include <algorithm>

namespace troupe::tests::readiness_suite {

using namespace std::chrono_literals;

namespace {

const std::string initialize = client_hello();

/// The answer to the gateway's own `initialize`, whose id is `id`.
std::string welcome(const std::string& id) {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"protocolVersion":"2025-06-18","capabilities":{}}})";
}

struct readiness_world : world {
  static server_options essential(const std::string& name, sharing how = sharing::session) {
    auto result = server(name, how);
    result.essential = true;
    return result;
  }

  /// The answer of `/readyz`.
  std::string readyz() {
    journal.clear();
    request("r", {"GET", "/readyz", {}, {}});
    return journal.empty() ? "nothing" : journal.front();
  }
  /// Whether the readiness metrics have these values.
  bool counts(const std::string& what, int unready) const {
    protocol::metrics_page page;
    page.add(*at.metrics());
    const auto line = R"(troupe_unready{what=")" + what + "\"} " + std::to_string(unready) + "\n";
    return page.text().find(line) != std::string::npos;
  }
  bool is_ready() { return readyz().starts_with("r 200 "); }
  bool says(const std::string& words) {
    auto output = readyz();
    return output.starts_with("r 503 ") && output.find(words) != output.npos;
  }
  /// Answers the last `initialize` that process `number` received.
  void greets(std::size_t number) {
    auto name = "server" + std::to_string(number) + " < ";
    auto told = std::ranges::find_if(journal, [&](auto& one) { return one.starts_with(name); });
    CAF_REQUIRE(told != journal.end());
    auto id = told->substr(told->find(R"("id":)") + 5);
    server_says(number, welcome(id.substr(0, id.find(','))));
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(readiness_tests, readiness_world)

CAF_TEST(a gateway without essential servers is ready at once) {
  CAF_CHECK_EQUAL(readyz(), R"(r 200 {"status":"ok"})");
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST(a gateway is ready when the trial of its essential server has greeted and leaves nothing of it) {
  serve({server("a"), essential("b")});
  CAF_CHECK_EQUAL(servers, 1);
  auto asked = seen();
  CAF_CHECK(says(R"("reasons":[{"what":"server","name":"b","why":"it has not answered yet"}])"));
  CAF_CHECK(counts("server", 1) && counts("gateway", 0));
  journal = asked;
  greets(1);
  CAF_CHECK(is_ready());
  CAF_CHECK(counts("server", 0));
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST(a shared essential server runs on) {
  serve({essential("b", sharing::shared)});
  CAF_CHECK_EQUAL(servers, 1);
  greets(1);
  CAF_CHECK(is_ready());
  CAF_CHECK_EQUAL(servers, 1);
}

CAF_TEST(a gateway is not ready while its essential server is lost again and again) {
  for (auto how : {sharing::session, sharing::shared}) {
    serve({});
    serve({essential("b", how)});
    auto first = sessions.size();
    server_dies(first);
    CAF_REQUIRE_EQUAL(sessions.size(), first + 1);
    server_dies(first + 1);
    CAF_CHECK_EQUAL(sessions.size(), first + 1);
    CAF_CHECK(says(R"("why":"it does not start: the MCP server is gone")"));
    seen();
    pass(1s);
    CAF_REQUIRE_EQUAL(sessions.size(), first + 2);
    greets(first + 2);
    CAF_CHECK(is_ready());
  }
}

CAF_TEST(a server that is not essential has no say) {
  auto eager = server("b", sharing::shared);
  eager.eager = true;
  serve({eager});
  server_dies(1);
  server_dies(2);
  CAF_CHECK(is_ready());
}

CAF_TEST(an essential server that is told who asks is not started for nobody) {
  auto told = essential("b", sharing::principal);
  told.source = command_server{.program = "x", .environment = {{"WHO", "${principal.subject}"}}};
  serve({told});
  CAF_CHECK(is_ready());
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST(a server that is essential no more has no say) {
  serve({essential("b")});
  CAF_CHECK(!is_ready());
  serve({server("b")});
  CAF_CHECK(is_ready());
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST(a gateway that drains says so before it names servers) {
  serve({server("a"), essential("b")});
  post("i", "", initialize, "/servers/a/mcp");
  CAF_REQUIRE_EQUAL(sessions.size(), 2u);
  caf::anon_send(registry, actors::drain{});
  run();
  CAF_CHECK(says(R"("reasons":[{"what":"gateway","why":"it is draining"},{"what":"server","name":"b")"));
  CAF_CHECK(says(R"("message":"Service Unavailable: the gateway is stopping")"));
  CAF_CHECK(counts("server", 1) && counts("gateway", 1));
}

CAF_TEST(what an essential server is tried by is in the state) {
  serve({essential("b")});
  seen();
  request("s", {"GET", "/debug/state", {}, {}});
  auto output = seen();
  CAF_REQUIRE_EQUAL(output.size(), 1u);
  CAF_CHECK(output[0].find(R"("starting")") != output[0].npos);
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::readiness_suite
