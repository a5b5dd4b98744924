#pragma once

#include "actors/gateway/gateway_setup.hpp"
#include "actors/session/registry.hpp"
#include "actors/session/request_intake.hpp"
#include "protocol/delivery/event_store.hpp"
#include "tests/support/caf_test.hpp"
#include "tests/support/client_hello.hpp"
#include "tests/support/fake_exchange.hpp"
#include "tests/support/test_unit.hpp"

namespace troupe::tests {

/// A fake server process, which writes received messages to the journal.
struct fake_upstream_state {
  using interface = actors::bare_upstream_actor;
  static constexpr const char* name = "fake_upstream";

  fake_upstream_state(actors::pinned<interface>* self, actors::downstream_actor user, std::string name, lines& journal,
                      int& alive)
      : self_{self}, user_{std::move(user)}, name_{std::move(name)}, journal_{journal}, alive_{alive} {
    ++alive_;
  }
  ~fake_upstream_state() { --alive_; }
  interface::behavior_type make_behavior() {
    if (user_)
      self_->link_to(user_);
    return {
        [this](actors::to_server& msg) { journal_.push_back(name_ + " < " + msg.message.text); },
        [](actors::user_disconnected&) {},
        [this](actors::report_request& msg) {
          actors::counted result;
          result.part.actors = 1;
          result.part.upstreams.push_back({"server", 7, {}, name_});
          self_->send(msg.to, std::move(result));
        },
        [this](actors::restart_request&) {
          journal_.push_back(name_ + " is restarted");
          self_->quit();
        },
        [this](actors::serve_user& msg) { self_->link_to(msg.user); },
    };
  }

  actors::pinned<interface>* self_;
  actors::downstream_actor user_;
  std::string name_;
  lines& journal_;
  int& alive_;
};

struct test_config : caf::actor_system_config {
  test_config() { actors::register_messages(*this); }
};

/// A gateway's actors between fake exchanges and fake servers, run by the test. The journal has the externally visible
/// events in order. Sessions are called s1, s2, …, and their servers server1, server2, …
struct world : test_coordinator_fixture<test_config> {
  /// With `asks_host`, sessions wait for the consent that `host_says` gives.
  explicit world(std::size_t max_sessions = 10, const address_limits& each = {}, bool asks_host = false)
      : at{sys, sys.scheduler()} {
    at.measure();
    actors::registry_setup setup;
    setup.max_sessions = max_sessions;
    setup.max_sessions_each = each.sessions;
    setup.brokers = brokers;
    setup.units = {&at};
    auto session = std::make_shared<actors::session_setup>();
    session->seal_keys = [] { return lines{"secret"}; };
    session->watch.is_reported = true;
    setup.session = std::move(session);
    setup.make_server = [this](const server_options& options) { return server_setup(options); };
    if (asks_host)
      setup.ask_host = [this](auto what, auto, auto&) { asked_of_host.push_back(std::move(what)); };
    setup.make_id = [this] {
      auto id = "s" + std::to_string(++last_session);
      return next_id.empty() ? id : std::exchange(next_id, {});
    };
    registry = sys.spawn<actors::registry>(std::ref(static_cast<actors::unit&>(at)), std::move(setup));
    serve({server("server")});
    brokers_setup = std::make_shared<actors::broker_setup>(actors::broker_setup{
        {.shows_state = true}, registry, brokers, false, actors::make_limiter({.per_address = each})});
    run();
  }
  ~world() override {
    upstreams.clear();
    sessions.clear();
    caf::anon_send_exit(registry, caf::exit_reason::user_shutdown);
    run();
  }

  // -- configuration -----------------------------------------------------------------

  static server_options server(const std::string& name, sharing how = sharing::session) {
    server_options result;
    result.name = name;
    result.sharing = how;
    return result;
  }
  void serve(std::vector<server_options> servers) {
    caf::anon_send(registry, actors::configure{std::move(servers)});
    run();
  }

  // -- external events ---------------------------------------------------------------

  void request(const std::string& name, fake_exchange::request_text request) {
    arrive(name, std::move(request));
    run();
  }
  /// Delivers a request while actors are running.
  void arrive(const std::string& name, fake_exchange::request_text request) {
    request.peer = peer;
    request.fields.emplace_back("Host", "localhost");
    request.fields.emplace_back("Accept", "application/json, text/event-stream");
    request.fields.emplace_back("Content-Type", "application/json");
    actors::receive_request(*home_of_brokers, brokers_setup,
                            std::make_unique<fake_exchange>(name, std::move(request), journal, hang_up));
  }
  void post(const std::string& name, const std::string& session, const std::string& body,
            const std::string& path = "/mcp") {
    request(name, {"POST", path, of(session), body});
  }
  void get(const std::string& name, const std::string& session) { request(name, {"GET", "/mcp", of(session), {}}); }
  void resume(const std::string& name, const std::string& session, const std::string& last) {
    auto fields = of(session);
    fields.emplace_back("Last-Event-ID", last);
    request(name, {"GET", "/mcp", std::move(fields), {}});
  }
  /// The id of an event of a session's stream.
  static std::string event(const std::string& session, const std::string& position) {
    return protocol::event_tag(session) + "-" + position;
  }
  void end(const std::string& name, const std::string& session) { request(name, {"DELETE", "/mcp", of(session), {}}); }
  void leave(const std::string& name) {
    auto tell = hang_up.at(name);
    tell();
    run();
  }
  /// `more` is a second message, sent right behind the first.
  void server_says(std::size_t number, const std::string& text, const lines& more = {}) {
    actors::from_server sent{protocol::gateway_message(text)};
    for (auto& one : more)
      sent.more.push_back(protocol::gateway_message(one));
    caf::send_as(caf::actor_cast<caf::actor>(upstreams.at(number - 1)),
                 caf::actor_cast<caf::actor>(sessions.at(number - 1)), std::move(sent));
    run();
  }
  /// Answers the host's question with that number, from 1.
  void host_says(std::uint64_t question, const std::optional<protocol::rejection>& why_not = {}) {
    caf::anon_send(registry, actors::session_decided{question, why_not});
    run();
  }
  void server_dies(std::size_t number) {
    caf::anon_send_exit(upstreams.at(number - 1), caf::exit_reason::unhandled_exception);
    run();
  }
  /// A remote server has forgotten its session with the gateway.
  void server_forgets(std::size_t number) {
    caf::send_as(caf::actor_cast<caf::actor>(upstreams.at(number - 1)),
                 caf::actor_cast<caf::actor>(sessions.at(number - 1)),
                 actors::server_lost{"the remote server ended the session", false, true});
    run();
  }
  void pass(std::chrono::milliseconds time) {
    at.advance(time);
    run();
  }
  /// An open, initialized session with an empty journal. Its exchanges have the numbers 1 and 2.
  void open_session(const std::string& version = "2025-06-18") {
    post("i", "", client_hello("1", version));
    server_says(sessions.size(), R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":")" + version + "\"}}");
    post("n", "s" + std::to_string(sessions.size()), R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    journal.clear();
  }
  /// The journal since the last call.
  lines seen() { return std::exchange(journal, {}); }

  std::shared_ptr<actors::live_count> brokers = std::make_shared<actors::live_count>();
  lines journal;
  fake_exchange::closers hang_up;
  int servers = 0;
  test_unit at;
  /// A unit of another gateway, or of another thread.
  test_unit elsewhere{sys, sys.scheduler()};
  actors::unit* home_of_brokers = &at;
  std::size_t last_session = 0;
  /// The address of the next clients.
  std::string peer = "127.0.0.1";
  /// The id of the next session; empty for the usual one.
  std::string next_id;
  /// The user of each process.
  std::vector<actors::downstream_actor> sessions;
  std::vector<actors::bare_upstream_actor> upstreams;
  actors::registry_actor registry;
  std::shared_ptr<const actors::broker_setup> brokers_setup;
  std::vector<session_request> asked_of_host;

protected:
  std::shared_ptr<const actors::server_setup> server_setup(const server_options& options) {
    auto result = std::make_shared<actors::server_setup>(
        *actors::make_server_setup(options, gateway_options{}, {no_threads_, {&at}}));
    result->random = [] { return 1; };
    result->make_wire = {};
    result->spawn_bare = [this](actors::unit& where, actors::bare_upstream_setup whom) {
      auto user = std::move(whom.user);
      sessions.push_back(user);
      auto name = "server" + std::to_string(sessions.size());
      actors::bare_upstream_actor made = sys.spawn<actors::actor_of<fake_upstream_state>>(
          std::ref(where), std::move(user), name, std::ref(journal), std::ref(servers));
      upstreams.push_back(made);
      return made;
    };
    return result;
  }

private:
  actors::thread_list no_threads_;

  static std::vector<std::pair<std::string, std::string>> of(const std::string& session) {
    if (session.empty())
      return {};
    return {{"Mcp-Session-Id", session}};
  }
};

} // namespace troupe::tests
