#define CAF_SUITE recovery

#include "tests/support/store_world.hpp"

namespace troupe::tests::recovery_suite {

using namespace std::chrono_literals;

namespace {

const std::string initialize = client_hello();
const std::string welcome = R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}})";
const std::string initialized = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";
const std::string call =
    R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":"t"}}})";
const std::string next_call = R"({"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"x"}})";
const std::string progress =
    R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1}})";
const std::string lost =
    R"({"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"The call was lost with the node that ran it"}})";
const std::string moved =
    R"( 503 {"jsonrpc":"2.0","id":8,"error":{"code":-32603,"message":"Service Unavailable: the session moves to another node"}})";
const std::string may_have_run =
    R"( 200 {"jsonrpc":"2.0","id":8,"error":{"code":-32603,"message":"The session may have moved to another node before the call was answered; the call may have run"}})";

const std::string undecided =
    R"( 503 {"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Service Unavailable: nobody can tell yet who owns the session"}})";

std::string notice(const std::string& text) {
  return R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":")" + text + "\"}}";
}

/// An open session; its exchanges have the numbers 1 and 2.
struct kept_world : store_world {
  void open(bool is_kept = true) {
    begin({}, is_kept);
    post("i", "", initialize);
    server_says(1, welcome);
    post("n", "s1", initialized);
    journal.clear();
  }
  /// A new session in the place of the previous one.
  void restart_initialize() {
    dies();
    owns = true;
    begin();
    ++servers_begun;
    post("i", "", initialize);
    server_says(servers_begun, welcome);
    post("n", "s1", initialized);
    journal.clear();
  }
  /// The node exits, and another one restores the session from the store.
  void goes_on() {
    dies();
    begin(kept.left_of("s1"));
  }
  void goes_on_and_welcomes() {
    goes_on();
    server_says(2, welcome);
    journal.clear();
  }

  std::size_t servers_begun = 0;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(recovery_tests, kept_world)

CAF_TEST(the store is told of a session and of its events) {
  open();
  auto left = kept.left_of("s1");
  CAF_CHECK_EQUAL(left.record.initialize, initialize);
  CAF_CHECK(left.record.initialized);
  get("g", "s1");
  server_says(1, notice("one"));
  CAF_REQUIRE_EQUAL(kept.events["s1"].size(), 2u);
  CAF_CHECK_EQUAL(kept.events["s1"][0].text, R"({"listens":true})");
  CAF_CHECK_EQUAL(kept.events["s1"][1].text, notice("one"));
}

CAF_TEST(the store is told nothing of a session that it does not keep) {
  open(false);
  get("g", "s1");
  server_says(1, notice("one"));
  CAF_CHECK(kept.records.empty());
  CAF_CHECK(kept.events.empty());
  owns = false;
  server_says(1, notice("two"));
  disown();
  CAF_CHECK_EQUAL(seen(), (lines{"g streams", "g < " + notice("one"), "g < " + notice("two")}));
}

CAF_TEST(a session goes on with a new server and what came meanwhile is worked off) {
  open();
  goes_on();
  CAF_CHECK_EQUAL(seen(), (lines{"server2 < " + initialize}));
  post("p", "s1", next_call);
  CAF_CHECK_EQUAL(seen(), lines{});
  server_says(2, welcome);
  CAF_CHECK_EQUAL(seen(), (lines{"server2 < " + initialized,
                                 R"(server2 < {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x"}})"}));
  server_says(2, R"({"jsonrpc":"2.0","id":2,"result":{}})");
  CAF_CHECK_EQUAL(seen(), (lines{R"(p 200 {"jsonrpc":"2.0","id":8,"result":{}})"}));
  CAF_CHECK_EQUAL(kept.left_of("s1").record.life, 1u);
}

CAF_TEST(a stream of the life before is resumed and carries on) {
  open();
  get("g", "s1");
  server_says(1, notice("one"));
  server_says(1, notice("two"));
  goes_on_and_welcomes();
  resume("r", "s1", event("s1", "3-1"));
  server_says(2, notice("three"));
  CAF_CHECK_EQUAL(seen(), (lines{"r streams", "r < " + notice("two"), "r < " + notice("three")}));
}

CAF_TEST(a call that was lost with its node is never made again but failed on its stream) {
  open();
  post("p", "s1", call);
  server_says(1, progress);
  goes_on_and_welcomes();
  resume("r", "s1", event("s1", "3-1"));
  CAF_CHECK_EQUAL(seen(), (lines{"r streams", "r < " + lost, "r ends"}));
}

CAF_TEST(a server that does not initialize as the one before ends the session for good) {
  open();
  goes_on();
  post("p", "s1", next_call);
  get("g", "s1");
  seen();
  server_says(2, R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-03-26"}})");
  auto after = seen();
  CAF_REQUIRE_EQUAL(after.size(), 2u);
  CAF_CHECK_EQUAL(after[0].substr(0, 5), "p 404");
  CAF_CHECK_EQUAL(after[1].substr(0, 5), "g 404");
  CAF_CHECK(!is_kept());
  CAF_CHECK_EQUAL(servers, 0);
  CAF_CHECK_EQUAL(at.reminders(), 0u);
}

CAF_TEST(the store forgets a session that its client ended) {
  open();
  end("d", "s1");
  CAF_CHECK(!is_kept());
}

CAF_TEST(the store forgets a session that was idle) {
  open();
  pass(30min);
  CAF_CHECK(!is_kept());
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST(the store forgets a session whose server is lost) {
  open();
  server_dies(1);
  CAF_CHECK(!is_kept());
}

CAF_TEST(the store forgets a session whose server was removed) {
  open();
  ends({.for_good = true});
  CAF_CHECK(!is_kept());
}

CAF_TEST(the store keeps a session whose gateway stops) {
  open();
  ends({});
  CAF_CHECK_EQUAL(servers, 0);
  CAF_CHECK(is_kept());
}

// -- ownership -----------------------------------------------------------------------------

CAF_TEST(a session that may be another nodes is silent and goes on where it was once it is ours again) {
  open();
  get("g", "s1");
  post("p", "s1", next_call);
  seen();
  auto before = kept.events["s1"].size();
  owns = false;
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{}})");
  server_says(1, notice("one"));
  post("q", "s1", call);
  get("h", "s1");
  end("e", "s1");
  CAF_CHECK_EQUAL(seen(), (lines{"q" + undecided, "h" + undecided, "e" + undecided}));
  CAF_CHECK_EQUAL(kept.events["s1"].size(), before);
  regains_tenure();
  CAF_CHECK_EQUAL(kept.claimed.session, "s1");
  CAF_CHECK_EQUAL(kept.claimed.how.term, 3u);
  CAF_CHECK(kept.claimed.how.is_new_store);
  CAF_CHECK_EQUAL(kept.claimed.record, kept.records["s1"]);
  CAF_CHECK_EQUAL(seen(), lines{});
  regains();
  CAF_CHECK_EQUAL(seen(), (lines{R"(p 200 {"jsonrpc":"2.0","id":8,"result":{}})", "g < " + notice("one")}));
  CAF_CHECK_EQUAL(kept.events["s1"].size(), before + 2);
  post("r", "s1", call);
  CAF_CHECK_EQUAL(seen().size(), 1u);
}

CAF_TEST(a session is claimed with its record as it is then and nothing older is written after that) {
  open();
  owns = false;
  pass(16min);
  server_says(1, notice("one"));
  kept.records.clear();
  regains_tenure();
  regains();
  CAF_CHECK(kept.claimed.record.find("initialize") != std::string::npos);
  CAF_CHECK(!is_kept());
}

CAF_TEST(an answer of the server is not passed on by who does not own the session any more) {
  open();
  post("p", "s1", next_call);
  seen();
  owns = false;
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{}})");
  disown();
  CAF_CHECK_EQUAL(seen(), (lines{"p" + may_have_run}));
}

CAF_TEST(a session that has to hold back too much is given up) {
  for (auto size : {1u, 2u}) {
    restart_initialize();
    get("g", "s1");
    owns = false;
    kept.is_given_up = false;
    server_says(servers_begun, notice(std::string(size * 1024 * 1024, 'x')));
    CAF_CHECK_EQUAL(servers, size == 1 ? 1 : 0);
    CAF_CHECK_EQUAL(kept.is_given_up, size == 2);
    CAF_CHECK(is_kept());
  }
}

CAF_TEST(a session holds back little while too much waits in all sessions) {
  auto all = std::make_shared<troupe::protocol::byte_total>(1000);
  setup.http.all_waiting_bytes = all;
  open();
  get("g", "s1");
  owns = false;
  server_says(1, notice("one"));
  CAF_CHECK(all->bytes() > 2 * notice("one").size());
  CAF_CHECK_EQUAL(servers, 1);
  server_says(1, notice(std::string(16 * 1024, 'x')));
  CAF_CHECK_EQUAL(servers, 0);
  CAF_CHECK_EQUAL(all->bytes(), 0u);
}

CAF_TEST(a session that is claimed keeps once more what its streams are for) {
  open();
  get("g", "s1");
  post("p", "s1", call);
  server_says(1, progress);
  post("q", "s1", next_call);
  owns = false;
  regains_tenure();
  kept.events.clear();
  regains();
  auto& again = kept.events["s1"];
  CAF_REQUIRE_EQUAL(again.size(), 2u);
  CAF_CHECK_EQUAL(again[0].text, R"({"listens":true})");
  CAF_CHECK_EQUAL(again[1].text, R"({"answers":[7]})");
  goes_on_and_welcomes();
  resume("r", "s1", event("s1", "4-1"));
  CAF_CHECK_EQUAL(seen(), (lines{"r streams", "r < " + lost, "r ends"}));
}

CAF_TEST(a session that ends while nobody knows whose it is stays in the store) {
  open();
  get("g", "s1");
  seen();
  owns = false;
  ends({.why = "the gateway stops", .at_once = true});
  CAF_CHECK_EQUAL(seen(), (lines{"g ends"}));
  CAF_CHECK(is_kept());
  CAF_CHECK_EQUAL(servers, 0);
  CAF_CHECK_EQUAL(at.reminders(), 0u);
}

CAF_TEST(a session that is disowned ends at once and stays in the store) {
  open();
  get("g", "s1");
  post("p", "s1", next_call);
  seen();
  disown();
  CAF_CHECK_EQUAL(seen(), (lines{"p" + may_have_run, "g ends"}));
  CAF_CHECK(is_kept());
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST(clients that wait for a session to be restored are sent on when it is disowned) {
  open();
  goes_on();
  post("p", "s1", next_call);
  seen();
  disown();
  CAF_CHECK_EQUAL(seen(), (lines{"p" + moved}));
  CAF_CHECK(is_kept());
}

CAF_TEST(a session that is lost before it begins again tells its new server nothing until it is ours again) {
  open();
  owns = false;
  goes_on();
  CAF_CHECK_EQUAL(seen(), lines{});
  CAF_CHECK_EQUAL(servers, 0);
  regains_tenure();
  CAF_CHECK_EQUAL(kept.claimed.session, "s1");
  CAF_CHECK(kept.claimed.record.find("initialize") != std::string::npos);
  CAF_CHECK_EQUAL(seen(), lines{});
  regains();
  CAF_CHECK_EQUAL(seen(), (lines{"server2 < " + initialize}));
}

CAF_TEST(an answer is passed on by a session that has let go when it is ours again) {
  open();
  post("p", "s1", next_call);
  seen();
  caf::anon_send(session, troupe::actors::session_departs{});
  run();
  owns = false;
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{}})");
  CAF_CHECK_EQUAL(seen(), lines{});
  regains_tenure();
  CAF_CHECK(is_alive());
  CAF_CHECK_EQUAL(kept.claimed.session, "s1");
  regains();
  CAF_CHECK_EQUAL(seen(), (lines{R"(p 200 {"jsonrpc":"2.0","id":8,"result":{}})"}));
}

CAF_TEST(a session that is used is remembered again after a minute) {
  open();
  kept.records.clear();
  pass(1min - 1ms);
  post("a", "s1", initialized);
  CAF_CHECK(!is_kept());
  pass(1ms);
  post("b", "s1", initialized);
  CAF_CHECK(is_kept());
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::recovery_suite
