// A gateway in the actor system of its host: the host's actors as servers, and the gateway's root actor.

#define CAF_SUITE host_system

#include "actors/gateway/actor_system.hpp"
#include "actors/upstream/actor_upstream.hpp"
#include "tests/actors/hosted_world.hpp"

namespace troupe::tests::host_system_suite {

using namespace std::chrono_literals;

// -- actors of the host -----------------------------------------------------------------

CAF_TEST_FIXTURE_SCOPE(host_actor_tests, hosted_world)

CAF_TEST(an actor of the host is a server) {
  lines told;
  mcp_client client;
  // CAF 0.17 binds a dangling reference when a function-based actor is spawned without arguments.
  auto server = [&](mcp_server::pointer, caf::unit_t) -> mcp_server::behavior_type {
    return {
        [&](session_begun& msg) {
          client = msg.client;
          told.push_back("begun " + msg.session);
        },
        [&](client_said& msg) { told.push_back(msg.text); },
        [&](session_ended& msg) { told.push_back(msg.client == client.address() ? "ended" : "another ended"); },
    };
  };
  auto host = sys.spawn(server, caf::unit);
  auto setup = std::make_shared<actor_maker>(actor_maker{[&](caf::actor_system&) { return host; }});
  auto spawn = [&] {
    return sys.spawn<actors::actor_upstream>(
        std::ref(unit()), actors::bare_upstream_setup{.user = user, .session = "s"},
        std::make_shared<const actors::actor_setup>(actors::actor_setup{"host", setup, actors::event_log{}}));
  };
  auto one = spawn();
  caf::anon_send(one, actors::to_server{protocol::gateway_message(asking(1, "ping"))});
  run();
  caf::anon_send(client, server_said{result(1, "{}")});
  caf::anon_send(client, server_said{"no message"});
  CAF_CHECK_EQUAL(seen(), (lines{result(1, "{}")}));
  caf::anon_send_exit(one, caf::exit_reason::user_shutdown);
  run();
  CAF_CHECK_EQUAL(told, (lines{"begun s", asking(1, "ping"), "ended"}));
  user = sys.spawn<actors::actor_of<listening_user_state>>(std::ref(unit()), std::ref(journal));
  spawn();
  run();
  caf::anon_send_exit(host, caf::exit_reason::user_shutdown);
  CAF_CHECK_EQUAL(seen(), (lines{"lost: its actor has ended"}));
  client = nullptr;
}

CAF_TEST(the mailbox of an actor of the host is bounded) {
  std::vector<caf::typed_response_promise<void>> unread;
  auto server = [&](mcp_server::pointer self, caf::unit_t) -> mcp_server::behavior_type {
    return {
        [](const session_begun&) {},
        [&, self](const client_said&) {
          unread.push_back(self->make_response_promise<void>());
          return unread.back();
        },
        [](const session_ended&) {},
    };
  };
  auto host = sys.spawn(server, caf::unit);
  auto setup = std::make_shared<actor_maker>(actor_maker{[&](caf::actor_system&) { return host; }});
  auto one = sys.spawn<actors::actor_upstream>(
      std::ref(unit()), actors::bare_upstream_setup{.user = user, .session = "s"},
      std::make_shared<const actors::actor_setup>(actors::actor_setup{"host", setup, actors::event_log{}}));
  auto tell = [&](const std::string& what) { caf::anon_send(one, actors::to_server{protocol::gateway_message(what)}); };
  const auto most = static_cast<int>(actors::most_unread_requests);
  for (int id = 1; id <= most; ++id)
    tell(asking(id, "ping"));
  CAF_CHECK_EQUAL(seen(), lines{});
  tell(asking(most + 1, "ping"));
  CAF_CHECK_EQUAL(seen(), (lines{error(most + 1, -32603, "The server is busy: too many calls wait for it")}));
  for (int i = 0; i <= most; ++i)
    tell(R"({"jsonrpc":"2.0","method":"notifications/x"})");
  seen();
  CAF_CHECK_EQUAL(unread.size(), actors::most_unread);
  for (auto& done : std::exchange(unread, {}))
    done.deliver(caf::make_error(caf::sec::runtime_error)); // only the delivery counts, not its value
  tell(asking(most + 2, "ping"));
  CAF_CHECK_EQUAL(seen(), lines{});
  CAF_CHECK_EQUAL(unread.size(), 1u);
  unread.clear();
  caf::anon_send_exit(one, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(host, caf::exit_reason::user_shutdown);
  run();
}

CAF_TEST_FIXTURE_SCOPE_END()

// -- the root of a gateway in a host's system ---------------------------------------------

namespace {

struct root_world : world {
  root_world() {
    root = sys.spawn<actors::root>(std::ref(static_cast<actors::unit&>(at)), registry);
    self->monitor(root);
    open_session();
  }
  /// The exit reason of the root.
  caf::error end() {
    run();
    caf::error result = caf::exit_reason::unreachable;
    self->receive([&](const caf::down_msg& msg) { result = msg.reason; }, caf::after(0s) >> [] {});
    return result;
  }

  caf::scoped_actor self{sys};
  actors::root_actor root;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(root_tests, root_world)

CAF_TEST(a root that is told to exit ends the sessions of its gateway) {
  CAF_CHECK_EQUAL(servers, 1);
  caf::anon_send_exit(root, caf::exit_reason::user_shutdown);
  CAF_CHECK_EQUAL(end(), caf::error{});
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST(a root ends with the actor that it is linked to) {
  auto linked = [](caf::event_based_actor* host, const caf::actor& to) -> caf::behavior {
    host->link_to(to);
    return {[](int) {}};
  };
  auto owner = sys.spawn(linked, caf::actor_cast<caf::actor>(root));
  run();
  caf::anon_send_exit(owner, caf::exit_reason::user_shutdown);
  CAF_CHECK_EQUAL(end(), caf::error{});
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST(a root ends when its gateway has drained) {
  caf::anon_send(registry, actors::drain{actors::drain_step::at_once});
  CAF_CHECK_EQUAL(end(), caf::error{});
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::host_system_suite
