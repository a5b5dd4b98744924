// A faulty or hostile node crashes no other node: each of its requests is answered or dropped.

#define CAF_SUITE hostile_peer

#include "tests/support/two_nodes.hpp"

namespace troupe::tests::hostile_peer_suite {

namespace {

using namespace troupe::actors;
using kind = relay_answer::kind;

const protocol::node_life stranger{3, 1};
const std::string call = R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{}})";
const std::string notice = "data: x\n\n";

protocol::post_body body(const std::string& text) { return std::get<protocol::post_body>(protocol::read_body(text)); }

/// The second node has a gate, too, and a third node sends to it.
struct hostile_node : two_nodes {
  hostile_node() {
    unit& afar = elsewhere;
    far_cluster = sys.spawn<actor_of<fake_cluster_state>>(std::ref(afar), far_registry);
    far_gate = sys.spawn<actor_of<gate_state>>(std::ref(afar), far_cluster.address(), far_cluster, far_registry,
                                               std::vector<unit*>{&afar});
    own_router = spawn_router();
    run();
  }
  ~hostile_node() override {
    caf::anon_send_exit(far_cluster, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(own_router, caf::exit_reason::user_shutdown);
    far_gate = nullptr;
    own_router = nullptr;
    run();
  }

  remote_router_actor spawn_router() {
    return sys.spawn([to = answers](remote_router_actor::pointer) -> remote_router_actor::behavior_type {
      return {[to](relay_answer& msg) { to->push_back(std::move(msg)); }};
    });
  }
  void greet(const remote_router_actor& router, protocol::node_life life = stranger) {
    caf::anon_send(far_gate, peer_hello{{.life = life}, caf::actor_cast<gate_actor>(far_gate), router});
    run();
  }
  void members(std::vector<member_node> nodes) {
    caf::anon_send(far_gate, cluster_members{std::move(nodes), true});
    run();
  }
  /// Sends a request as the third node. Returns its answers.
  std::vector<relay_answer> ask(relay_request what, bool has_sender = true) {
    what.from = stranger;
    what.exchange = ++last_exchange;
    answers->clear();
    if (has_sender)
      caf::send_as(caf::actor_cast<caf::actor>(own_router), far_gate, std::move(what));
    else
      caf::anon_send(far_gate, std::move(what));
    run();
    return *answers;
  }
  static relay_request post(const std::string& session) {
    return {.is = relay_request::kind::post, .head = {.session = session}, .body = body(call)};
  }
  /// The reason for which this node refuses a call of the other.
  std::string refusal() {
    auto seen = ask(post("x"));
    CAF_REQUIRE_EQUAL(seen.size(), 1u);
    return seen[0].why.text;
  }
  /// A node answers this node's request for its session.
  void answer(std::uint64_t exchange, kind is) {
    caf::anon_send(router, relay_answer{.exchange = exchange, .is = is, .text = notice});
    run();
  }

  cluster_actor far_cluster;
  local_gate_actor far_gate;
  remote_router_actor own_router;
  std::uint64_t last_exchange = 0;
  std::shared_ptr<std::vector<relay_answer>> answers = std::make_shared<std::vector<relay_answer>>();
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(hostile_peer_tests, hostile_node)

/// A lease has requests of one kind only.
CAF_TEST(a node that asks for the stream of a lease is refused) {
  greet(own_router);
  for (auto is : {relay_request::kind::listen, relay_request::kind::end}) {
    auto seen = ask({.is = is, .head = {.session = "lease", .via = protocol::transport::stateless}});
    CAF_REQUIRE_EQUAL(seen.size(), 1u);
    CAF_CHECK(seen[0].is == kind::rejected);
  }
}

CAF_TEST(a request of no known kind or transport or without messages is refused) {
  greet(own_router);
  auto sessions = {std::string{}, std::string{"x"}, test_ids().make({std::byte{1}}, there),
                   test_ids().make({std::byte{1}}, protocol::node_life{9, 9})};
  for (int is = -1; is < 6; ++is)
    for (int via = -1; via < 5; ++via)
      for (auto& session : sessions)
        for (auto messages : {0, 1, 2}) {
          auto what = post(session);
          what.is = static_cast<relay_request::kind>(is);
          what.head.via = static_cast<protocol::transport>(via);
          what.head.server = "none";
          what.body.messages.resize(static_cast<std::size_t>(messages));
          pass_afar(std::chrono::seconds{20});
          auto seen = ask(std::move(what));
          pass_afar(std::chrono::seconds{20});
          CAF_CHECK(!answers->empty());
          auto is_known = is >= 0 && is <= 2 && via >= 0 && via <= 1;
          if (!is_known && (!seen.empty() || answers->empty()))
            CAF_CHECK(seen.front().is == kind::rejected);
        }
}

CAF_TEST(a request of an unknown node without a sender is dropped) {
  CAF_CHECK(ask(post("x"), false).empty());
  CAF_CHECK_EQUAL(ask(post("x")).size(), 1u);
}

CAF_TEST(a greeting of a node without actors is no introduction) {
  caf::anon_send(far_gate, peer_hello{{.life = stranger}, {}, {}});
  run();
  CAF_CHECK_EQUAL(refusal(), protocol::nodes_not_known().text);
}

CAF_TEST(a node that has greeted this one is served until it is a member and after) {
  greet(own_router);
  members({});
  CAF_CHECK_EQUAL(refusal(), protocol::session_not_found().text);
  members({{{stranger, "stranger", 1, false}, {}, own_router}});
  CAF_CHECK_EQUAL(refusal(), protocol::session_not_found().text);
  members({});
  CAF_CHECK_EQUAL(refusal(), protocol::nodes_not_known().text);
}

CAF_TEST(a node whose router ends before it is a member is served no more) {
  auto other = spawn_router();
  greet(other);
  caf::anon_send_exit(other, caf::exit_reason::kill);
  run();
  CAF_CHECK_EQUAL(refusal(), protocol::nodes_not_known().text);
}

CAF_TEST(so many nodes are served before they are members) {
  for (std::uint64_t i = 0; i + 1 < gate_state::most_early; ++i)
    greet(own_router, {4, i});
  greet(own_router);
  CAF_CHECK_EQUAL(refusal(), protocol::session_not_found().text);
  auto other = spawn_router();
  greet(other, {5, 1});
  caf::anon_send(far_gate, relay_request{.from = {5, 1}, .exchange = 1, .head = {.session = "x"}, .body = body(call)});
  answers->clear();
  run();
  CAF_CHECK(answers->empty());
  caf::anon_send_exit(other, caf::exit_reason::kill);
}

CAF_TEST(parts of an answer that cannot follow each other fail the call) {
  const std::vector<std::vector<kind>> all{{kind::event},
                                           {kind::end},
                                           {static_cast<kind>(8)},
                                           {static_cast<kind>(-1)},
                                           {kind::begin, kind::begin},
                                           {kind::begin, kind::reply},
                                           {kind::begin, kind::accepted},
                                           {kind::begin, kind::ended},
                                           {kind::begin, static_cast<kind>(8)}};
  for (auto& parts : all) {
    open();
    post_afar("a", call);
    seen();
    ++last_exchange;
    for (auto is : parts)
      answer(last_exchange, is);
    auto output = seen();
    CAF_REQUIRE_EQUAL(output.empty(), false);
    auto end = parts.front() == kind::begin ? output.at(output.size() - 2) : output.back();
    CAF_CHECK_NOT_EQUAL(end.find("lost before it answered"), std::string::npos);
    answer(last_exchange, kind::reply);
    CAF_CHECK_EQUAL(seen(), lines{});
  }
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::hostile_peer_suite
