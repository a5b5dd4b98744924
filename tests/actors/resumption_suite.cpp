#define CAF_SUITE resumption

#include "tests/support/world.hpp"

namespace troupe::tests::resumption_suite {

using namespace std::chrono_literals;

namespace {

const std::string call =
    R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":"t"}}})";
const std::string answer = R"({"jsonrpc":"2.0","id":7,"result":{}})";

std::string progress(const std::string& token, int n) {
  return R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" + token +
         R"(,"progress":)" + std::to_string(n) + "}}";
}

std::string notice(const std::string& text) {
  return R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":")" + text + "\"}}";
}

} // namespace

CAF_TEST_FIXTURE_SCOPE(resumption_tests, world)

CAF_TEST(a call whose connection broke goes on with a GET and ends with its answer) {
  open_session();
  post("p", "s1", call);
  server_says(1, progress("2", 1));
  leave("p");
  seen();
  server_says(1, progress("2", 2));
  CAF_CHECK_EQUAL(seen(), lines{});
  resume("r", "s1", event("s1", "3-1"));
  server_says(1, progress("2", 3));
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{}})");
  CAF_CHECK_EQUAL(seen(), (lines{"r streams", "r < " + progress("\"t\"", 2), "r < " + progress("\"t\"", 3),
                                 "r < " + answer, "r ends"}));
}

CAF_TEST(a finished stream tells the rest until its time is over) {
  open_session();
  post("p", "s1", call);
  server_says(1, progress("2", 1));
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{}})");
  seen();
  pass(59s);
  resume("r", "s1", event("s1", "3-1"));
  CAF_CHECK_EQUAL(seen(), (lines{"r streams", "r < " + answer, "r ends"}));
  resume("q", "s1", event("s1", "3-2"));
  CAF_CHECK_EQUAL(seen(), (lines{"q streams", "q ends"}));
  pass(60s);
  resume("v", "s1", event("s1", "3-1"));
  CAF_CHECK_EQUAL(seen(), (lines{"v streams", "v ends"}));
}

CAF_TEST(a stream whose connection hangs is taken over and the old connection is ended) {
  open_session();
  get("g", "s1");
  server_says(1, notice("one"));
  seen();
  resume("r", "s1", event("s1", "3-0"));
  CAF_CHECK_EQUAL(seen(), (lines{"r streams", "g ends", "r < " + notice("one")}));
  server_says(1, notice("two"));
  CAF_CHECK_EQUAL(seen(), (lines{"r < " + notice("two")}));
}

CAF_TEST(connections that take a stream from each other stop at the third which waits its turn) {
  open_session();
  get("a", "s1");
  resume("b", "s1", event("s1", "3-0"));
  resume("c", "s1", event("s1", "3-0"));
  resume("d", "s1", event("s1", "3-0"));
  CAF_CHECK_EQUAL(seen(), (lines{"a streams", "b streams", "a ends", "c streams", "b ends", "d streams"}));
  server_says(1, notice("one"));
  leave("c");
  CAF_CHECK_EQUAL(seen(), (lines{"c < " + notice("one"), "c hung up", "d < " + notice("one")}));
}

CAF_TEST(streams of 2025 11 25 begin with an event that tells where they are) {
  open_session("2025-11-25");
  get("g", "s1");
  CAF_CHECK_EQUAL(seen(), (lines{"g streams", "g @ " + event("s1", "3-0")}));
}

CAF_TEST(an event id of another session is refused) {
  open_session();
  open_session();
  get("g", "s1");
  seen();
  resume("r", "s2", event("s1", "3-0"));
  CAF_CHECK_EQUAL(seen().front().substr(0, 5), "r 400");
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::resumption_suite
