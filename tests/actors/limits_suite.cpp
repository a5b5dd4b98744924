#define CAF_SUITE limits

#include "tests/support/world.hpp"

namespace troupe::tests::limits_suite {

using namespace std::chrono_literals;

namespace {

const std::string hello = client_hello("1", "2025-06-18");
constexpr auto call = R"({"jsonrpc":"2.0","id":2,"method":"tools/call"})";

constexpr auto least_idle = protocol::session_places::least_idle;

struct small_world : world {
  small_world() : world{2} {}
};

/// Allows two sessions and two pending calls for each address.
struct strict_world : world {
  strict_world() : world{9, {.requests_per_second = 100, .initializes_per_minute = 3, .sessions = 2, .calls = 2}} {}

  void open_from(const std::string& address) {
    peer = address;
    open_session();
  }
  /// The beginning of the answer to a POST from this address; empty when it is not answered yet.
  std::string answer_to(const std::string& address, const std::string& session, const std::string& body) {
    peer = address;
    post("p", session, body);
    const auto all = seen();
    const auto answer = std::ranges::find_if(all, [](auto& line) { return line.starts_with("p "); });
    return answer == all.end() ? std::string{} : answer->substr(2, 3);
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(place_tests, small_world)

CAF_TEST(one session too many is refused until another has ended) {
  open_session();
  open_session();
  post("a", "", hello);
  CAF_CHECK_EQUAL(seen().front().substr(0, 5), "a 503");
  end("d", "s1");
  seen();
  post("b", "", hello);
  CAF_CHECK_EQUAL(seen().front().substr(0, 9), "server3 <");
}

CAF_TEST(the session that was idle for longest makes room) {
  open_session();
  pass(1ms);
  open_session();
  pass(least_idle - 2ms);
  post("a", "", hello);
  CAF_CHECK_EQUAL(seen().front().substr(0, 5), "a 503");
  pass(1ms);
  post("b", "", hello);
  CAF_CHECK_EQUAL(servers, 2);
  seen();
  post("c", "s1", call);
  CAF_CHECK_EQUAL(seen().front().substr(0, 5), "c 404");
  post("d", "s2", call);
  CAF_CHECK_EQUAL(seen(), (lines{std::string("server2 < ") + call}));
}

CAF_TEST(a session that is used makes no room) {
  open_session();
  open_session();
  post("a", "s1", call);
  get("g", "s2");
  seen();
  pass(least_idle + 1s);
  post("b", "", hello);
  CAF_CHECK_EQUAL(seen().front().substr(0, 5), "b 503");
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{}})");
  pass(least_idle);
  seen();
  post("c", "", hello);
  CAF_CHECK_EQUAL(seen().front().substr(0, 9), "server3 <");
  post("d", "s1", call);
  CAF_CHECK_EQUAL(seen().front().substr(0, 5), "d 404");
}

CAF_TEST_FIXTURE_SCOPE_END()

CAF_TEST_FIXTURE_SCOPE(address_tests, strict_world)

CAF_TEST(the sessions of one address take no place of another) {
  open_from("192.0.2.1");
  open_from("192.0.2.1");
  CAF_CHECK_EQUAL(answer_to("192.0.2.1", "", hello), "429");
  CAF_CHECK_EQUAL(answer_to("192.0.2.2", "", hello), "");
}

CAF_TEST(an address makes room for itself) {
  open_from("192.0.2.1");
  pass(1s);
  open_from("192.0.2.1");
  open_from("192.0.2.2");
  pass(least_idle);
  CAF_CHECK_EQUAL(answer_to("192.0.2.1", "", hello), "");
  CAF_CHECK_EQUAL(answer_to("192.0.2.1", "s1", call), "404");
  CAF_CHECK_EQUAL(answer_to("192.0.2.2", "s3", call), "");
}

CAF_TEST(the calls of one address are counted until they are answered) {
  open_from("192.0.2.1");
  CAF_CHECK_EQUAL(answer_to("192.0.2.1", "s1", R"({"jsonrpc":"2.0","id":"a","method":"tools/call"})"), "");
  peer = "192.0.2.1";
  post("q", "s1", R"({"jsonrpc":"2.0","id":"b","method":"tools/call"})");
  CAF_CHECK_EQUAL(answer_to("192.0.2.1", "s1", R"({"jsonrpc":"2.0","id":"c","method":"tools/call"})"), "429");
  CAF_CHECK_EQUAL(answer_to("192.0.2.1", "s1", R"({"jsonrpc":"2.0","method":"notifications/progress"})"), "202");
  CAF_CHECK_EQUAL(answer_to("192.0.2.2", "s1", R"({"jsonrpc":"2.0","id":"d","method":"tools/call"})"), "");
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{}})");
  seen();
  CAF_CHECK_EQUAL(answer_to("192.0.2.1", "s1", R"({"jsonrpc":"2.0","id":"e","method":"tools/call"})"), "");
}

CAF_TEST(an address that asks too often is told when to come again) {
  peer = "192.0.2.1";
  for (int i = 0; i < 200; ++i)
    CAF_REQUIRE_EQUAL(answer_to("192.0.2.1", "s9", call), "404");
  CAF_CHECK_EQUAL(answer_to("192.0.2.1", "s9", call), "429");
  CAF_CHECK_EQUAL(answer_to("192.0.2.2", "s9", call), "404");
  CAF_CHECK_EQUAL(answer_to("127.0.0.1", "s9", call), "404");
  pass(10ms);
  CAF_CHECK_EQUAL(answer_to("192.0.2.1", "s9", call), "404");
  CAF_CHECK_EQUAL(answer_to("192.0.2.1", "s9", call), "429");
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::limits_suite
