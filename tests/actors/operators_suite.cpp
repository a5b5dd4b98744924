#define CAF_SUITE operators

#include "actors/gateway/admin_listener.hpp"
#include "tests/support/world.hpp"

namespace troupe::tests::operators_suite {

using namespace std::chrono_literals;

namespace {

struct operated_world : world {
  operated_world() : world{20} {}

  void ask(const std::string& name, const std::string& method, const std::string& path, bool is_passed_on = false) {
    actors::broker_actor admin_exchange = actors::spawn_direct<actors::admin_exchange_state>(
        at, std::make_unique<fake_exchange>(name, fake_exchange::request_text{method, path, {}, {}}, journal, hang_up),
        [this] { return is_authorized; });
    caf::anon_send(registry, actors::admin_request{.what = {method, "/api/" + path},
                                                   .broker = std::move(admin_exchange),
                                                   .is_passed_on = is_passed_on});
    run();
  }
  /// The body of the answer, without the last line break.
  std::string answer_to(const std::string& method, const std::string& path, bool is_passed_on = false) {
    ask("a", method, path, is_passed_on);
    pass(1ms); // without other nodes to query, the answer is immediate
    std::string result;
    for (auto& one : seen())
      if (one.starts_with("a "))
        result += one.substr(2);
    return result.substr(0, result.find('\n'));
  }
  /// Begins a call in the session, with the id 7 of its client.
  void call(const std::string& session) {
    post("c", session, R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"dig"}})");
    journal.clear();
  }

  bool is_authorized = true;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(operators_tests, operated_world)

CAF_TEST(sessions are listed by their numbers in pages) {
  for (int i = 0; i < 3; ++i)
    open_session();
  auto page = answer_to("GET", "sessions?limit=2");
  CAF_CHECK_EQUAL(page.substr(0, 29), R"(200 {"sessions":[{"number":1,)");
  CAF_CHECK(page.ends_with(R"(],"total":3,"next":2})"));
  CAF_CHECK(answer_to("GET", "sessions?limit=2&after=2").ends_with(R"(],"total":3})"));
  CAF_CHECK_EQUAL(answer_to("GET", "sessions?after=3"), R"(200 {"sessions":[],"total":3})");
}

CAF_TEST(a call under way is shown until it has ended) {
  open_session();
  call("s1");
  pass(1500ms);
  auto calls = answer_to("GET", "calls");
  CAF_CHECK(calls.starts_with(
      R"(200 {"calls":[{"number":2,"method":"tools/call","name":"dig","server":"server","age_ms":1500,"session":1,)"));
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{}})");
  seen();
  CAF_CHECK_EQUAL(answer_to("GET", "calls"), R"(200 {"calls":[],"total":0})");
}

CAF_TEST(a call that is ended fails and is cancelled) {
  open_session();
  call("s1");
  ask("a", "DELETE", "sessions/1/calls/2");
  auto output = seen();
  CAF_REQUIRE_EQUAL(output.size(), 3u);
  CAF_CHECK(std::ranges::find(output, R"(a 200 {"ended":2})") != output.end());
  CAF_CHECK(std::ranges::any_of(output, [](auto& one) {
    return one.starts_with("server1 < ") && one.find("notifications/cancelled") != one.npos;
  }));
  CAF_CHECK(
      std::ranges::any_of(output, [](auto& one) { return one.starts_with("c ") && one.find("-32603") != one.npos; }));
  CAF_CHECK(answer_to("DELETE", "sessions/1/calls/2").starts_with("404 "));
}

CAF_TEST(a session that is ended takes its process with it and no other) {
  open_session();
  open_session();
  CAF_CHECK_EQUAL(answer_to("DELETE", "sessions/1"), R"(200 {"ended":1})");
  CAF_CHECK_EQUAL(servers, 1);
  CAF_CHECK(answer_to("DELETE", "sessions/1").starts_with("404 "));
  CAF_CHECK(answer_to("GET", "sessions/2").starts_with("200 "));
}

CAF_TEST(a session that ends while it is asked does not keep the answer back) {
  open_session();
  open_session();
  caf::anon_send_exit(sessions[0], caf::exit_reason::unhandled_exception);
  ask("a", "GET", "sessions");
  pass(500ms);
  auto output = seen();
  CAF_REQUIRE_EQUAL(output.size(), 1u);
  CAF_CHECK(output[0].find(R"("number":2)") != output[0].npos);
  CAF_CHECK(answer_to("GET", "sessions/1").starts_with("404 "));
}

CAF_TEST(a restart reaches what each session has of the server alone) {
  auto program = server("program");
  program.source = command("program");
  serve({program});
  open_session();
  open_session();
  ask("a", "POST", "servers/program/restart");
  auto output = seen();
  CAF_CHECK_EQUAL(std::ranges::count(output, "server1 is restarted"), 1);
  CAF_CHECK_EQUAL(std::ranges::count(output, "server2 is restarted"), 1);
  CAF_CHECK(std::ranges::find(output, R"(a 200 {"server":"program","asked":"restart"})") != output.end());
  CAF_CHECK(answer_to("POST", "servers/nobody/restart").starts_with("404 "));
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST(what the host has in its own program is not restarted) {
  CAF_CHECK(answer_to("POST", "servers/server/restart").starts_with("409 "));
}

CAF_TEST(a server that is disabled is shown and takes no sessions until it is enabled) {
  CAF_CHECK_EQUAL(answer_to("POST", "servers/server/disable"), R"(200 {"server":"server","asked":"disable"})");
  CAF_CHECK(answer_to("GET", "servers").find(R"("enabled":false)") != std::string::npos);
  CAF_CHECK(answer_to("POST", "servers/server/restart").starts_with("409 "));
  post("i", "", client_hello("1", "2025-06-18"), "/servers/server/mcp");
  CAF_CHECK_EQUAL(seen().front().substr(0, 6), "i 404 ");
  answer_to("POST", "servers/server/enable");
  open_session();
  CAF_CHECK_EQUAL(servers, 1);
}

CAF_TEST(what is for a node that is not there is refused also when another node has passed it on) {
  CAF_CHECK(answer_to("GET", "sessions?node=b").starts_with("404 "));
  CAF_CHECK(answer_to("GET", "sessions?node=b", true).starts_with("404 "));
  CAF_CHECK(answer_to("GET", "nothing").starts_with("404 "));
  CAF_CHECK(answer_to("POST", "sessions").starts_with("405 "));
}

CAF_TEST(who follows a session has each message as an event until it ends) {
  open_session();
  ask("f", "GET", "sessions/1/follow");
  seen();
  call("s1");
  post("d", "s1", R"({"jsonrpc":"2.0","id":8,"method":"tools/list"})");
  auto output = seen();
  CAF_CHECK(std::ranges::any_of(output, [](auto& one) {
    return one.starts_with("f ") &&
           one.find(R"("from":"client","kind":"request","id":"8","method":"tools/list")") != one.npos;
  }));
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{}})");
  output = seen();
  CAF_CHECK(std::ranges::any_of(output, [](auto& one) {
    return one.starts_with("f ") && one.find(R"("from":"server","kind":"response","id":"7")") != one.npos;
  }));
  CAF_CHECK(answer_to("GET", "sessions/1/follow?content=true").starts_with("403 "));
  end("e", "s1");
  output = seen();
  CAF_CHECK(std::ranges::any_of(output,
                                [](auto& one) { return one.starts_with("f ") && one.find("event: end") != one.npos; }));
}

CAF_TEST(a follower whose token is none any more hears nothing more) {
  open_session();
  for (auto name : {"f", "g"})
    ask(name, "GET", "sessions/1/follow");
  seen();
  is_authorized = false;
  server_says(1, R"({"jsonrpc":"2.0","method":"notifications/x"})");
  CAF_CHECK_EQUAL(seen(), (lines{"f ends", "g ends"}));
  is_authorized = true;
  ask("h", "GET", "sessions/1/follow");
  seen();
  is_authorized = false;
  pass(15s);
  CAF_CHECK_EQUAL(seen(), lines{"h ends"});
}

CAF_TEST(a follower who goes leaves the session as it was) {
  open_session();
  ask("f", "GET", "sessions/1/follow");
  leave("f");
  seen();
  post("d", "s1", R"({"jsonrpc":"2.0","id":8,"method":"tools/list"})");
  for (auto& one : seen())
    CAF_CHECK(!one.starts_with("f "));
  CAF_CHECK(answer_to("GET", "sessions/1").starts_with("200 "));
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::operators_suite
