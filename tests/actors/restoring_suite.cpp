// A node that keeps sessions in a store: which of them it restores, and which it releases.

#define CAF_SUITE restoring

#include "tests/support/restoring_node.hpp"

namespace troupe::tests::restoring_suite {

using namespace std::chrono_literals;

namespace {

const protocol::rejection undecided = protocol::owner_unknown();

} // namespace

CAF_TEST_FIXTURE_SCOPE(restoring_tests, restoring_node)

CAF_TEST(a session that is left behind goes on here with what it is asked) {
  auto id = left_behind();
  post("p", id, call);
  server_says(1, R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}})");
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{}})");
  CAF_CHECK_EQUAL(std::string{seen().back()}, R"(p 200 {"jsonrpc":"2.0","id":5,"result":{}})");
}

CAF_TEST(a session for which there is no room is not said to be gone and is restored when there is) {
  auto own = open();
  auto id = left_behind();
  post("p", id, call);
  get("g", id);
  end("d", id);
  auto output = seen();
  CAF_REQUIRE_EQUAL(output.size(), 3u);
  CAF_CHECK(is_unavailable(output[0], "p"));
  CAF_CHECK(is_unavailable(output[1], "g"));
  CAF_CHECK(is_unavailable(output[2], "d"));
  CAF_CHECK(kept.records.contains(id));
  CAF_CHECK_EQUAL(kept.given_back, lines(3, id));
  end("e", own);
  seen();
  post("q", id, call);
  CAF_REQUIRE_EQUAL(seen().size(), 1u);
  CAF_CHECK_EQUAL(servers, 1);
  CAF_CHECK_EQUAL(kept.given_back.size(), 3u);
}

CAF_TEST(a session of a server that is not here is given back) {
  auto id = left_behind();
  kept.records[id] =
      protocol::record_text({.path = "elsewhere", .initialize = client_hello(), .version = "2025-06-18"});
  post("p", id, call);
  CAF_CHECK_EQUAL(seen().front().substr(0, 5), "p 404");
  CAF_CHECK_EQUAL(kept.given_back, lines{id});
}

CAF_TEST(a session that its node has lost without knowing to whom is sought in the store) {
  meets();
  auto id = left_behind();
  auto is = actors::relay_answer::kind::rejected;
  post("p", id, call);
  hears({.exchange = 1, .is = is, .why = protocol::owner_unknown()});
  CAF_CHECK_EQUAL(servers, 1);
  post("q", made_by(there), call);
  hears({.exchange = 2, .is = is, .why = protocol::gateway_stops()});
  CAF_CHECK(is_unavailable(seen().back(), "q"));
}

CAF_TEST(requests that another node could not answer find their session once it is restored here) {
  meets();
  auto id = left_behind();
  post("p", id, call);
  post("q", id, R"({"jsonrpc":"2.0","id":6,"method":"tools/call","params":{}})");
  refuses(1, undecided);
  refuses(2, undecided);
  CAF_CHECK_EQUAL(kept.asked, 1u);
  server_says(1, R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}})");
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{}})");
  server_says(1, R"({"jsonrpc":"2.0","id":3,"result":{}})");
  CAF_CHECK_EQUAL(std::string{seen().back()}, R"(q 200 {"jsonrpc":"2.0","id":6,"result":{}})");
}

CAF_TEST(what a node that has left has not answered goes on here also when it is asked just then) {
  meets();
  auto id = left_behind();
  post("p", id, call);
  goes([&] { post("q", id, R"({"jsonrpc":"2.0","id":6,"method":"tools/call","params":{}})"); });
  CAF_REQUIRE_EQUAL(servers, 1);
  server_says(1, R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}})");
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{}})");
  server_says(1, R"({"jsonrpc":"2.0","id":3,"result":{}})");
  CAF_CHECK_EQUAL(std::string{seen().back()}, R"(q 200 {"jsonrpc":"2.0","id":6,"result":{}})");
}

CAF_TEST(a call of which a node that has left had said something is lost with it) {
  meets();
  post("p", left_behind(), call);
  hears({.exchange = 1, .is = actors::relay_answer::kind::begin});
  goes([] {});
  CAF_CHECK_EQUAL(std::string{seen().back()}, "p ends");
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST(a request of which the owner has said something or of which too much was copied is not asked again) {
  meets();
  const auto big = R"({"jsonrpc":"2.0","id":5,"method":"m","params":{"x":")" + std::string(3'900'000, 'x') + "\"}}";
  auto posts_big = [&](const std::string& name) { post(name, made_by(there), big); };
  for (auto name : {"a", "b", "c", "d", "e", "f"})
    posts_big(name);
  refuses(5, undecided);
  CAF_CHECK(is_unavailable(seen().back(), "e"));
  CAF_CHECK_EQUAL(kept.asked, 0u);
  refuses(4, undecided);
  CAF_CHECK(is_unavailable(seen().back(), "d"));
  CAF_CHECK_EQUAL(kept.asked, 1u);
  hears({.exchange = 1, .is = actors::relay_answer::kind::begin});
  hears({.exchange = 2, .is = actors::relay_answer::kind::accepted});
  for (auto name : {"g", "h", "i", "j"})
    posts_big(name);
  for (std::uint64_t number : {7, 8, 9, 10})
    refuses(number, undecided);
  CAF_CHECK_EQUAL(kept.asked, 4u);
  CAF_CHECK(is_unavailable(seen().back(), "j"));
}

CAF_TEST(the store is asked again for a session that moved only when its node has not got it) {
  meets();
  kept.owner = protocol::life_text(there);
  auto id = made_by({3, 1});
  std::uint64_t exchange = 0;
  auto asks_after = [&](const protocol::rejection& why) {
    post("p", id, call);
    refuses(++exchange, why);
    return kept.asked;
  };
  CAF_CHECK_EQUAL(asks_after({400, -32600, "Bad Request"}), 1u);
  CAF_CHECK_EQUAL(asks_after({429, -32600, "Too Many Requests"}), 1u);
  CAF_CHECK_EQUAL(asks_after(protocol::session_not_found()), 1u);
  CAF_CHECK_EQUAL(asks_after({400, -32600, "Bad Request"}), 2u);
  post("p", id, call);
  hears({.exchange = ++exchange, .is = actors::relay_answer::kind::lost});
  CAF_CHECK_EQUAL(asks_after({400, -32600, "Bad Request"}), 3u);
}

CAF_TEST(a session that cannot be read is gone) {
  auto id = left_behind();
  kept.records[id] = "{}";
  post("p", id, call);
  CAF_CHECK_EQUAL(seen().front().substr(0, 5), "p 404");
  CAF_CHECK_EQUAL(kept.given_back, lines{id});
}

CAF_TEST(a session that became ours by a tenure that has run out since does not begin) {
  auto id = left_behind();
  ours->end();
  ours->extend(at.now() + 1h);
  post("p", id, call);
  CAF_CHECK(is_unavailable(seen().front(), "p"));
  CAF_CHECK_EQUAL(servers, 0);
  CAF_CHECK_EQUAL(kept.given_back, lines{id});
  ++term;
  post("q", id, call);
  CAF_CHECK_EQUAL(servers, 1);
}

CAF_TEST(a node of a cluster that stops sends those who listen away and lets its sessions go) {
  auto id = open();
  get("g", id);
  post("p", id, call);
  seen();
  caf::anon_send(node, actors::drain{});
  run();
  CAF_CHECK_EQUAL(seen(), (lines{"g ends"}));
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{}})");
  CAF_CHECK_EQUAL(seen(), (lines{R"(p 200 {"jsonrpc":"2.0","id":5,"result":{}})"}));
  get("h", id);
  CAF_CHECK_EQUAL(seen(), lines{}); // the request waits for the node that takes the session
  CAF_CHECK_EQUAL(servers, 1);
  caf::anon_send(node, actors::drain{actors::drain_step::at_once});
  run();
  auto output = seen();
  CAF_REQUIRE_EQUAL(output.size(), 1u);
  CAF_CHECK(is_unavailable(output[0], "h"));
  CAF_CHECK(kept.records.contains(id));
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::restoring_suite
