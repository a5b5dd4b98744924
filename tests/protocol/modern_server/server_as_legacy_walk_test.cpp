// Random walk: a user and a 2026-07-28 server send anything at any time.

#include "tests/support/server_as_legacy_driver.hpp"

#include <map>
#include <random>
#include <set>
#include <vector>

namespace troupe::tests::server_as_legacy_walk_test {

namespace {

const std::string everything = R"({"logging":{},"tools":{"listChanged":true},"resources":{"subscribe":true}})";
const std::vector<std::string> methods{
    "tools/call",          "prompts/get",           "resources/read",   "tools/list", "x/y",
    "resources/subscribe", "resources/unsubscribe", "logging/setLevel", "ping",       "tasks/get"};

struct walk {
  explicit walk(unsigned seed) : dice{seed} { t.opened(everything); }

  std::size_t roll(std::size_t sides) { return dice() % sides; }
  const std::string& one_of(const std::vector<std::string>& all) { return all[roll(all.size())]; }

  void hear(const adapter_effects& effects) {
    for (auto& one : effects) {
      if (auto* shown = std::get_if<deliver_to_user>(&one))
        hear_as_user(shown->what);
      else if (auto* sent = std::get_if<deliver_to_server>(&one))
        hear_as_server(sent->what);
    }
  }
  /// Each answer belongs to a pending request that was not cancelled.
  void hear_as_user(const message& what) {
    EXPECT_EQ(what.text, gateway_message(what.text).text);
    if (what.kind == message_kind::response) {
      EXPECT_EQ(waiting.erase(what.id), 1u) << what.text;
    } else if (is_request(what)) {
      EXPECT_TRUE(questions.insert(what.id).second) << what.text;
    }
  }
  /// All requests are of the server's era, and no id is used twice.
  void hear_as_server(const message& what) {
    auto read = gateway_message(what.text);
    EXPECT_EQ(read.id, what.id);
    if (!is_request(what))
      return;
    EXPECT_TRUE(read.claims_modern) << what.text;
    EXPECT_TRUE(asked.emplace(what.id, what.method).second) << what.text;
    open.push_back(what.id);
  }

  void ask() {
    auto id = std::to_string(++last);
    auto method = one_of(methods);
    if (method != "resources/subscribe")
      cancellable.insert(id);
    waiting.insert(id);
    hear(t.user(request(id, method, R"({"name":"n","level":"info","uri":"a:)" + std::to_string(roll(3)) + R"("})")));
  }
  void cancel() {
    auto id = std::to_string(1 + roll(last + 1));
    if (cancellable.contains(id))
      waiting.erase(id);
    hear(t.user(cancelled(id)));
  }
  void answer_as_user() {
    auto id = std::to_string(1 + roll(20));
    questions.erase(id);
    hear(t.user(roll(4) == 0 ? error(id, -1) : result(id)));
  }
  void answer_as_server() {
    if (open.empty())
      return;
    auto at = open.begin() + static_cast<std::ptrdiff_t>(roll(open.size()));
    auto id = *at;
    if (asked[id] != "subscriptions/listen" || roll(3) == 0) {
      open.erase(at);
      return hear(t.server(
          one_of({result(id), error(id, -32602), result(id, R"({"resultType":"input_required","requestState":"s"})"),
                  result(id, R"({"resultType":"input_required","inputRequests":{"a":{"method":)"
                             R"("roots/list"},"b":{"method":"sampling/createMessage"}}})")})));
    }
    const std::string of = R"("_meta":{"io.modelcontextprotocol/subscriptionId":)" + id + "}";
    hear(t.server(one_of({note("notifications/subscriptions/acknowledged",
                               "{" + of + R"(,"notifications":{"resourceSubscriptions":["a:0","a:1"]}})"),
                          note("notifications/tools/list_changed", "{" + of + "}"), cancelled(id)})));
  }
  void step() {
    switch (roll(8)) {
    case 0:
    case 1:
      return ask();
    case 2:
      return cancel();
    case 3:
      return answer_as_user();
    case 4:
      return hear(t.after(std::chrono::milliseconds{roll(2) == 0 ? 100 : 20'000}));
    default:
      return answer_as_server();
    }
  }
  /// All pending requests are answered in the end.
  void settle() {
    for (auto i = 0; i < 1000 && !waiting.empty(); ++i) {
      for (auto& id : std::exchange(open, {}))
        hear(t.server(error(id, -32603)));
      hear(t.after(600s));
    }
    EXPECT_EQ(waiting, std::set<std::string>{});
  }

  server_as_legacy_driver t;
  std::minstd_rand dice;
  std::size_t last = 0;
  std::set<std::string> waiting, cancellable, questions;
  std::map<std::string, std::string> asked;
  std::vector<std::string> open;
};

} // namespace

TEST(server_as_legacy_walk, answers_each_request_once) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    walk one{seed};
    for (auto i = 0; i < 200; ++i)
      one.step();
    one.settle();
    if (testing::Test::HasFailure())
      return;
  }
}

} // namespace troupe::tests::server_as_legacy_walk_test
