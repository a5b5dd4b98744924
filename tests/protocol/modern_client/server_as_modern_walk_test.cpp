// Random walk: a session-based server and 2026-07-28 clients. `server_as_modern_checker` has the invariants.

#include "protocol/message/message.hpp"
#include "tests/support/server_as_modern_checker.hpp"

#include <random>

namespace troupe::tests::server_as_modern_walk_test {

namespace {

client_profile profile_of(unsigned seed) {
  return seed % 4 == 0 ? client_profile{} : seed % 4 == 1 ? client_profile{.form = true} : asked_anything;
}

server_as_modern_rules rules_of(unsigned seed) {
  auto rules = adapter_rules(profile_of(seed));
  rules.calls = seed % 3 ? 1000 : 6;
  rules.parked_calls = seed % 5 ? 64 : 3;
  rules.waiting_bytes = seed % 7 ? 1 << 20 : 2500;
  rules.listens = 2;
  return rules;
}

/// Clients, a server and a clock with random actions.
class server_as_modern_walk {
public:
  explicit server_as_modern_walk(unsigned seed) : can_{profile_of(seed)}, dice_{seed}, it_{rules_of(seed)} {}

  /// Runs a random action.
  void step() {
    static const std::vector<void (server_as_modern_walk::*)()> facts{
        &server_as_modern_walk::client_asks,      &server_as_modern_walk::client_asks,
        &server_as_modern_walk::client_asks,      &server_as_modern_walk::client_retries,
        &server_as_modern_walk::client_retries,   &server_as_modern_walk::client_retries,
        &server_as_modern_walk::client_closes,    &server_as_modern_walk::server_answers,
        &server_as_modern_walk::server_answers,   &server_as_modern_walk::server_answers,
        &server_as_modern_walk::server_answers,   &server_as_modern_walk::server_asks,
        &server_as_modern_walk::server_asks,      &server_as_modern_walk::server_withdraws,
        &server_as_modern_walk::server_notes,     &server_as_modern_walk::server_strays,
        &server_as_modern_walk::time_passes,      &server_as_modern_walk::server_rarely_dies,
        &server_as_modern_walk::lease_rarely_ends};
    (this->*facts[below(facts.size())])();
  }

  void finish() {
    lease_ends();
    EXPECT_EQ(it_.parked_calls(), 0u);
    EXPECT_EQ(it_.listens(), 0u);
  }

  server_as_modern_checker seen;
  std::size_t losses = 0, refused_retries = 0;

private:
  // -- random choices ----------------------------------------------------------------

  std::size_t below(std::size_t n) { return dice_() % n; }

  template <class Map>
  const typename Map::value_type& one_of(const Map& some) {
    return *std::next(some.begin(), static_cast<std::ptrdiff_t>(below(some.size())));
  }

  // -- facts ---------------------------------------------------------------------------

  template <class Tell>
  void tell(Tell fact) {
    auto all = server_as_modern_driver::seen(fact);
    seen.saw(all, now_);
    EXPECT_GT(it_.deadline(), now_) << "something is late that a tick leaves";
    EXPECT_TRUE(seen.questions.empty() || seen.can_ask()) << "a question is left without a call";
    EXPECT_EQ(it_.calls_in_flight() + it_.listens(), seen.open.size());
    EXPECT_EQ(it_.parked_calls(), seen.parked());
    EXPECT_EQ(it_.is_idle(), seen.open.empty() && seen.parked() == 0);
  }

  void server(std::string text) {
    tell([&](auto& out) { it_.server_sent(gateway_message(std::move(text)), now_, out); });
  }

  // -- clients ---------------------------------------------------------------------------

  void client_asks() {
    static const std::vector<std::string> methods{"m",           "tools/list",     "tools/call",      "tools/call",
                                                  "prompts/get", "resources/read", "server/discover", "ping"};
    auto listens = below(12) == 0;
    auto params = listens ? R"("notifications":{"toolsListChanged":true,"resourceSubscriptions":["a:"]})"
                          : R"("name":")" + std::string{below(2) ? "task" : "t"} + R"(","uri":"a:b")";
    auto method = listens ? "subscriptions/listen" : methods[below(methods.size())];
    auto exchange = ++last_exchange_;
    auto one = any_exchange(method, params);
    seen.asks(exchange, one);
    ask(exchange, one, params);
  }

  server_as_modern_checker::open_exchange any_exchange(std::string method, std::string params) {
    return {.id = std::to_string(below(3)),
            .method = std::move(method),
            .params = std::move(params),
            .wants_progress = below(2) == 0,
            .wants_logs = below(2) == 0};
  }

  void ask(exchange_id exchange, const server_as_modern_checker::open_exchange& one, const std::string& params) {
    auto token = one.wants_progress ? R"("progressToken":"t)" + std::to_string(exchange) + "\"" : "";
    auto text = modern(one.id, one.method, params, token);
    request_envelope envelope{.version = "2026-07-28", .can = can_};
    if (one.wants_logs)
      envelope.log_level = static_cast<severity>(below(8));
    tell([&](auto& out) { it_.asked(exchange, gateway_message(text), envelope, now_, out); });
  }

  /// Retries with the state of any round of any call, and some of its answers.
  void client_retries() {
    if (!states_.empty() && below(5) == 0)
      return retry(states_[below(states_.size())]);
    std::map<exchange_id, server_as_modern_checker::call> parked;
    for (auto& [own, call] : seen.calls)
      if (!call.exchange)
        parked.emplace(own, call);
    if (!parked.empty())
      retry(one_of(parked).second);
  }

  void retry(server_as_modern_checker::call call) {
    states_.push_back(call);
    auto exchange = ++last_exchange_;
    auto one = any_exchange(call.method, below(8) ? call.params : R"("name":"other")");
    std::string responses = R"("odd":7)";
    for (auto& key : call.keys)
      if (below(4))
        responses += "," + troupe::protocol::quoted(key) + ":" + any_response();
    auto goes_on = seen.retries(exchange, one, call.state) != 0;
    auto before = seen.answered;
    ask(exchange, one, one.params + R"(,"inputResponses":{)" + responses + R"(},"requestState":")" + call.state + "\"");
    if (!goes_on) {
      EXPECT_EQ(seen.answered, before + 1) << "a retry that goes on with nothing is refused";
      ++refused_retries;
    }
  }

  std::string any_response() {
    static const std::vector<std::string> all{R"({"action":"accept","roots":[],"content":{}})",
                                              R"({"action":"accept","roots":[],"content":{}})",
                                              R"({"action":"decline","roots":[],"content":{}})", "null", "{}"};
    return all[below(all.size())];
  }

  void client_closes() {
    if (seen.open.empty() || below(3) == 0)
      return tell([&](auto& out) { it_.withdrawn(below(last_exchange_ + 1) + 1'000'000, now_, out); });
    auto exchange = one_of(seen.open).first;
    seen.closes(exchange);
    tell([&](auto& out) { it_.withdrawn(exchange, now_, out); });
  }

  // -- the server ------------------------------------------------------------------------

  void server_answers() {
    if (seen.at_server.empty())
      return;
    auto [id, what] = one_of(seen.at_server);
    seen.at_server.erase(id);
    server_answers_to(id, what);
  }

  void server_answers_to(const std::string& id, const message& what) {
    auto own = own_id(id);
    auto is_task = find_member(what.text, {"params", "task"}).has_value();
    if (what.is_method("initialize"))
      return server(below(5) ? greeting_of(id) : failed(id, "no"));
    if (what.is_method("tools/list") && !own)
      return server(below(5) ? tools_of(id) : failed(id, "no"));
    if (what.is_method("tasks/get"))
      return server(result(id, task_of(string_param(what, "taskId"))));
    if (is_task && below(3))
      return server(result(id, R"({"task":)" + task_of(id) + "}"));
    if (what.is_method("tasks/result"))
      own = own_id(string_param(what, "taskId"));
    if (own)
      seen.server_answered(*own);
    server(any_answer(id));
  }

  std::string greeting_of(const std::string& id) {
    return result(id, R"({"protocolVersion":"2025-11-25","capabilities":{"logging":{},"tools":{"listChanged":true},)"
                      R"("resources":{"subscribe":true}},"serverInfo":{"name":"s","version":"1"}})");
  }
  std::string tools_of(const std::string& id) {
    auto more = below(2) ? R"(,"nextCursor":"c")" : "";
    return result(id, R"({"tools":[{"name":"task","execution":{"taskSupport":"required"}},{"name":"t"}])" +
                          std::string{more} + "}");
  }
  std::string task_of(const std::string& id) {
    static const std::vector<std::string> all{"working", "working", "completed", "input_required"};
    return R"({"taskId":")" + id + R"(","status":")" + all[below(all.size())] + "\"}";
  }
  std::string any_answer(const std::string& id) {
    auto urls = R"({"jsonrpc":"2.0","id":)" + id +
                R"(,"error":{"code":-32042,"message":"u","data":{"elicitations":[{"mode":"url","url":"a:"}]}}})";
    const std::vector<std::string> all{result(id),
                                       result(id, R"({"resultType":"odd","tools":[{"execution":{}}],"_meta":{}})"),
                                       result(id, "null"), error_text(id, -32002, "no"), urls};
    return all[below(all.size())];
  }

  void server_asks() {
    static const std::vector<std::string> methods{"elicitation/create", "elicitation/create", "sampling/createMessage",
                                                  "roots/list"};
    auto id = troupe::protocol::quoted("q" + std::to_string(++last_question_));
    auto& method = methods[below(methods.size())];
    seen.server_asked(id);
    const std::string meta = below(2) ? R"("_meta":{"progressToken":1},)" : "";
    server(question(id, method, "{" + meta + R"("message":"?","requestedSchema":{}})"));
  }

  void server_withdraws() {
    if (seen.questions.empty())
      return server(cancelled("\"odd\""));
    auto id = one_of(seen.questions);
    seen.questions.erase(id);
    server(cancelled(id));
  }

  void server_notes() {
    static const std::vector<std::string> all{note("notifications/tools/list_changed"),
                                              note("notifications/message", R"({"level":"error"})"),
                                              note("notifications/message", R"({"level":"debug"})"),
                                              note("notifications/resources/updated", R"({"uri":"a:"})"), note("odd")};
    server(below(2) ? all[below(all.size())] : progress(std::to_string(below(last_exchange_ + 1))));
  }

  /// An answer to a request that is over.
  void server_strays() {
    auto id = std::to_string(below(last_exchange_ + 1));
    if (!seen.at_server.contains(id) && !seen.calls.contains(*own_id(id)))
      server(result(id));
  }

  void server_rarely_dies() {
    if (below(20))
      return;
    ++losses;
    seen.server_lost();
    tell([&](auto& out) { it_.server_lost("The MCP server died", now_, out); });
  }

  // -- time and the end --------------------------------------------------------------------

  void time_passes() {
    now_ += std::chrono::milliseconds{below(4) ? below(3000) : below(400'000)};
    tick();
  }

  void tick() {
    auto late = server_as_modern_driver::seen([&](auto& out) { it_.tick(now_, out); });
    seen.saw(late, now_);
    seen.time_passed(now_);
    tell([](auto&) {});
  }

  void lease_rarely_ends() {
    if (below(40) == 0)
      lease_ends();
  }

  /// All pending exchanges are answered, and no state remains.
  void lease_ends() {
    auto all = server_as_modern_driver::seen([&](auto& out) { it_.end("The lease ends", out); });
    seen.saw(all, now_);
    seen.calls.clear();
    seen.at_server.clear();
    EXPECT_TRUE(seen.open.empty());
    EXPECT_TRUE(seen.questions.empty());
    EXPECT_TRUE(it_.is_idle());
    EXPECT_EQ(it_.deadline(), time_point::max());
  }

  client_profile can_;
  std::mt19937 dice_;
  time_point now_{1h};
  exchange_id last_exchange_ = 0;
  std::uint64_t last_question_ = 0;
  /// Parked calls, whose retries may come too late.
  std::vector<server_as_modern_checker::call> states_;
  server_as_modern it_;
};

} // namespace

TEST(server_as_modern_walk, answers_all_once_and_forgets_nothing) {
  std::size_t answered = 0, asked = 0, answers = 0, cancellations = 0, losses = 0, refused = 0;
  for (auto seed = 0u; seed < 28 && !HasFailure(); ++seed) {
    server_as_modern_walk walk{seed};
    for (auto n = 0; n < 1500 && !HasFailure(); ++n)
      walk.step();
    walk.finish();
    EXPECT_FALSE(HasFailure()) << "seed " << seed;
    answered += walk.seen.answered;
    asked += walk.seen.asked;
    answers += walk.seen.answers_to_questions;
    cancellations += walk.seen.cancellations;
    losses += walk.losses;
    refused += walk.refused_retries;
  }
  // Minimum coverage of the walks.
  EXPECT_GT(answered, 3000u);
  EXPECT_GT(asked, 500u);
  EXPECT_GT(answers, 500u);
  EXPECT_GT(cancellations, 100u);
  EXPECT_GT(losses, 100u);
  EXPECT_GT(refused, 100u);
}

} // namespace troupe::tests::server_as_modern_walk_test
