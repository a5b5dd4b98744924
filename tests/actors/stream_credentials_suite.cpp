// Revoked tokens and the streams that were opened with them.

#define CAF_SUITE stream_credentials

#include "actors/runtime/calendar.hpp"
#include "net/crypto.hpp"
#include "tests/support/world.hpp"

namespace troupe::tests::stream_credentials_suite {

using namespace std::chrono_literals;

namespace {

constexpr auto kept = 30s;

/// Gives the same verdict for all tokens, and records each query.
struct fake_authenticator_state {
  using interface = actors::authenticator_actor;
  static constexpr const char* name = "fake_authenticator";

  fake_authenticator_state(actors::pinned<interface>* self, actors::known_credentials& known,
                           const protocol::token_verdict& verdict, int& asked)
      : self_{self}, known_{known}, verdict_{verdict}, asked_{asked} {}
  interface::behavior_type make_behavior() {
    return {
        [this](actors::token_presented& msg) {
          ++asked_;
          if (verdict_.is == protocol::token_verdict::kind::good)
            known_.add(net::digest_256(msg.token), verdict_.who, self_->at().now() + kept);
          self_->send(msg.by, actors::token_checked{verdict_});
        },
        [](actors::signature_verified&) {},
        [](actors::document_fetched&) {},
        [](actors::tick&) {},
    };
  }

  actors::pinned<interface>* self_;
  actors::known_credentials& known_;
  const protocol::token_verdict& verdict_;
  int& asked_;
};

struct token_world : world {
  token_world() {
    auto setup = std::make_shared<actors::broker_setup>(*brokers_setup);
    setup->credentials = std::make_shared<actors::known_credentials>(true);
    setup->endpoint_guard.is_open = false;
    authenticator = sys.spawn<actors::actor_of<fake_authenticator_state>>(
        std::ref(static_cast<actors::unit&>(at)), std::ref(*setup->credentials), std::cref(verdict), std::ref(asked));
    setup->authenticator = authenticator;
    brokers_setup = setup;
    verdict.who = std::make_shared<const protocol::principal>(
        protocol::principal{.issuer = "https://as.example.com", .subject = "ann"});
  }
  ~token_world() override {
    caf::anon_send_exit(authenticator, caf::exit_reason::user_shutdown);
    brokers_setup = nullptr;
    run();
  }
  void ask(const std::string& name, const std::string& method, const std::string& path, const std::string& body = {},
           const std::string& session = {}) {
    fake_exchange::request_text said{method, path, {{"Authorization", "Bearer opaque"}}, body};
    if (!session.empty())
      said.fields.emplace_back("Mcp-Session-Id", session);
    request(name, std::move(said));
  }
  /// Opens the stream of s1 for notifications of its server.
  void open_stream() {
    ask("i", "POST", "/mcp", client_hello("1", "2025-06-18"));
    server_says(1, R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}})");
    ask("n", "POST", "/mcp", R"({"jsonrpc":"2.0","method":"notifications/initialized"})", "s1");
    ask("g", "GET", "/mcp", {}, "s1");
    seen();
  }
  bool hears(const std::string& name, int number) {
    const auto text = R"({"jsonrpc":"2.0","method":"notifications/x","params":{"n":)" + std::to_string(number) + "}}";
    server_says(1, text);
    const auto what = seen();
    return std::ranges::find(what, name + " < " + text) != what.end();
  }
  std::string last_seen() {
    const auto all = seen();
    return all.empty() ? "" : all.back();
  }
  void revoke() { verdict = protocol::token_verdict::bad("the issuer says that the token is not active"); }

  protocol::token_verdict verdict{.is = protocol::token_verdict::kind::good, .keep = kept};
  int asked = 0;
  actors::authenticator_actor authenticator;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(stream_credentials_tests, token_world)

CAF_TEST(a stream is asked about again while it lives and ends when its token is revoked) {
  open_stream();
  CAF_CHECK_EQUAL(asked, 1);
  for (int i = 1; i < 5; ++i) {
    pass(kept);
    CAF_CHECK(hears("g", i));
    CAF_CHECK_EQUAL(asked, 1 + i);
  }
  revoke();
  pass(kept - 1ms);
  CAF_CHECK(hears("g", 5));
  pass(1ms);
  CAF_CHECK_EQUAL(last_seen(), "g ends");
  CAF_CHECK(!hears("g", 6));
  pass(10min);
  CAF_CHECK_EQUAL(asked, 6);
}

CAF_TEST(streams of one token are asked about together) {
  open_stream();
  for (auto name : {"h", "j", "k"})
    ask(name, "GET", "/mcp", {}, "s1");
  CAF_CHECK_EQUAL(asked, 1);
  pass(kept);
  CAF_CHECK(asked <= 5);
  const auto before = asked;
  revoke();
  pass(kept);
  pass(kept);
  const auto end = seen();
  for (auto name : {"g ends", "h ends", "j ends", "k ends"})
    CAF_CHECK(std::ranges::find(end, name) != end.end());
  CAF_CHECK(asked > before);
}

CAF_TEST(a stream of HTTP and SSE ends with its token and so does its session) {
  ask("c", "GET", "/sse");
  ask("i", "POST", "/messages?sessionId=s1", client_hello("1", "2024-11-05"));
  CAF_CHECK_EQUAL(servers, 1);
  revoke();
  pass(kept);
  CAF_CHECK_EQUAL(servers, 0);
}

CAF_TEST(the stream of a call ends with its token) {
  open_stream();
  ask("p", "POST", "/mcp", R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x"}})", "s1");
  pass(15s);
  seen();
  revoke();
  pass(kept);
  const auto end = seen();
  CAF_CHECK(std::ranges::find(end, "p ends") != end.end());
}

CAF_TEST(a stream outlives its issuer for some minutes) {
  open_stream();
  verdict = protocol::token_verdict::unavailable("away");
  for (auto passed = 0s; passed < 5min; passed += kept)
    pass(kept);
  CAF_CHECK_EQUAL(last_seen(), "g ends");
}

CAF_TEST(a certificate is worth nothing from its end on and its streams end) {
  const auto today = actors::calendar_now();
  auto by = [&](const std::string& name, std::chrono::seconds left, const std::string& body,
                const std::string& session = {}) {
    fake_exchange::request_text said{body.empty() ? "GET" : "POST", "/mcp", {}, body};
    said.certificate = "ann";
    said.certificate_until = today + left;
    if (!session.empty())
      said.fields.emplace_back("Mcp-Session-Id", session);
    request(name, std::move(said));
    return seen();
  };
  const auto late = by("l", 0s, client_hello("1", "2025-06-18"));
  CAF_CHECK_EQUAL(late.size(), 1u);
  CAF_CHECK_EQUAL(late.front().substr(0, 5), "l 401");
  CAF_CHECK(late.front().find("expired") != std::string::npos ||
            late.front().find("invalid_token") != std::string::npos);
  by("i", 1h, client_hello("1", "2025-06-18"));
  server_says(1, R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}})");
  by("n", 1h, R"({"jsonrpc":"2.0","method":"notifications/initialized"})", "s1");
  by("g", 1h, {}, "s1");
  pass(59min);
  CAF_CHECK(hears("g", 1));
  pass(1min);
  CAF_CHECK_EQUAL(last_seen(), "g ends");
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::stream_credentials_suite
