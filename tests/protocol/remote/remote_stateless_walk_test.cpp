// Random walk: users and remote 2026-07-28 servers act in any order.

#include "tests/support/remote_driver.hpp"

#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace troupe::tests::remote_stateless_walk_test {

namespace {

const std::string discover = R"({"jsonrpc":"2.0","id":"d","method":"server/discover","params":{"_meta":{}}})";

/// A user, a server and a network with random actions, and the invariants of the transport.
class stateless_walk {
public:
  explicit stateless_walk(unsigned seed) : dice_{seed}, it_{at_site(), seed} { asks("\"d\"", discover); }

  void step() {
    static const std::vector<void (stateless_walk::*)()> facts{
        &stateless_walk::user_asks,     &stateless_walk::user_asks,     &stateless_walk::user_cancels,
        &stateless_walk::server_begins, &stateless_walk::server_begins, &stateless_walk::server_writes,
        &stateless_walk::server_writes, &stateless_walk::server_ends,   &stateless_walk::server_ends,
        &stateless_walk::net_breaks,    &stateless_walk::time_passes};
    (this->*facts[below(facts.size())])();
  }

  /// Ends all traffic. Every request must have an answer then.
  void finish() {
    for (int round = 0; round < 5 && !lost_; ++round)
      for (auto all = open_; auto& [call, one] : all)
        if (!lost_ && open_.erase(call) != 0)
          see(it_.receive_event({call, call_failed{"reset"}}, now_));
    if (!lost_) {
      EXPECT_EQ(awaited_, std::set<std::string>{});
      EXPECT_EQ(it_.requests_in_flight(), 0U);
    }
  }

  bool over() const { return lost_; }

private:
  struct exchange {
    std::string id;
    int status = 0;
    bool streams = false;
  };

  std::size_t below(std::size_t n) { return dice_() % n; }
  bool rarely() { return below(30) == 0; }

  // -- invariants ---------------------------------------------------------------------

  void see(const remote_effects& all) {
    for (auto& one : all) {
      EXPECT_FALSE(lost_) << "something follows the loss";
      std::visit([this](auto& effect) { saw(effect); }, one);
    }
  }

  void saw(const send_call& one) {
    EXPECT_EQ(one.method, "POST");
    EXPECT_GT(one.call, last_call_);
    last_call_ = one.call;
    auto what = gateway_message(one.body);
    EXPECT_TRUE(is_request(what)) << one.body;
    open_[one.call] = {what.id};
  }
  void saw(const drop_call& one) { EXPECT_EQ(open_.erase(one.call), 1U) << "a call is dropped that is over"; }
  void saw(const release_call& one) { EXPECT_TRUE(open_.contains(one.call)); }
  void saw(const deliver_message& one) {
    if (one.what.kind == message_kind::response) {
      EXPECT_EQ(awaited_.erase(one.what.id), 1U) << one.what.text;
    }
  }
  /// Sent when the first request has failed otherwise.
  void saw(const lose_server&) {
    lost_ = true;
    awaited_.erase("\"d\"");
    EXPECT_EQ(awaited_, std::set<std::string>{});
    EXPECT_TRUE(open_.empty());
  }
  void saw(const log_note&) {}
  void saw(const send_last_request&) { ADD_FAILURE() << "there is no session to end"; }

  // -- the user -----------------------------------------------------------------------

  void asks(const std::string& id, std::string text) {
    if (lost_)
      return;
    awaited_.insert(id);
    see(it_.client_sent(gateway_message(std::move(text)), now_));
  }
  void user_asks() {
    static const std::vector<std::string> methods{"tools/call", "tools/list", "subscriptions/listen", "m"};
    auto id = std::to_string(++last_id_);
    asks(id, request(id, methods[below(methods.size())], R"({"_meta":{},"name":"t","arguments":{"a":"x"}})"));
  }
  void user_cancels() {
    auto id = std::to_string(1 + below(last_id_ + 1));
    awaited_.erase(id);
    see(it_.client_sent(gateway_message(cancelled(id)), now_));
  }

  // -- the server ----------------------------------------------------------------------

  std::map<http_call_id, exchange>::iterator any_open() {
    return open_.empty() ? open_.end() : std::next(open_.begin(), static_cast<std::ptrdiff_t>(below(open_.size())));
  }

  void server_begins() {
    auto at = any_open();
    if (at == open_.end() || at->second.status != 0)
      return;
    static const std::vector<int> refusals{301, 400, 401, 404, 405, 429, 503};
    at->second.status = rarely() ? refusals[below(refusals.size())] : below(6) == 0 ? 400 : 200;
    at->second.streams = at->second.status == 200 && below(2) != 0;
    auto call = at->first;
    auto fields = at->second.streams ? events : rarely() ? http_fields{} : json;
    see(it_.receive_event({call, call_head{at->second.status, fields}}, now_));
  }

  std::string any_text(const std::string& id) {
    if (below(5) == 0)
      return note("n");
    if (rarely())
      return below(2) != 0 ? request("5", "roots/list") : "garbage";
    static const std::vector<int> codes{-32020, -32020, -32601, -32602, -32000};
    if (below(3) == 0)
      return error_text(below(4) == 0 ? "" : id, codes[below(codes.size())], "no");
    return result(id, R"({"tools":[{"name":"t","inputSchema":{"properties":{"a":{"type":"string","x-mcp-header":)" +
                          std::string{below(4) == 0 ? R"("a b")" : R"("A")"} + R"(}}}}])" +
                          (below(3) == 0 ? R"(,"nextCursor":"c"})" : "}"));
  }

  void server_writes() {
    auto at = any_open();
    if (at == open_.end() || at->second.status == 0)
      return;
    auto call = at->first;
    auto text = any_text(at->second.id);
    see(it_.receive_event({call, call_body{at->second.streams ? wire(text) : text}}, now_));
  }
  void server_ends() {
    auto at = any_open();
    if (at == open_.end() || at->second.status == 0)
      return;
    auto call = at->first;
    open_.erase(at);
    see(it_.receive_event({call, call_ended{}}, now_));
  }
  void net_breaks() {
    auto at = any_open();
    if (at == open_.end() || !rarely())
      return;
    auto call = at->first;
    open_.erase(at);
    see(it_.receive_event({call, call_failed{"reset"}}, now_));
  }

  void time_passes() {
    static const std::vector<std::chrono::milliseconds> some{1ms, 500ms, 2s, 10s, 45s};
    now_ += some[below(some.size())];
    if (now_ < it_.deadline())
      return;
    see(it_.tick(now_));
    EXPECT_GT(it_.deadline(), now_) << "something is late that a tick leaves";
  }

  std::mt19937 dice_;
  time_point now_{1h};
  remote_server it_;
  std::map<http_call_id, exchange> open_;
  std::set<std::string> awaited_;
  http_call_id last_call_ = 0;
  std::size_t last_id_ = 0;
  bool lost_ = false;
};

} // namespace

TEST(remote_stateless_walk, answers_every_request_once) {
  int lasted = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    stateless_walk one{seed};
    for (int steps = 0; steps < 300 && !one.over() && !::testing::Test::HasFailure(); ++steps)
      one.step();
    lasted += one.over() ? 0 : 1;
    one.finish();
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
  EXPECT_GT(lasted, 30);
}

} // namespace troupe::tests::remote_stateless_walk_test
