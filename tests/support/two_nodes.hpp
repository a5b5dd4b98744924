#pragma once

#include "actors/cluster/gate.hpp"
#include "actors/cluster/router.hpp"
#include "tests/support/world.hpp"

namespace troupe::tests {

inline constexpr protocol::node_life here{1, 1};
inline constexpr protocol::node_life there{2, 1};

inline protocol::sealed_session_ids test_ids() {
  return protocol::sealed_session_ids{[](std::string_view text) {
    protocol::random_bytes result{};
    for (std::size_t i = 0; i < text.size(); ++i)
      result[i % result.size()] ^= static_cast<std::byte>(text[i] + static_cast<int>(i));
    return std::vector{result};
  }};
}

/// A fake of the actor that finds other nodes.
struct fake_cluster_state {
  using interface = actors::cluster_actor;
  static constexpr const char* name = "fake_cluster";

  /// `owner` is the registry of its node, which learns that the gate is closed.
  fake_cluster_state(actors::pinned<interface>* self, actors::registry_actor owner)
      : self_{self}, owner_{std::move(owner)} {}
  interface::behavior_type make_behavior() {
    return {
        [](actors::peer_hello&) {},
        [](actors::name_found&) {},
        [](actors::link_offered&) {},
        [](actors::link_failed&) {},
        [](actors::link_opened&) {},
        [](actors::link_closed&) {},
        [this](actors::node_drains& msg) {
          if (msg.is_last)
            self_->send(owner_, actors::gate_closed{});
        },
        [](actors::node_open&) {},
        [this](actors::report_request& msg) {
          actors::counted nothing;
          nothing.part.actors = 1;
          self_->send(msg.to, std::move(nothing));
        },
        [](actors::tick&) {},
    };
  }
  actors::pinned<interface>* self_;
  actors::registry_actor owner_;
};

/// Two nodes: the world's own node owns sessions and has a gate. The other one has a router and no session; its broker
/// setup is `far`.
struct two_nodes : world {
  /// `make_server` creates the servers of the other node, if it has any.
  explicit two_nodes(actors::gateway_servers::setup_of make_server = {}) {
    auto& unit = static_cast<actors::unit&>(at);
    actors::unit& afar = elsewhere;
    elsewhere.measure();
    owner_cluster = sys.spawn<actors::actor_of<fake_cluster_state>>(std::ref(unit), registry);
    gate = sys.spawn<actors::actor_of<actors::gate_state>>(std::ref(unit), owner_cluster.address(), owner_cluster,
                                                           registry, std::vector<actors::unit*>{&at});
    actors::registry_setup setup;
    setup.units = {&afar};
    auto session = std::make_shared<actors::session_setup>();
    session->seal_keys = [] { return lines{"secret"}; };
    setup.session = std::move(session);
    setup.make_id = [] { return std::string{"none"}; };
    setup.make_server = std::move(make_server);
    setup.join_cluster = [this, &afar](const actors::registry_actor& registry) {
      router = sys.spawn<actors::router>(std::ref(afar), registry, actors::router_setup{there, test_ids(), {}});
      return actors::cluster_parts{router, sys.spawn<actors::actor_of<fake_cluster_state>>(std::ref(afar), registry)};
    };
    far_registry = sys.spawn<actors::registry>(std::ref(afar), std::move(setup));
    far_registry->attach_functor([this](const caf::error&) { far_ended = true; });
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
    caf::anon_send(gate, actors::cluster_members{{{{there, "there", 1, false}, {}, as_router}}, true});
    caf::anon_send(router, actors::cluster_members{{{{here, "here", 1, false}, as_gate, {}}}, settled});
    run();
  }
  void lose_owner() {
    caf::anon_send(router, actors::cluster_members{{}, true});
    run();
  }
  void lose_client_side() {
    caf::anon_send(gate, actors::cluster_members{{}, true});
    run();
  }

  /// Opens a session of the world's node, under an id that names the node.
  std::string open() {
    id = test_ids().make({std::byte{++last_id}}, here);
    next_id = id;
    post("i", "", client_hello());
    server_says(sessions.size(), R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}})");
    post("n", id, R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    journal.clear();
    return id;
  }

  template <class Ask>
  void from_afar(Ask ask) {
    std::swap(brokers_setup, far);
    home_of_brokers = &elsewhere;
    ask();
    home_of_brokers = &at;
    std::swap(brokers_setup, far);
  }
  void pass_afar(std::chrono::milliseconds time) {
    elsewhere.advance(time);
    run();
  }
  void post_afar(const std::string& name, const std::string& body) {
    from_afar([&] { post(name, id, body); });
  }

  actors::cluster_actor owner_cluster;
  actors::local_gate_actor gate;
  actors::router_actor router;
  actors::registry_actor far_registry;
  std::shared_ptr<const actors::broker_setup> far;
  bool far_ended = false;
  std::string id;
  std::uint8_t last_id = 0;
};

} // namespace troupe::tests
