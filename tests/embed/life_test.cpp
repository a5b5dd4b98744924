// Lifetimes of gateways and servers in a host's program.

#include "tests/embed/in_session.hpp"

#include <troupe/caf.hpp>

#include <gtest/gtest.h>

#include <optional>

namespace troupe::tests::life_test {

TEST(a_call, does_no_harm_when_its_gateway_is_gone) {
  keeper host;
  auto at = std::make_unique<gateway>(serving(host.what));
  in_session client{*at};
  client.call("keep");
  auto one = host.kept.get_future().get();
  bool told = false;
  one.on_cancel([&] { told = true; });
  at.reset();
  EXPECT_TRUE(told);
  EXPECT_TRUE(one.cancelled());
  EXPECT_FALSE(one.answer(text("late")));
  EXPECT_EQ(one.ask("roots/list", {}).error, "the call is over");
}

TEST(a_handler, that_waits_for_the_client_ends_with_its_gateway) {
  auto what = std::make_shared<server>(server_info{.name = "asks"});
  std::promise<void> asking;
  std::promise<std::string> heard;
  what->tool({.name = "ask"}, [&](const call& one) {
    asking.set_value();
    heard.set_value(one.ask("roots/list", {}).error);
  });
  auto at = std::make_unique<gateway>(serving(what));
  in_session client{*at};
  client.call("ask");
  asking.get_future().get();
  at->stop();
  EXPECT_FALSE(heard.get_future().get().empty());
}

TEST(a_handler, may_wait_for_what_is_called_back) {
  auto what = std::make_shared<server>(server_info{.name = "waits"});
  std::promise<void> waiting;
  std::promise<void> told;
  what->tool({.name = "wait"}, [&](const call& one) {
    auto cancelled = std::make_shared<std::promise<void>>();
    one.on_cancel([=] { cancelled->set_value(); });
    waiting.set_value();
    cancelled->get_future().wait();
    told.set_value();
  });
  auto options = serving(what);
  options.handler_threads = 1;
  gateway at{options};
  in_session client{at}, other{at, client.session};
  client.call("wait");
  waiting.get_future().wait();
  other.tell(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})");
  told.get_future().wait();
}

TEST(a_handler, may_drain_and_stop_its_gateway) {
  for (auto end : {&gateway::drain, &gateway::stop}) {
    std::unique_ptr<gateway> at;
    auto what = std::make_shared<server>(server_info{.name = "ends"});
    std::promise<void> ended;
    what->tool({.name = "end"}, [&](const call& one) {
      (*at.*end)();
      ended.set_value();
      one.answer(text("bye"));
    });
    auto options = serving(what);
    options.grace = std::chrono::seconds{5};
    at = std::make_unique<gateway>(options);
    in_session client{*at};
    client.call("end");
    ended.get_future().wait();
    at.reset();
  }
}

TEST(a_gateway, refuses_options_that_do_not_go_together) {
  auto why = [](auto&& what) -> std::string {
    try {
      what();
      return {};
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  };
  auto actor = [] { return server_options{"a", spawned([](caf::actor_system&) { return mcp_server{}; })}; };
  auto options = serving(std::make_shared<server>(server_info{.name = "s"}));
  auto own = "the server a is an actor, which takes a gateway in the actor system of its host";
  gateway at{options};
  EXPECT_EQ(why([&] { at.reload({actor()}); }), own);
  EXPECT_EQ(why([&] { at.reload({options.servers[0], options.servers[0]}); }), "two servers are called s");
  in_session client{at};
  EXPECT_FALSE(client.session.empty());
  options.servers.push_back(actor());
  EXPECT_EQ(why([&] { gateway{options}; }), own);
  options.max_sessions = 0;
  EXPECT_EQ(why([&] { gateway{options}; }), "max_sessions must be 1 to 10000000");
}

TEST(a_gateway, listens_for_operators_apart_from_clients) {
  auto options = serving(std::make_shared<server>(server_info{.name = "s"}));
  EXPECT_EQ(gateway{options}.admin_port(), 0);
  options.admin = {.port = 0, .token = "0123456789abcdef"};
  gateway one{options};
  EXPECT_NE(one.admin_port(), 0);
  EXPECT_NE(one.admin_port(), one.port());
  options.admin->port = one.admin_port();
  EXPECT_THROW(gateway{options}, std::runtime_error);
}

TEST(a_gateway, makes_a_token_for_operators_and_writes_nothing_unless_told) {
  auto options = serving(std::make_shared<server>(server_info{.name = "s"}));
  EXPECT_EQ(gateway{options}.admin_token().text, "");
  options.admin = {.port = 0};
  gateway one{options}, other{options};
  EXPECT_EQ(one.admin_token().text.size(), 64U);
  EXPECT_NE(one.admin_token().text, other.admin_token().text);
  EXPECT_EQ(one.admin_token().file, "");
  tcp_client operators{one.admin_port()};
  operators.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(operators.read_answer().status, 401);
  operators.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + one.admin_token().text +
                 "\r\n\r\n");
  EXPECT_EQ(operators.read_answer().status, 200);
  options.admin->token = "0123456789abcdef";
  EXPECT_EQ(gateway{options}.admin_token().text, "");
  options.admin = {.port = 0, .open = true};
  EXPECT_EQ(gateway{options}.admin_token().text, "");
}

TEST(a_server, may_be_served_by_several_gateways_and_change_meanwhile) {
  keeper host;
  std::optional<gateway> one{std::in_place, serving(host.what)}, other{std::in_place, serving(host.what)};
  in_session first{*one}, second{*other};
  one.reset();
  for (int i = 0; i < 100; ++i)
    host.what->tool({.name = "t" + std::to_string(i)}, [](const json::object&) { return text("t"); });
  second.call("t99");
  EXPECT_EQ(second.socket.status(), 200);
}

TEST(a_gateway_in_a_system_of_the_host, leaves_the_actors_of_the_host_alone) {
  caf::actor_system_config config;
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  // CAF 0.17 binds a dangling reference when a function-based actor is spawned without arguments.
  auto echo = [](caf::event_based_actor*, caf::unit_t) -> caf::behavior { return {[](int x) { return x; }}; };
  auto other = system.spawn(echo, caf::unit);
  keeper host;
  gateway at{system, serving(host.what)};
  self->monitor(root_of(at));
  in_session client{at};
  at.drain(); // returns although one actor is still alive
  self->receive([](const caf::down_msg& msg) { EXPECT_EQ(msg.reason, caf::error{}); });
  self->request(other, caf::infinite, 7).receive([](int x) { EXPECT_EQ(x, 7); }, [](const caf::error&) { FAIL(); });
}

TEST(a_gateway_in_a_system_of_the_host, ends_with_the_actor_that_owns_it) {
  caf::actor_system_config config;
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  keeper host;
  gateway at{system, serving(host.what)};
  in_session client{at};
  client.call("keep");
  auto one = host.kept.get_future().get();
  self->monitor(root_of(at));
  self->send_exit(root_of(at), caf::exit_reason::user_shutdown);
  self->receive([](const caf::down_msg&) {});
  EXPECT_TRUE(one.cancelled());
}

TEST(an_actor_of_the_host, is_a_server_on_threads_of_the_host) {
  caf::actor_system_config config;
  caf::actor_system system{config};
  auto make = [](caf::actor_system& where) -> mcp_server {
    auto server = [](mcp_server::pointer self, caf::unit_t) -> mcp_server::behavior_type {
      return {
          [](const session_begun&) {},
          [self](const client_said& msg) {
            self->send(msg.client,
                       server_said{R"({"jsonrpc":"2.0","id":)" +
                                   std::string(msg.text.find("initialize") == std::string::npos ? "2" : "1") +
                                   R"(,"result":{"protocolVersion":"2025-11-25","capabilities":{}}})"});
          },
          [self](const session_ended&) { self->quit(); },
      };
    };
    return where.spawn(server, caf::unit);
  };
  gateway_options options;
  options.port = 0;
  options.servers.push_back({"actor", spawned(make)});
  gateway at{system, std::move(options)};
  in_session client{at};
  EXPECT_FALSE(client.session.empty());
  client.call("any");
  EXPECT_EQ(client.socket.status(), 200);
}

} // namespace troupe::tests::life_test
