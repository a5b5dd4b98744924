// Random walk: a client and several servers send messages in any order. `catalog_checker` has the invariants.

#include "protocol/catalog/merged_names.hpp"
#include "tests/support/catalog_checker.hpp"
#include "tests/support/walk_seeds.hpp"

#include <functional>
#include <random>
#include <vector>

namespace troupe::tests::catalog_walk_test {

namespace {

catalog_limits narrow() { return {.calls = 20, .questions = 4}; }

/// A client, servers and a clock with random actions.
class walk {
public:
  explicit walk(unsigned seed) : dice_{seed}, it_{narrow(), {}} {
    std::vector<catalog_server> configuration;
    for (auto count = 3 + below(3); count > 0; --count)
      configuration.push_back(another());
    if (below(2))
      configuration[below(configuration.size())].prefix.clear();
    configured_ = configuration;
    it_ = catalog{narrow(), configuration};
    seen.note_servers(configured_);
    says(hello(seen.note_request("initialize")));
    says(initialized);
  }

  /// Runs a random action.
  void step() {
    static const std::vector<void (walk::*)()> facts{
        &walk::calls_tool,      &walk::calls_tool,     &walk::calls_tool,   &walk::reads,       &walk::reads_ui,
        &walk::lists,           &walk::lists,          &walk::goes_on,      &walk::subscribes,  &walk::sets_level,
        &walk::asks_nonsense,   &walk::cancels,        &walk::answers,      &walk::strays,      &walk::server_answers,
        &walk::server_answers,  &walk::server_answers, &walk::server_fails, &walk::server_asks, &walk::server_withdraws,
        &walk::server_progress, &walk::server_notes,   &walk::is_lost,      &walk::time_passes, &walk::rarely_changes};
    (this->*facts[below(facts.size())])();
  }

  /// All servers answer. Then lists are complete and without duplicates, and no request is pending.
  void finish() {
    if (::testing::Test::HasFailure())
      return;
    settle();
    for (auto method : {"tools/list", "resources/list"}) {
      pages_through(method);
      EXPECT_EQ(pages_through(method), seen.expected_items(method)) << method;
    }
    seen.expect_nobody_waits();
    EXPECT_EQ(it_.calls_in_flight(), 0U);
    EXPECT_EQ(it_.requests_in_flight(), 0U);
  }

  catalog_checker seen;

private:
  // -- random choices ----------------------------------------------------------------

  std::size_t below(std::size_t n) { return dice_() % n; }

  model_server& any_server() {
    auto i = seen.servers.begin();
    return std::next(i, static_cast<std::ptrdiff_t>(below(seen.servers.size())))->second;
  }

  catalog_server another() {
    auto id = ++last_server_;
    auto name = "s" + std::to_string(id) + (below(3) ? "" : std::string(50, 'n'));
    return {
        .id = id, .name = name, .prefix = name, .eager = below(4) == 0, .known = below(2) ? can_all : std::string{}};
  }

  // -- facts ---------------------------------------------------------------------------

  void tell(const catalog_effects& all) {
    seen.saw(all);
    EXPECT_GT(it_.deadline(), now_) << "something is late that a tick leaves";
  }

  void says(std::string text) { tell(it_.client_sent(std::get<message>(read_message(std::move(text))), now_)); }

  void server(std::uint64_t id, std::string text) {
    tell(it_.server_sent(id, std::get<message>(read_message(std::move(text))), now_));
  }

  void calls_tool() {
    auto& one = any_server();
    auto tool = one.tools[below(one.tools.size())];
    auto id = seen.note_request("tools/call", one.name, tool);
    auto meta = below(2) ? R"(,"_meta":{"progressToken":)" + id + "}" : std::string{};
    says(request(id, "tools/call", named(merged_name(one.name, one.prefix, tool), meta)));
  }

  void reads() {
    auto& one = any_server();
    auto uri = one.resources[below(one.resources.size())];
    auto id = seen.note_request("resources/read", one.name, uri);
    says(request(id, "resources/read", at_uri(seen.client_uri(one, uri))));
  }

  void reads_ui() {
    auto& one = any_server();
    auto id = seen.note_request("resources/read", one.name, "ui://" + one.name);
    says(request(id, "resources/read", at_uri(seen.client_uri(one, "ui://" + one.name))));
  }

  void subscribes() {
    auto& one = any_server();
    auto id = seen.note_request("resources/subscribe", one.name, "x:y");
    says(request(id, "resources/subscribe", at_uri(merged_uri(one.name, "x:y"))));
  }

  void lists() {
    static const std::vector<std::string> methods{"tools/list", "prompts/list", "resources/list",
                                                  "resources/templates/list"};
    auto method = methods[below(methods.size())];
    says(request(seen.note_request(method), method));
  }

  void goes_on() {
    if (!seen.cursor.empty())
      says(request(seen.note_request("tools/list"), "tools/list", R"({"cursor":)" + seen.cursor + "}"));
  }

  void sets_level() { says(request(seen.note_request("level"), "logging/setLevel", R"({"level":"info"})")); }

  void asks_nonsense() {
    static const std::vector<std::string> methods{"tools/call",          "prompts/get",      "resources/read",
                                                  "completion/complete", "logging/setLevel", "no/such"};
    auto method = methods[below(methods.size())];
    says(request(seen.note_request("nonsense"), method, below(2) ? "{}" : R"({"name":"nobodys","uri":1})"));
  }

  void cancels() {
    auto id = seen.note_cancel(below(100));
    if (!id.empty())
      says(cancelled(id));
  }

  void answers() {
    auto id = seen.note_client_answer(below(100));
    if (!id.empty())
      says(below(3) ? result(id) : error_text(id, -1, "no"));
  }

  void strays() {
    says(below(2) ? result("99999999") : progress("99999999"));
    says(cancelled("99999999"));
    server(any_server().id, below(2) ? result("99999999") : cancelled("99999999"));
    server(424242, changed("tools"));
    auto &one = any_server(), &other = any_server();
    if (one.id != other.id && !other.inbox.empty())
      server(one.id, result(other.inbox.front().id));
  }

  void server_answers() { answer(any_server(), true); }

  void server_fails() { answer(any_server(), false); }

  void answer(model_server& one, bool well) {
    if (one.inbox.empty())
      return;
    auto at = one.inbox.begin() + static_cast<std::ptrdiff_t>(below(one.inbox.size()));
    auto asked = std::move(*at);
    one.inbox.erase(at);
    server(one.id, well ? one.answer(asked) : failed(asked.id, "the dice said so"));
  }

  void server_asks() {
    auto& one = any_server();
    if (one.is == model_server::state::ready)
      ask(one, seen.note_question(one, below(6)));
  }

  void ask(const model_server& one, const std::string& id) {
    server(one.id, request(id, "roots/list", R"({"from":")" + one.name + R"(","id":)" + id + "}"));
  }

  void server_withdraws() {
    auto& one = any_server();
    auto id = seen.note_withdrawal(one);
    if (!id.empty())
      server(one.id, cancelled(id));
  }

  void server_progress() {
    auto& one = any_server();
    for (auto& asked : one.inbox)
      if (!asked.reference.empty())
        return server(one.id, note("notifications/progress",
                                   R"({"progressToken":)" + asked.reference + R"(,"message":")" + one.name + "\"}"));
  }

  void server_notes() {
    auto& one = any_server();
    server(one.id, below(2) ? changed("tools") : note("notifications/message"));
  }

  void is_lost() {
    if (below(3) != 0)
      return;
    auto& one = any_server();
    seen.note_lost(one);
    tell(it_.server_lost(one.id, "it crashed", now_));
  }

  void time_passes() { tell(it_.tick(now_ += std::chrono::seconds{below(4)})); }

  void rarely_changes() {
    if (below(4) != 0)
      return;
    if (configured_.size() > 1 && below(2))
      configured_.erase(configured_.begin() + static_cast<std::ptrdiff_t>(below(configured_.size())));
    else if (configured_.size() < 6)
      configured_.insert(configured_.begin() + static_cast<std::ptrdiff_t>(below(configured_.size() + 1)), another());
    seen.note_servers(configured_);
    tell(it_.servers_changed(configured_, now_));
    seen.forget_removed();
  }

  // -- the end -------------------------------------------------------------------------

  void settle() {
    for (bool some = true; some && !::testing::Test::HasFailure();) {
      some = false;
      for (auto& [id, one] : seen.servers)
        for (; !one.inbox.empty(); some = true)
          answer(one, true);
    }
  }

  std::multiset<std::string> pages_through(const std::string& method) {
    std::multiset<std::string> result;
    seen.cursor.clear();
    do {
      auto params = seen.cursor.empty() ? std::string{"{}"} : R"({"cursor":)" + seen.cursor + "}";
      says(request(seen.note_request(method), method, params));
      settle();
      result.insert(seen.items.begin(), seen.items.end());
    } while (!seen.cursor.empty() && !::testing::Test::HasFailure());
    return result;
  }

  std::mt19937 dice_;
  time_point now_{1h};
  std::uint64_t last_server_ = 0;
  std::vector<catalog_server> configured_;
  catalog it_;
};

} // namespace

TEST(catalog, keeps_its_promises_whatever_happens) {
  for (unsigned seed = 1, seeds = walk_seeds(1000); seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    walk one{seed};
    for (int steps = 0; steps < 200 && !::testing::Test::HasFailure(); ++steps)
      one.step();
    one.finish();
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
}

} // namespace troupe::tests::catalog_walk_test
