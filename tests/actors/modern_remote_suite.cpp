// A remote server of 2026-07-28 over real connections: the requests of its users' upstreams, and what the users
// receive.

#define CAF_SUITE modern_remote

#include "actors/cluster_messages.hpp"
#include "actors/runtime/io_unit.hpp"
#include "actors/upstream/configured_server.hpp"
#include "actors/upstream/http_upstream.hpp"
#include "protocol/message/message.hpp"
#include "tests/support/caf_test.hpp"
#include "tests/support/http_server.hpp"
#include "tests/support/waiting.hpp"

namespace troupe::tests::modern_remote_suite {

namespace {

const std::string discovered =
    R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,)"
    R"("cacheScope":"private"})";
const std::string question = R"({"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create",)"
                             R"("params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}}})";
const std::string done = R"({"resultType":"complete","content":[]})";

std::string answer(const std::string& head, const std::string& id, const std::string& member) {
  auto body = R"({"jsonrpc":"2.0","id":)" + id + "," + member + "}";
  return "HTTP/1.1 " + head + "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

/// Begins as a session or, when it is `modern`, as a lease. Records received messages and whether it may send.
struct remote_user_state {
  using interface = actors::downstream_actor;
  static constexpr const char* name = "user";

  remote_user_state(actors::pinned<interface>* self, bool modern, journal& received, actors::upstream_actor& upstream)
      : self_{self}, modern_{modern}, received_{received}, upstream_{upstream} {}
  interface::behavior_type make_behavior() {
    return {
        [this](actors::from_server& msg) { note(msg.message); },
        [this](actors::upstream_granted& msg) {
          upstream_ = msg.upstream;
          auto hello = protocol::gateway_message(
              R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
              R"("capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}})");
          hello.claims_modern = modern_;
          self_->send(upstream_, actors::to_server{std::move(hello)});
        },
        [this](actors::server_lost& msg) { received_.note("lost: " + msg.why); },
    };
  }
  void note(const protocol::message& what) {
    if (protocol::is_request(what))
      received_.note(what.id + " " + what.method);
    else
      received_.note(what.id + (protocol::has_result(what) ? " result" : " error"));
  }

  actors::pinned<interface>* self_;
  bool modern_;
  journal& received_;
  actors::upstream_actor& upstream_;
};

struct remote_config : caf::actor_system_config {
  remote_config() { actors::register_messages(*this); }
};

struct modern_remote_world {
  modern_remote_world() {
    auto remote = std::make_shared<actors::remote_setup>();
    remote->server_name = "far";
    remote->remote.url = far.url("/mcp");
    remote->clients = std::make_shared<net::http_client_groups>(net::http_client_options{});
    auto setup = std::make_shared<actors::server_setup>();
    setup->name = "far";
    setup->units = {&at};
    setup->random = [] { return 1; };
    setup->spawn_bare = [this, remote](actors::unit& where, actors::bare_upstream_setup whom) {
      return caf::actor_cast<actors::bare_upstream_actor>(sys.spawn<actors::http_upstream>(
          std::ref(where), std::ref(*thread), std::move(whom), std::shared_ptr<const actors::remote_setup>{remote}));
    };
    server = sys.spawn<actors::configured_server>(std::ref(static_cast<actors::unit&>(at)), owner->address(),
                                                  std::shared_ptr<const actors::server_setup>{setup});
  }
  ~modern_remote_world() {
    for (auto& one : users)
      caf::anon_send_exit(one, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(server, caf::exit_reason::user_shutdown);
    alive->wait_until_none();
    thread.reset();
  }

  /// Answers the `initialize` of a new user, and returns what the user received.
  lines begin_user(bool modern) {
    auto before = received.all().size();
    actors::downstream_actor user = sys.spawn<actors::actor_of<remote_user_state>>(
        std::ref(static_cast<actors::unit&>(at)), modern, std::ref(received), std::ref(upstream));
    users.push_back(user);
    caf::anon_send(server, actors::upstream_request{user, "s", 0, 1, actors::upstream_request::use::bare, nullptr});
    auto all = received.wait_for(before + 1);
    return {all.begin() + static_cast<std::ptrdiff_t>(before), all.end()};
  }
  /// Sends a message as the latest user.
  void say(const std::string& text) { caf::anon_send(upstream, actors::to_server{protocol::gateway_message(text)}); }
  void call(const std::string& tool) {
    say(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" + tool + "\"}}");
  }

  void serve(peer& one) {
    for (auto request = one.read_request(); !request.empty(); request = one.read_request())
      if (!answer_to(one, request.substr(request.find("\r\n\r\n") + 4)))
        return;
  }
  /// False when the connection has ended.
  bool answer_to(peer& one, const std::string& body) {
    auto text_at = [&](std::initializer_list<std::string_view> path) {
      auto token = protocol::find_member(body, path);
      return token ? protocol::string_value(*token).value_or("") : std::string{};
    };
    auto id = std::string{protocol::find_member(body, {"id"}).value_or("null")};
    auto method = text_at({"method"});
    auto is_retry = protocol::find_member(body, {"params", "inputResponses"}).has_value();
    asked.note(method + (is_retry ? " again" : ""));
    if (method == "server/discover")
      return one.say(answer("200 OK", id, R"("result":)" + discovered));
    if (method == "initialize")
      return one.say(answer("404 Not Found", id, R"("error":{"code":-32601,"message":"no"})"));
    if (text_at({"params", "name"}) == "ask")
      return one.say(answer("200 OK", id, R"("result":)" + (is_retry ? done : question)));
    asked.note(one.sees_the_end() ? "closed" : "goes on");
    return false;
  }

  journal asked;
  journal received;
  http_server far{[this](peer& one) { serve(one); }};
  remote_config config;
  caf::actor_system sys{config};
  std::unique_ptr<net::io_thread> thread = std::make_unique<net::io_thread>();
  std::shared_ptr<actors::live_count> alive = std::make_shared<actors::live_count>();
  actors::io_unit at{sys, 0, *thread, alive, actors::event_log{}};
  caf::scoped_actor owner{sys};
  actors::server_actor server;
  std::vector<actors::downstream_actor> users;
  /// The upstream of the latest user. Set before the user receives anything.
  actors::upstream_actor upstream;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(modern_remote_tests, modern_remote_world)

CAF_TEST(a lease asks a remote server what it is first) {
  CAF_CHECK_EQUAL(begin_user(true), (lines{"0 result"}));
  CAF_CHECK_EQUAL(asked.all(), (lines{"server/discover"}));
}

CAF_TEST(a session greets a remote server first and what it turns out to be is remembered) {
  CAF_CHECK_EQUAL(begin_user(false), (lines{"0 result"}));
  CAF_CHECK_EQUAL(asked.all(), (lines{"initialize", "server/discover"}));
  CAF_CHECK_EQUAL(begin_user(false), (lines{"0 result"}));
  CAF_CHECK_EQUAL(asked.all(), (lines{"initialize", "server/discover", "server/discover"}));
}

CAF_TEST(a question of a remote server is asked and the call is repeated with its answer) {
  begin_user(false);
  call("ask");
  CAF_CHECK_EQUAL(received.wait_for(2), (lines{"0 result", "1 elicitation/create"}));
  say(R"({"jsonrpc":"2.0","id":1,"result":{"action":"decline"}})");
  CAF_CHECK_EQUAL(received.wait_for(3), (lines{"0 result", "1 elicitation/create", "1 result"}));
  CAF_CHECK_EQUAL(asked.all(), (lines{"initialize", "server/discover", "tools/call", "tools/call again"}));
}

// 2026-07-28, transports, "Cancellation"
CAF_TEST(a call at a remote server is cancelled by closing its connection) {
  begin_user(false);
  call("hold");
  asked.wait_for("tools/call");
  say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  CAF_CHECK_EQUAL(asked.wait_for(4), (lines{"initialize", "server/discover", "tools/call", "closed"}));
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::modern_remote_suite
