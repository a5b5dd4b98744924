// Two nodes in one deterministic world: what each passes to the other, and what becomes of it when one is lost.

#define CAF_SUITE cluster

#include "actors/gate.hpp"
#include "actors/router.hpp"
#include "tests/support/world.hpp"

using namespace troupe;
using namespace troupe::tests;
using namespace std::chrono_literals;

namespace {

constexpr protocol::node_life here{1, 1};
constexpr protocol::node_life there{2, 1};

protocol::owned_ids test_ids() {
  return protocol::owned_ids{[](std::string_view text) {
    protocol::random_bytes result{};
    for (std::size_t i = 0; i < text.size(); ++i)
      result[i % result.size()] ^= static_cast<std::byte>(text[i] + static_cast<int>(i));
    return result;
  }};
}

/// Stands for what finds the other nodes.
struct fake_cluster_state {
  using interface = actors::cluster_actor;
  static constexpr const char* name = "fake_cluster";

  explicit fake_cluster_state(actors::pinned<interface>* self) : self_{self} {}
  interface::behavior_type make_behavior() {
    return {
        [](actors::peer_hello&) {},
        [](actors::name_found&) {},
        [](actors::link_offered&) {},
        [](actors::link_failed&) {},
        [](actors::link_closed&) {},
        [](actors::node_drains&) {},
        [this](actors::report_request& msg) {
          actors::counted nothing;
          nothing.part.actors = 1;
          self_->send(msg.to, std::move(nothing));
        },
        [](actors::tick&) {},
    };
  }
  actors::pinned<interface>* self_;
};

/// The world's own node owns sessions and has a gate. Another node has a router and no session; its doors are `far`.
struct two_nodes : world {
  two_nodes() {
    auto& unit = static_cast<actors::unit&>(at);
    owner_cluster = sys.spawn<actors::actor_of<fake_cluster_state>>(std::ref(unit));
    gate = sys.spawn<actors::actor_of<actors::gate_state>>(std::ref(unit), owner_cluster, registry,
                                                           std::vector<actors::unit*>{&at});
    actors::registry_setup setup;
    setup.units = {&at};
    setup.session = std::make_shared<actors::session_setup>();
    setup.make_id = [] { return std::string{"none"}; };
    setup.join_cluster = [this, &unit](const actors::registry_actor& registry) {
      router = sys.spawn<actors::router>(std::ref(unit), registry, actors::router_setup{there, test_ids(), {}});
      return actors::cluster_parts{router, sys.spawn<actors::actor_of<fake_cluster_state>>(std::ref(unit))};
    };
    far_registry = sys.spawn<actors::registry>(std::ref(unit), std::move(setup));
    far = std::make_shared<actors::broker_setup>(actors::broker_setup{{.shows_state = true}, far_registry});
    run();
    meet();
  }
  ~two_nodes() override {
    caf::anon_send_exit(owner_cluster, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(far_registry, caf::exit_reason::user_shutdown);
    gate = nullptr;
    router = nullptr;
    run();
  }

  void meet(bool settled = true) {
    auto as_router = caf::actor_cast<actors::remote_router_actor>(router);
    auto as_gate = caf::actor_cast<actors::gate_actor>(gate);
    caf::anon_send(gate, actors::members_of_cluster{{{{there, "there", 1, false}, {}, as_router}}, true});
    caf::anon_send(router, actors::members_of_cluster{{{{here, "here", 1, false}, as_gate, {}}}, settled});
    run();
  }
  void lose_owner() {
    caf::anon_send(router, actors::members_of_cluster{{}, true});
    run();
  }
  void lose_client_side() {
    caf::anon_send(gate, actors::members_of_cluster{{}, true});
    run();
  }

  /// A session of the world's node, under an id that names it.
  std::string open() {
    id = test_ids().make({std::byte{++last_id}}, here);
    next_id = id;
    post("i", "", R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}})");
    server_says(sessions.size(), R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}})");
    post("n", id, R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    journal.clear();
    return id;
  }

  template <class Ask>
  void from_afar(Ask ask) {
    std::swap(doors, far);
    ask();
    std::swap(doors, far);
  }
  void post_afar(const std::string& name, const std::string& body) {
    from_afar([&] { post(name, id, body); });
  }

  actors::cluster_actor owner_cluster;
  actors::local_gate_actor gate;
  actors::router_actor router;
  actors::registry_actor far_registry;
  std::shared_ptr<const actors::broker_setup> far;
  std::string id;
  std::uint8_t last_id = 0;
};

const std::string call = R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{}})";
const std::string result_of_2 = R"({"jsonrpc":"2.0","id":2,"result":{}})";
const std::string gone =
    R"(404 {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Session not found: it ended, or never was; start again with initialize"}})";
const std::string lost =
    R"({"jsonrpc":"2.0","id":5,"error":{"code":-32603,"message":"The node that ran the call was lost before it answered"}})";

} // namespace

CAF_TEST_FIXTURE_SCOPE(cluster_tests, two_nodes)

CAF_TEST(a call that comes to another node is answered there by the owner of the session) {
  open();
  post_afar("a", call);
  CAF_CHECK_EQUAL(seen(), (lines{R"(server1 < {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{}})"}));
  server_says(1, result_of_2);
  CAF_CHECK_EQUAL(seen(), (lines{R"(a 200 {"jsonrpc":"2.0","id":5,"result":{}})"}));
}

CAF_TEST(a stream on another node carries the events of the session) {
  open();
  from_afar([&] { get("g", id); });
  server_says(1, R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  auto said = seen();
  CAF_REQUIRE_EQUAL(said.empty(), false);
  CAF_CHECK_NOT_EQUAL(said.back().find("list_changed"), std::string::npos);
  leave("g");
  seen();
  server_says(1, R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  CAF_CHECK_EQUAL(seen(), lines{});
}

CAF_TEST(a session that is ended on another node is gone on both) {
  open();
  from_afar([&] { end("d", id); });
  post_afar("a", call);
  post("b", id, call);
  CAF_CHECK_EQUAL(seen(), (lines{"d 200", "a " + gone, "b " + gone}));
}

CAF_TEST(calls that await a node that is lost fail at once and then the session is gone) {
  open();
  post_afar("a", call);
  seen();
  lose_owner();
  CAF_CHECK_EQUAL(seen(), (lines{"a 200 " + lost}));
  post_afar("b", call);
  CAF_CHECK_EQUAL(seen(), (lines{"b " + gone}));
}

CAF_TEST(streams that await a node that is lost end) {
  open();
  from_afar([&] { get("g", id); });
  seen();
  lose_owner();
  CAF_CHECK_EQUAL(seen(), (lines{"g ends"}));
}

CAF_TEST(clients of a node that is lost are lost to the session and told so should they hear it) {
  open();
  post_afar("a", call);
  seen();
  lose_client_side();
  auto said = seen();
  CAF_REQUIRE_EQUAL(said.size(), 1u);
  CAF_CHECK_EQUAL(said[0].substr(0, 6), "a 503 ");
  server_says(1, result_of_2);
  CAF_CHECK_EQUAL(seen(), lines{});
  CAF_CHECK_EQUAL(servers, 1);
}

CAF_TEST(a client that leaves another node leaves the session) {
  open();
  from_afar([&] { get("g", id); });
  leave("g");
  seen();
  from_afar([&] { get("h", id); });
  server_says(1, R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  auto said = seen();
  CAF_REQUIRE_EQUAL(said.empty(), false);
  CAF_CHECK_EQUAL(said.back().substr(0, 2), "h ");
}

CAF_TEST(a node that does not know the others yet is not ready and turns nobody away for good) {
  auto unknown = test_ids().make({}, {3, 1});
  meet(false);
  id = unknown;
  post_afar("a", call);
  from_afar([&] { request("r", {"GET", "/readyz", {}, {}}); });
  auto said = seen();
  CAF_REQUIRE_EQUAL(said.size(), 2u);
  CAF_CHECK_EQUAL(said[0].substr(0, 6), "a 503 ");
  CAF_CHECK_EQUAL(said[1].substr(0, 6), "r 503 ");
  meet(true);
  post_afar("b", call);
  from_afar([&] { request("s", {"GET", "/readyz", {}, {}}); });
  said = seen();
  CAF_REQUIRE_EQUAL(said.size(), 2u);
  CAF_CHECK_EQUAL(said[0], "b " + gone);
  CAF_CHECK_EQUAL(said[1].substr(0, 6), "s 200 ");
}

CAF_TEST_FIXTURE_SCOPE_END()
