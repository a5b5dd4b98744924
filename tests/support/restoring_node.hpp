#pragma once

#include "tests/support/store_world.hpp"
#include "tests/support/two_nodes.hpp"

#include <chrono>

namespace troupe::tests {

/// The contents of a store, and the requests to it.
struct offered_sessions : stored_sessions {
  /// The owner of unknown sessions; none when it is empty.
  std::string owner;
  std::size_t asked = 0;
  std::vector<std::string> handed_over;
};

/// A store that gives its sessions to any node.
struct serving_store_state {
  using interface = actors::store_actor;
  static constexpr const char* name = "serving_store";

  serving_store_state(actors::pinned<interface>* self, offered_sessions& kept, const std::uint64_t& term)
      : self_{self}, kept_{kept}, term_{term} {}
  interface::behavior_type make_behavior() {
    return {
        [this](actors::session_saved& msg) { kept_.records[msg.session] = msg.record; },
        [this](actors::session_claimed& msg) { kept_.records[msg.session] = msg.record; },
        [](actors::event_saved&) {},
        [this](actors::session_forgotten& msg) {
          kept_.records.erase(msg.session);
          tell_gone(*self_, msg.session);
        },
        [](actors::session_abandoned&) {},
        [this](actors::session_search& msg) {
          ++kept_.asked;
          actors::session_found found{{msg.session}};
          if (!kept_.owner.empty())
            found = {{msg.session, actors::session_found::outcome::elsewhere, kept_.owner}};
          if (kept_.records.contains(msg.session))
            found = {{msg.session, actors::session_found::outcome::ours, {}, kept_.records[msg.session]}, term_};
          self_->send(msg.to, std::move(found));
        },
        [](actors::nodes_alive&) {},
        [this](actors::session_returned& msg) { kept_.given_back.push_back(msg.session); },
        [this](actors::session_handed_over& msg) { kept_.handed_over.push_back(msg.session); },
    };
  }

  actors::pinned<interface>* self_;
  offered_sessions& kept_;
  const std::uint64_t& term_;
};

/// A gate that never answers. It records the sessions that were taken.
struct silent_gate_state {
  using interface = actors::gate_actor;
  static constexpr const char* name = "silent_gate";

  silent_gate_state(actors::pinned<interface>*, lines& taken) : taken_{taken} {}
  interface::behavior_type make_behavior() {
    return {
        [](actors::peer_hello&) {},
        [](actors::relay_request&) {},
        [](actors::relay_taken&) {},
        [](actors::relay_closed&) {},
        [this](actors::session_taken& msg) { taken_.push_back(msg.session); },
    };
  }

  lines& taken_;
};

/// The only node of its cluster, with room for a number of sessions.
struct restoring_node : world {
  explicit restoring_node(std::size_t room = 1) {
    has_tenure_again();
    actors::registry_setup setup;
    setup.max_sessions = room;
    setup.units = {&at};
    setup.session = std::make_shared<actors::session_setup>();
    setup.make_server = [this](const server_options& options) { return server_setup(options); };
    setup.describe_node = [this] {
      protocol::live_node result;
      result.can.drain = takes_orders;
      return result;
    };
    setup.carry_out = [this](auto&&, auto&&) { ++ordered_to_end; };
    setup.make_id = [this] { return made_by(here); };
    setup.join_cluster = [this](const actors::registry_actor& registry) { return join(registry); };
    node = sys.spawn<actors::registry>(unit(), std::move(setup));
    auto restored = server("server");
    restored.recovery = recovery::restore;
    caf::anon_send(node, actors::configure{{restored}});
    brokers_setup = std::make_shared<actors::broker_setup>(actors::broker_setup{{}, node, brokers, true});
    run();
  }
  ~restoring_node() override {
    upstreams.clear();
    sessions.clear();
    caf::anon_send_exit(std::exchange(node, {}), caf::exit_reason::user_shutdown);
    router = nullptr;
    brokers_setup.reset();
    run();
  }

  void loses_tenure() {
    ours->end();
    told({});
  }
  void has_tenure_again() { ours->extend(ours->now() + std::chrono::hours{1}); }
  void regains(protocol::session_claim how) {
    caf::anon_send(node, actors::tenure_regained{how});
    run();
  }
  void is_ours_again(const std::string& session) {
    caf::anon_send(node, actors::session_regained{session, ours->term()});
    run();
  }
  void told(actors::tenure_lost what) {
    caf::anon_send(node, std::move(what));
    run();
  }
  /// Opens a session on this node, and returns its id, which the journal does not have.
  std::string open() {
    auto number = sessions.size() + 1;
    post("i", "", client_hello());
    server_says(number, R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}})");
    auto id = made_by(here, last_id);
    post("n", id, R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    journal.clear();
    return id;
  }
  /// A session whose node has exited.
  std::string left_behind() {
    auto id = made_by(there);
    kept.records[id] =
        protocol::record_text({.initialize = client_hello(), .version = "2025-06-18", .initialized = true});
    return id;
  }

  /// Lets the other node join and receive relayed requests.
  void meets() {
    actors::gate_actor gate = sys.spawn<actors::actor_of<silent_gate_state>>(unit(), std::ref(taken));
    caf::anon_send(router, actors::cluster_members{{{{there, "there", 1, false}, gate, {}}}, true});
    run();
  }
  /// Lets the other node leave after it has answered all pending requests, without serving `meanwhile`.
  template <class Ask>
  void goes(Ask meanwhile) {
    caf::anon_send(router, actors::node_left{there});
    meanwhile();
    is_lost();
  }
  /// Loses the other node.
  void is_lost() {
    caf::anon_send(router, actors::cluster_members{{}, true});
    run();
  }
  void refuses(std::uint64_t exchange, protocol::rejection why) {
    hears({.exchange = exchange, .is = actors::relay_answer::kind::rejected, .why = std::move(why)});
  }
  void hears(actors::relay_answer part) {
    caf::anon_send(router, std::move(part));
    run();
  }

  std::string made_by(protocol::node_life whose) { return made_by(whose, ++last_id); }
  static std::string made_by(protocol::node_life whose, std::uint8_t number) {
    return test_ids().make({std::byte{number}}, whose);
  }

  offered_sessions kept;
  /// Sessions that were announced to the other node as taken.
  lines taken;
  std::uint64_t term = 0;
  /// How long the machine was suspended: the clock of the unit has stood still for that time.
  std::chrono::milliseconds suspended{0};
  /// Whether the host can be asked to end, and how often it was.
  bool takes_orders = true;
  int ordered_to_end = 0;
  std::shared_ptr<actors::tenure> ours = std::make_shared<actors::tenure>([this] { return at.now() + suspended; });
  actors::registry_actor node;
  actors::router_actor router;
  std::uint8_t last_id = 0;
  const std::string call = R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{}})";

private:
  std::reference_wrapper<actors::unit> unit() { return std::ref(static_cast<actors::unit&>(at)); }
  actors::cluster_parts join(const actors::registry_actor& registry) {
    actors::store_actor store =
        sys.spawn<actors::actor_of<serving_store_state>>(unit(), std::ref(kept), std::cref(term));
    auto others = std::make_shared<actors::open_nodes>();
    router =
        sys.spawn<actors::router>(unit(), registry, actors::router_setup{here, test_ids(), store, 50, {}, {}, others});
    caf::anon_send(router, actors::cluster_members{{}, true});
    return {router, sys.spawn<actors::actor_of<fake_cluster_state>>(unit(), registry), store, ours, others};
  }
};

/// Whether the line is a 503 for `name`, up to its reason.
inline bool is_unavailable(const std::string& line, const std::string& name) {
  return line.starts_with(name + " 503 ") && line.find("-32603") != std::string::npos;
}

} // namespace troupe::tests
