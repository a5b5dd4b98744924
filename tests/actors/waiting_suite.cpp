// A node whose tenure has expired: requests wait until it is known who owns their sessions.

#define CAF_SUITE waiting

#include "protocol/rejection.hpp"
#include "tests/support/restoring_node.hpp"

namespace troupe::tests::waiting_suite {

namespace {

const lines forwarded{R"(server1 < {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{}})"};

} // namespace

CAF_TEST_FIXTURE_SCOPE(waiting_tests, restoring_node)

CAF_TEST(a session that another node owns ends here at once and stays in the store) {
  auto id = open();
  get("g", id);
  post("p", id, call);
  seen();
  told({"another"});
  CAF_CHECK_EQUAL(seen(), lines{});
  told({id});
  auto output = seen();
  CAF_REQUIRE_EQUAL(output.size(), 2u);
  CAF_CHECK(output[0].starts_with("p 200 ") && output[0].find("the call may have run") != std::string::npos);
  CAF_CHECK_EQUAL(output[1], "g ends");
  CAF_CHECK(kept.records.contains(id));
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST(sessions whose tenure has run out wait to be claimed and those that began with the next one go on) {
  auto before = open();
  loses_tenure();
  CAF_CHECK_EQUAL(servers, 1);
  has_tenure_again();
  kept.records.clear();
  regains({ours->term()});
  CAF_CHECK(kept.records.contains(before));
  post("q", before, call);
  CAF_CHECK(is_unavailable(seen().front(), "q"));
  is_ours_again(before);
  get("g", before);
  CAF_CHECK_EQUAL(seen(), (lines{"g streams"}));
}

CAF_TEST(a node whose machine was suspended for longer than its tenure asks the store before it answers) {
  auto id = open();
  post("p", id, call);
  seen();
  suspended += std::chrono::hours{1};
  server_says(1, R"({"jsonrpc":"2.0","id":2,"result":{}})");
  CAF_CHECK_EQUAL(seen(), lines{});
  post("q", id, call);
  CAF_CHECK(is_unavailable(seen().front(), "q"));
  loses_tenure();
  has_tenure_again();
  regains({ours->term()});
  is_ours_again(id);
  CAF_CHECK_EQUAL(seen(), (lines{R"(p 200 {"jsonrpc":"2.0","id":5,"result":{}})"}));
}

CAF_TEST(a session outlives a night in a suspended machine) {
  auto id = open();
  suspended += std::chrono::hours{10};
  loses_tenure();
  has_tenure_again();
  regains({ours->term()});
  is_ours_again(id);
  post("p", id, call);
  CAF_CHECK_EQUAL(seen(), forwarded);
}

CAF_TEST(sessions are claimed in a new store only if they were ours until then) {
  auto id = open();
  loses_tenure();
  loses_tenure();
  has_tenure_again();
  kept.records.clear();
  regains({ours->term(), true, true});
  CAF_CHECK(kept.records.empty());
  regains({ours->term(), true});
  CAF_CHECK(kept.records.contains(id));
}

CAF_TEST(sessions whose tenure has run out end here when the node stops) {
  auto id = open();
  get("g", id);
  seen();
  post("p", id, call);
  loses_tenure();
  caf::anon_send(node, actors::drain{});
  run();
  told({});
  CAF_CHECK_EQUAL(std::string{seen().back()}, "g ends");
  CAF_CHECK_EQUAL(servers, 0);
  CAF_CHECK(kept.records.contains(id));
}

CAF_TEST(sessions that wait to be claimed are this nodes again before they go to another) {
  auto id = open();
  get("g", id);
  seen();
  loses_tenure();
  has_tenure_again();
  caf::anon_send(node, actors::drain{});
  run();
  CAF_CHECK_EQUAL(seen(), lines{});
  CAF_CHECK_EQUAL(servers, 1);
  is_ours_again(id);
  CAF_CHECK_EQUAL(seen(), (lines{"g ends"}));
  CAF_CHECK_EQUAL(kept.handed_over, lines{id});
}

CAF_TEST(a session that has no record yet needs no claim) {
  post("i", "", client_hello());
  seen();
  loses_tenure();
  has_tenure_again();
  regains({ours->term()});
  CAF_CHECK(kept.records.empty());
  CAF_CHECK_EQUAL(seen(), lines{});
  server_says(1, R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}})");
  CAF_CHECK_EQUAL(seen().size(), 1u);
  CAF_CHECK(!kept.records.empty());
}

CAF_TEST(sessions go on while they are claimed in a store that has lost data) {
  auto id = open();
  kept.records.clear();
  ours->move(at.now() + std::chrono::minutes{1});
  regains({ours->term(), true, true});
  CAF_CHECK(kept.records.contains(id));
  get("g", id);
  CAF_CHECK_EQUAL(seen(), (lines{"g streams"}));
  pass(std::chrono::minutes{1});
  seen();
  post("q", id, call);
  CAF_CHECK(is_unavailable(seen().front(), "q"));
  is_ours_again(id);
  post("r", id, call);
  CAF_CHECK_EQUAL(seen(), forwarded);
}

CAF_TEST(a later claim includes sessions that go on for a while without one) {
  auto id = open();
  ours->move(at.now() + std::chrono::minutes{1});
  kept.records.clear();
  regains({ours->term(), true});
  CAF_CHECK(kept.records.contains(id));
}

CAF_TEST(a waiting session ends when another node has taken it and another session is claimed) {
  auto id = open();
  auto taken_elsewhere = [&](const std::string& session) {
    caf::anon_send(node, actors::session_taken{session});
    run();
  };
  kept.records.clear();
  taken_elsewhere(id);
  CAF_CHECK_EQUAL(servers, 1);
  CAF_CHECK(kept.records.contains(id));
  post("q", id, call);
  CAF_CHECK(is_unavailable(seen().front(), "q"));
  is_ours_again(id);
  post("r", id, call);
  CAF_CHECK_EQUAL(seen(), forwarded);
  loses_tenure();
  CAF_CHECK_EQUAL(servers, 1);
  taken_elsewhere("another");
  CAF_CHECK_EQUAL(servers, 1);
  taken_elsewhere(id);
  CAF_CHECK_EQUAL(servers, 0);
  CAF_CHECK(kept.records.contains(id));
}

CAF_TEST(requests of a session that leaves go to another node even if that says first that it has taken the session) {
  auto id = open();
  meets();
  caf::anon_send(node, actors::drain{});
  run();
  CAF_CHECK_EQUAL(kept.handed_over, lines{id});
  post("q", id, call);
  caf::anon_send(node, actors::session_taken{id});
  run();
  CAF_CHECK_EQUAL(seen(), lines{});
  ours->end();
  caf::anon_send(node, actors::session_let_go{id});
  run();
  CAF_CHECK_EQUAL(seen(), lines{});
  refuses(1, protocol::nodes_not_known());
  CAF_CHECK(is_unavailable(seen().front(), "q"));
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST(other nodes are told of a session that this one takes) {
  meets();
  auto id = left_behind();
  post("p", id, call);
  CAF_CHECK_EQUAL(taken, lines{});
  refuses(1, protocol::owner_unknown());
  CAF_CHECK_EQUAL(taken, lines{id});
  CAF_CHECK_EQUAL(servers, 1);
}

CAF_TEST(a node that loses its tenure and all others gives up what waits whichever it loses first) {
  open();
  meets();
  is_lost();
  CAF_CHECK_EQUAL(servers, 1);
  loses_tenure();
  CAF_CHECK_EQUAL(servers, 0);
  meets();
  has_tenure_again();
  open();
  loses_tenure();
  CAF_CHECK_EQUAL(servers, 1);
  is_lost();
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST(a node that alone has lost the store gives up what waits until that is over) {
  auto lacks_store = [&](bool is_so) {
    caf::anon_send(node, actors::node_cut_off{actors::node_cut_off::side::store, is_so});
    run();
  };
  open();
  meets();
  loses_tenure();
  CAF_CHECK_EQUAL(servers, 1);
  lacks_store(true);
  CAF_CHECK_EQUAL(servers, 0);
  has_tenure_again();
  lacks_store(false);
  open();
  loses_tenure();
  CAF_CHECK_EQUAL(servers, 1);
}

CAF_TEST(a node that has lost all others waits to claim what it has while its tenure runs) {
  auto id = open();
  meets();
  loses_tenure();
  has_tenure_again();
  is_lost();
  told({});
  CAF_CHECK_EQUAL(servers, 1);
  is_ours_again(id);
  get("g", id);
  CAF_CHECK_EQUAL(seen(), (lines{"g streams"}));
}

CAF_TEST(what a session has become is not taken back by what is heard late) {
  auto id = open();
  loses_tenure();
  has_tenure_again();
  is_ours_again(id);
  caf::anon_send(node, actors::session_regained{id, ours->term() - 1});
  run();
  get("g", id);
  CAF_CHECK_EQUAL(seen(), (lines{"g streams"}));
}

CAF_TEST(a node whose others have said that they leave lets its sessions wait for the store) {
  open();
  meets();
  goes([] {});
  loses_tenure();
  CAF_CHECK_EQUAL(servers, 1);
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::waiting_suite
