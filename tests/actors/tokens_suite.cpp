// The actor that fetches the tokens of a remote server: its owner, and what its end means for pending requests.

#define CAF_SUITE tokens

#include "actors/cluster_messages.hpp"
#include "actors/upstream/configured_server.hpp"
#include "actors/upstream/http_upstream.hpp"
#include "net/io_thread.hpp"
#include "tests/support/caf_test.hpp"
#include "tests/support/client_hello.hpp"
#include "tests/support/fake_exchange.hpp"
#include "tests/support/test_unit.hpp"

namespace troupe::tests::tokens_suite {

using namespace std::chrono_literals;

namespace {

/// Records each query, and never answers.
struct silent_source_state {
  using interface = actors::token_source_actor;
  static constexpr const char* name = "silent_source";

  silent_source_state(actors::pinned<interface>*, int& alive, int& asked) : alive_{alive}, asked_{asked} { ++alive_; }
  ~silent_source_state() { --alive_; }
  interface::behavior_type make_behavior() {
    return {[this](actors::token_request&) { ++asked_; }, [](actors::document_fetched&) {}, [](actors::tick&) {}};
  }

  int& alive_;
  int& asked_;
};

/// Owns one upstream, and writes received messages to the journal.
struct user_state {
  using interface = actors::downstream_actor;
  static constexpr const char* name = "user";

  user_state(actors::pinned<interface>* self, lines& journal) : self_{self}, journal_{journal} {}
  interface::behavior_type make_behavior() {
    return {
        [this](actors::from_server& msg) { journal_.push_back(msg.message.text); },
        [this](actors::upstream_granted& msg) {
          upstream_ = std::move(msg.upstream);
          self_->send(upstream_, actors::to_server{protocol::gateway_message(client_hello())});
        },
        [this](actors::server_lost& msg) { journal_.push_back("lost: " + msg.why); },
    };
  }

  actors::pinned<interface>* self_;
  lines& journal_;
  actors::upstream_actor upstream_;
};

struct test_config : caf::actor_system_config {
  test_config() { actors::register_messages(*this); }
};

/// A remote server whose token source never answers.
struct tokens_world : test_coordinator_fixture<test_config> {
  tokens_world() {
    auto setup = std::make_shared<actors::server_setup>();
    setup->name = "far";
    setup->units = {&at};
    setup->random = [] { return 1; };
    setup->make_tokens = [this](actors::unit& where) -> actors::token_source_actor {
      source = sys.spawn<actors::actor_of<silent_source_state>>(std::ref(where), std::ref(sources), std::ref(asked))
                   .address();
      return caf::actor_cast<actors::token_source_actor>(source);
    };
    auto remote = std::make_shared<actors::remote_setup>();
    remote->server_name = "far";
    remote->remote.url = "http://127.0.0.1:1/mcp";
    remote->clients = std::make_shared<net::http_client_groups>(net::http_client_options{});
    setup->spawn_bare = [this, remote](actors::unit& where, actors::bare_upstream_setup whom) {
      return caf::actor_cast<actors::bare_upstream_actor>(sys.spawn<actors::http_upstream>(
          std::ref(where), std::ref(thread), std::move(whom), std::shared_ptr<const actors::remote_setup>{remote}));
    };
    server = sys.spawn<actors::configured_server>(std::ref(static_cast<actors::unit&>(at)), owner->address(),
                                                  std::shared_ptr<const actors::server_setup>{setup});
    run();
  }
  ~tokens_world() override {
    for (auto& one : users)
      caf::anon_send_exit(one, caf::exit_reason::user_shutdown);
    if (server)
      caf::anon_send_exit(server, caf::exit_reason::user_shutdown);
    run();
  }

  void begin_user() {
    actors::downstream_actor user =
        sys.spawn<actors::actor_of<user_state>>(std::ref(static_cast<actors::unit&>(at)), std::ref(journal));
    users.push_back(user);
    caf::anon_send(server, actors::upstream_request{user, "s", 0, 1, actors::upstream_request::use::bare, nullptr});
    run();
  }
  void end(const caf::actor_addr& who, caf::exit_reason why) {
    caf::anon_send_exit(who, why);
    run();
  }

  lines journal;
  int sources = 0;
  int asked = 0;
  net::io_thread thread;
  test_unit at{sys, sys.scheduler()};
  caf::scoped_actor owner{sys};
  caf::actor_addr source;
  actors::server_actor server;
  std::vector<actors::downstream_actor> users;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(tokens_tests, tokens_world)

CAF_TEST(those who wait for a token of a source that fails are told so and the next ones have another) {
  begin_user();
  CAF_CHECK_EQUAL(asked, 1);
  CAF_CHECK_EQUAL(journal, lines{});
  end(source, caf::exit_reason::unhandled_exception);
  const std::string why = "No token for the remote MCP server: what fetches it has failed";
  CAF_REQUIRE_EQUAL(journal.size(), 2U);
  CAF_CHECK(journal[0].find(why) != std::string::npos);
  CAF_CHECK_EQUAL(journal[1], "lost: " + why);
  CAF_CHECK_EQUAL(sources, 1);
  begin_user();
  CAF_CHECK_EQUAL(asked, 2);
}

CAF_TEST(a source ends with its server when that fails) {
  begin_user();
  end(server.address(), caf::exit_reason::unhandled_exception);
  CAF_CHECK_EQUAL(sources, 0);
  CAF_CHECK_EQUAL(journal.back(), "lost: No token for the remote MCP server: what fetches it has failed");
}

CAF_TEST(a source outlives a server that is removed as long as somebody uses it) {
  begin_user();
  caf::anon_send(server, actors::server_retired{});
  run();
  at.advance(2min);
  run();
  CAF_CHECK_EQUAL(sources, 1);
  CAF_CHECK_EQUAL(journal, lines{});
  end(users[0].address(), caf::exit_reason::user_shutdown);
  server = actors::server_actor{};
  users.clear();
  CAF_CHECK_EQUAL(sources, 0);
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::tokens_suite
