// A node whose sessions a store keeps: which of them it takes over, and which it lets go.

#define CAF_SUITE restoring

#include "tests/support/store_world.hpp"
#include "tests/support/two_nodes.hpp"

using namespace troupe;
using namespace troupe::tests;
using namespace std::chrono_literals;

namespace {

/// What a store has, and was asked for.
struct gifts : shelf {
  /// Who has what it has not; nobody when it is empty.
  std::string owner;
  std::size_t asked = 0;
};

/// A store that gives to whoever asks.
struct giving_store_state {
  using interface = actors::store_actor;
  static constexpr const char* name = "giving_store";

  giving_store_state(actors::pinned<interface>* self, gifts& kept, const std::uint64_t& term)
      : self_{self}, kept_{kept}, term_{term} {}
  interface::behavior_type make_behavior() {
    return {
        [this](actors::session_saved& msg) { kept_.records[msg.session] = msg.record; },
        [](actors::event_saved&) {},
        [this](actors::session_forgotten& msg) { kept_.records.erase(msg.session); },
        [this](actors::session_sought& msg) {
          ++kept_.asked;
          actors::session_found found{msg.session, actors::session_found::outcome::unknown, {}, {}, {}};
          if (!kept_.owner.empty())
            found = {msg.session, actors::session_found::outcome::elsewhere, kept_.owner, {}, {}};
          if (kept_.records.contains(msg.session))
            found = {msg.session, actors::session_found::outcome::ours, {}, kept_.records[msg.session], {}, term_};
          self_->send(msg.to, std::move(found));
        },
        [this](actors::session_given_back& msg) { kept_.given_back.push_back(msg.session); },
        [](actors::session_handed_over&) {},
    };
  }

  actors::pinned<interface>* self_;
  gifts& kept_;
  const std::uint64_t& term_;
};

/// A node that hears and says nothing.
struct deaf_gate_state {
  using interface = actors::gate_actor;
  static constexpr const char* name = "deaf_gate";

  explicit deaf_gate_state(actors::pinned<interface>*) {}
  static interface::behavior_type make_behavior() {
    return {
        [](actors::peer_hello&) {},
        [](actors::relay_request&) {},
        [](actors::relay_taken&) {},
        [](actors::relay_closed&) {},
    };
  }
};

/// A node alone in its cluster, with room for one session.
struct restoring_node : world {
  restoring_node() {
    ours->extend(at.now() + 1h);
    actors::registry_setup setup;
    setup.max_sessions = 1;
    setup.units = {&at};
    setup.session = std::make_shared<actors::session_setup>();
    setup.make_server = [this](const server_options& options) { return server_setup(options); };
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

  void told(actors::lease_lost what) {
    caf::anon_send(node, std::move(what));
    run();
  }
  /// A session of this node. Its id, which the journal has not.
  std::string open() {
    auto number = sessions.size() + 1;
    post("i", "", client_hello());
    server_says(number, R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}})");
    auto id = made_by(here, last_id);
    post("n", id, R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    journal.clear();
    return id;
  }
  /// A session whose node is gone.
  std::string left_behind() {
    auto id = made_by(there);
    kept.records[id] =
        protocol::record_text({.initialize = client_hello(), .version = "2025-06-18", .initialized = true});
    return id;
  }

  /// The other node is there, and hears what is passed on.
  void meets() {
    actors::gate_actor gate = sys.spawn<actors::actor_of<deaf_gate_state>>(unit());
    caf::anon_send(router, actors::members_of_cluster{{{{there, "there", 1, false}, gate, {}}}, true});
    run();
  }
  /// The other node goes, after it had answered all that it had taken in, and has no time for `meanwhile`.
  template <class Ask>
  void goes(Ask meanwhile) {
    caf::anon_send(router, actors::node_left{there});
    meanwhile();
    caf::anon_send(router, actors::members_of_cluster{{}, true});
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

  gifts kept;
  std::uint64_t term = 0;
  std::shared_ptr<actors::lease> ours = std::make_shared<actors::lease>();
  actors::registry_actor node;
  actors::router_actor router;
  std::uint8_t last_id = 0;
  const std::string call = R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{}})";

private:
  std::reference_wrapper<actors::unit> unit() { return std::ref(static_cast<actors::unit&>(at)); }
  actors::cluster_parts join(const actors::registry_actor& registry) {
    actors::store_actor store =
        sys.spawn<actors::actor_of<giving_store_state>>(unit(), std::ref(kept), std::cref(term));
    router = sys.spawn<actors::router>(unit(), registry, actors::router_setup{here, test_ids(), store});
    caf::anon_send(router, actors::members_of_cluster{{}, true});
    return {router, sys.spawn<actors::actor_of<fake_cluster_state>>(unit(), registry), store, ours};
  }
};

const protocol::rejection undecided = protocol::unavailable("nobody can tell yet who owns the session");

/// `name 503 …`, as far as it says why.
bool is_unavailable(const std::string& line, const std::string& name) {
  return line.starts_with(name + " 503 ") && line.find("-32603") != std::string::npos;
}

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
  auto said = seen();
  CAF_REQUIRE_EQUAL(said.size(), 3u);
  CAF_CHECK(is_unavailable(said[0], "p"));
  CAF_CHECK(is_unavailable(said[1], "g"));
  CAF_CHECK(is_unavailable(said[2], "d"));
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
  hears({.exchange = 1, .is = is, .why = protocol::unavailable("nobody can tell yet who owns the session")});
  CAF_CHECK_EQUAL(servers, 1);
  post("q", made_by(there), call);
  hears({.exchange = 2, .is = is, .why = protocol::unavailable("the gateway is stopping")});
  CAF_CHECK(is_unavailable(seen().back(), "q"));
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
  auto said = seen();
  CAF_REQUIRE(said.size() >= 2);
  CAF_CHECK_EQUAL(std::string{said[said.size() - 2]}, R"(p 200 {"jsonrpc":"2.0","id":5,"result":{}})");
  CAF_CHECK_EQUAL(std::string{said.back()}, R"(q 200 {"jsonrpc":"2.0","id":6,"result":{}})");
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
  CAF_CHECK_EQUAL(seen().back().substr(0, 5), "d 404");
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

CAF_TEST(a session that became ours by a lease that has run out since does not begin) {
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

CAF_TEST(a session that another node owns ends here at once and stays in the store) {
  auto id = open();
  get("g", id);
  post("p", id, call);
  seen();
  told({"another"});
  CAF_CHECK_EQUAL(seen(), lines{});
  told({id});
  auto said = seen();
  CAF_REQUIRE_EQUAL(said.size(), 2u);
  CAF_CHECK(is_unavailable(said[0], "p"));
  CAF_CHECK_EQUAL(said[1], "g ends");
  CAF_CHECK(kept.records.contains(id));
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST(sessions whose lease has run out end here and those that began with the next one go on) {
  auto before = open();
  ours->end();
  ours->extend(at.now() + 1h);
  told({});
  CAF_CHECK_EQUAL(servers, 0);
  auto after = open();
  told({});
  CAF_CHECK_EQUAL(servers, 1);
  get("g", after);
  CAF_CHECK_EQUAL(seen(), (lines{"g streams"}));
  told({after});
  CAF_CHECK_EQUAL(seen(), (lines{"g ends"}));
  CAF_CHECK_EQUAL(servers, 0);
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
  CAF_CHECK_EQUAL(seen(), lines{}); // it waits for the node that takes the session
  CAF_CHECK_EQUAL(servers, 1);
  caf::anon_send(node, actors::drain{.at_once = true});
  run();
  auto said = seen();
  CAF_REQUIRE_EQUAL(said.size(), 1u);
  is_unavailable(said[0], "h");
  CAF_CHECK(kept.records.contains(id));
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST_FIXTURE_SCOPE_END()
