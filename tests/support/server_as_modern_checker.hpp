#pragma once

#include "protocol/message/methods.hpp"
#include "tests/support/server_as_modern_driver.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe::tests {

/// Checks an adapter's effects against invariants. Each exchange is answered exactly once unless it was withdrawn, and
/// so is each request of the server. Nothing is sent about ended requests.
class server_as_modern_checker {
public:
  /// An exchange without an answer.
  struct open_exchange {
    std::string id, method, params;
    bool wants_progress = false;
    bool wants_logs = false;
  };
  /// A client's call that is at the server or parked.
  struct call {
    std::string method, params;
    std::optional<exchange_id> exchange;
    bool is_at_server = true;
    std::uint64_t turn = 0;
    time_point until = time_point::max();
    /// The request state that the client received.
    std::string state;
    std::vector<std::string> keys;
  };

  // -- facts -----------------------------------------------------------------------------

  void asks(exchange_id exchange, open_exchange one) { open.emplace(exchange, std::move(one)); }
  /// The parked call that a retry resumes; 0 when the retry must be refused.
  exchange_id retries(exchange_id exchange, open_exchange one, const std::string& state) {
    auto found = std::find_if(calls.begin(), calls.end(), [&](auto& of) {
      auto& call = of.second;
      return !call.exchange && call.state == state && call.method == one.method && call.params == one.params;
    });
    asks(exchange, std::move(one));
    if (found == calls.end())
      return 0;
    attach(found->second, exchange);
    return found->first;
  }
  void closes(exchange_id exchange) {
    open.erase(exchange);
    end_call_of(exchange);
  }
  void server_asked(const std::string& id) { questions.insert(id); }
  /// The server has answered a call, or the task that runs it.
  void server_answered(exchange_id own) {
    if (auto found = calls.find(own); found != calls.end())
      found->second.is_at_server = false;
  }
  void server_lost() {
    at_server.clear();
    questions.clear();
    for (auto& [own, one] : calls)
      one.is_at_server = false;
  }
  void time_passed(time_point now) {
    std::erase_if(calls, [&](auto& one) { return !one.second.exchange && one.second.until <= now; });
  }

  // -- effects ---------------------------------------------------------------------------

  void saw(const stateless_effects& all, time_point now) {
    for (auto& one : all)
      std::visit([&](auto& effect) { saw(effect, now); }, one);
  }
  /// Whether the server has a call during which it may send a request.
  bool can_ask() const {
    return std::ranges::any_of(calls,
                               [](auto& one) { return one.second.is_at_server && is_interactive(one.second.method); });
  }
  std::size_t parked() const {
    return static_cast<std::size_t>(
        std::count_if(calls.begin(), calls.end(), [](auto& one) { return !one.second.exchange; }));
  }

  std::map<exchange_id, open_exchange> open;
  std::map<exchange_id, call> calls;
  /// Pending requests at the server, by id.
  std::map<std::string, message> at_server;
  /// Requests of the server without an answer.
  std::set<std::string> questions;
  std::size_t answered = 0, asked = 0, answers_to_questions = 0, cancellations = 0;

private:
  void saw(const send_notification& one, time_point) {
    ASSERT_TRUE(open.contains(one.exchange)) << one.text;
    auto& of = open.at(one.exchange);
    auto said = gateway_message(one.text);
    if (said.is_method("notifications/progress")) {
      EXPECT_TRUE(of.wants_progress);
      EXPECT_EQ(said.reference, protocol::quoted("t" + std::to_string(one.exchange)));
    }
    if (said.is_method("notifications/message")) {
      EXPECT_TRUE(of.wants_logs);
      EXPECT_EQ(only_at_server(), one.exchange) << "may be of another call";
    }
  }

  void saw(const send_response& one, time_point now) {
    ASSERT_TRUE(open.contains(one.exchange)) << "nobody waits for " << one.text;
    auto of = open.extract(one.exchange).mapped();
    auto answer = gateway_message(one.text);
    EXPECT_EQ(answer.id, of.id);
    EXPECT_EQ(find_member(one.text, {"error"}).has_value(), one.error != 0) << one.text;
    ++answered;
    if (string_member(one.text, {"result", "resultType"}) == "input_required")
      return saw_question(one, of, now);
    end_call_of(one.exchange);
  }

  void saw_question(const send_response& one, const open_exchange& of, time_point now) {
    ++asked;
    auto text = string_member(one.text, {"result", "requestState"});
    auto state = read_request_state(text, seal_of_tests);
    ASSERT_TRUE(state && calls.contains(state->call));
    auto& call = calls.at(state->call);
    EXPECT_EQ(of.method, call.method);
    EXPECT_EQ(of.params, call.params);
    call.exchange.reset();
    call.turn = ++turns_;
    call.until = now + 600s;
    call.state = text;
    call.keys.clear();
    for (object_reader all{*find_member(one.text, {"result", "inputRequests"})}; all.next();)
      call.keys.emplace_back(all.key());
    EXPECT_FALSE(call.keys.empty());
  }

  void saw(const forward_to_server& one, time_point) {
    auto& what = one.what;
    EXPECT_EQ(what.text.find("io.modelcontextprotocol/"), what.text.npos) << what.text;
    if (is_request(what)) {
      EXPECT_TRUE(ever_.insert(what.id).second) << what.text;
      at_server.emplace(what.id, what);
      if (auto exchange = own_id(what.id); exchange && open.contains(*exchange))
        begin(*exchange);
    } else if (what.kind == message_kind::response) {
      EXPECT_EQ(questions.erase(what.id), 1u) << "nobody asked for " << what.text;
      ++answers_to_questions;
    } else if (what.is_method("notifications/cancelled")) {
      ++cancellations;
    }
  }

  /// The exchange of the only call at the server; nothing when it is parked or there are several.
  std::optional<exchange_id> only_at_server() const {
    auto works = [](auto& one) { return one.second.is_at_server; };
    return std::count_if(calls.begin(), calls.end(), works) == 1
               ? std::find_if(calls.begin(), calls.end(), works)->second.exchange
               : std::nullopt;
  }

  void attach(call& one, exchange_id exchange) {
    one.exchange = exchange;
    one.turn = ++turns_;
  }

  void end_call_of(exchange_id exchange) {
    std::erase_if(calls, [&](auto& one) { return one.second.exchange == exchange; });
  }

  /// Also for a call that is repeated after URLs were opened, which replaces the parked one.
  void begin(exchange_id exchange) {
    end_call_of(exchange);
    auto& of = open.at(exchange);
    auto& added = calls[exchange];
    added.method = of.method;
    added.params = of.params;
    attach(added, exchange);
  }

  std::set<std::string> ever_;
  std::uint64_t turns_ = 0;
};

} // namespace troupe::tests
