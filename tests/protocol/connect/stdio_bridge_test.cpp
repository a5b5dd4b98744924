#include "protocol/connect/stdio_bridge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::tests::stdio_bridge_test {

using namespace protocol;

namespace {

using lines = std::vector<std::string>;
using std::chrono::seconds;

const std::string url = "http://far/mcp";
const std::string initialize =
    R"({"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1"}}})";
const std::string initialized = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";
const std::string modern_list =
    R"({"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}})";

const std::string modern_ask =
    R"({"jsonrpc":"2.0","id":9,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}})";
const std::string modern_greeting =
    R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete","ttlMs":0,"cacheScope":"private"})";

/// A bridge with a handwritten server, and a journal of its effects.
class bridge_driver {
public:
  bridge_driver() : bridge_{rules()} {}

  lines wrote(std::string line) { return journal(bridge_.client_wrote(std::move(line), now_)); }
  lines gone() { return journal(bridge_.client_gone(now_)); }
  lines ended() { return journal(bridge_.client_ended(now_)); }
  lines later(seconds time) {
    now_ += time;
    return journal(bridge_.tick(now_));
  }
  /// Answers the last request with that method in its body, or the GET.
  lines answers(const std::string& method, const std::string& result) {
    const auto& asked = sent(method);
    const auto id = std::string{find_member(asked.body, {"id"}).value_or("")};
    return json(asked.call, R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + result + "}");
  }
  lines refuses(const std::string& method) {
    const auto& asked = sent(method);
    const auto id = std::string{find_member(asked.body, {"id"}).value_or("")};
    return json(asked.call, R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":{"code":-32601,"message":"no"}})");
  }
  lines accepts(const std::string& method) { return status(method, 202); }
  lines status(const std::string& method, int code) {
    return tell_all(sent(method).call, {call_head{code, {}}, call_ended{}});
  }
  lines fails(const std::string& method) { return tell(sent(method).call, call_failed{"it is away", false}); }
  /// Initializes the session, so that calls are possible.
  void begins() {
    wrote(initialize);
    answers("initialize", greeting);
    wrote(initialized);
    accepts("initialized");
    status("GET", 405);
  }
  /// Brings a 2026-07-28 client to its first request at a session-based server.
  void begins_stateless() {
    wrote(modern_list);
    status("server/discover", 400);
    answers("initialize", greeting);
    accepts("initialized");
    status("GET", 405);
  }
  const lines& warnings() const { return warnings_; }
  const send_call& sent(const std::string& method) const {
    auto found = std::find_if(sent_.rbegin(), sent_.rend(), [&](auto& one) {
      return one.method == method || one.body.find(method) != std::string::npos;
    });
    if (found == sent_.rend())
      throw std::out_of_range("no request was sent for " + method);
    return *found;
  }

  static constexpr auto greeting =
      R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"}})";

private:
  static bridge_rules rules() {
    bridge_rules result;
    result.remote.url = url;
    result.mark = "mark";
    result.seal = [](std::string_view text) { return lines{std::to_string(text.size())}; };
    result.version = "9";
    return result;
  }
  /// Several events of one request, in order.
  lines tell_all(http_call_id call, std::vector<decltype(call_event::what)> all) {
    lines result;
    for (auto& what : all)
      for (auto& one : tell(call, std::move(what)))
        result.push_back(std::move(one));
    return result;
  }
  lines json(http_call_id call, const std::string& text) {
    const http_fields fields{{"Content-Type", "application/json"}, {"Mcp-Session-Id", "s-1"}};
    return tell_all(call, {call_head{200, fields}, call_body{text}, call_ended{}});
  }
  lines tell(http_call_id call, decltype(call_event::what) what) {
    return journal(bridge_.receive_event({call, std::move(what)}, now_));
  }
  lines journal(connect_effects effects) {
    lines result;
    for (auto& one : effects) {
      if (auto* call = std::get_if<send_call>(&one)) {
        auto method = string_value(find_member(call->body, {"method"}).value_or("")).value_or("");
        result.push_back(call->method + (call->body.empty() ? "" : " " + method));
        sent_.push_back(std::move(*call));
      } else if (auto* line = std::get_if<write_line>(&one)) {
        result.push_back("< " + line->text);
      } else if (auto* last = std::get_if<send_last_request>(&one)) {
        result.push_back("last " + last->method);
      } else if (auto* note = std::get_if<log_note>(&one); note && note->is == log_note::weight::warning) {
        warnings_.push_back(note->text);
      } else if (std::holds_alternative<end_bridge>(one)) {
        result.emplace_back("end");
      }
    }
    return result;
  }

  stdio_bridge bridge_;
  time_point now_{seconds{1000}};
  std::vector<send_call> sent_;
  lines warnings_;
};

} // namespace

TEST(stdio_bridge, passes_what_the_client_says_and_what_the_server_answers) {
  bridge_driver talk;
  EXPECT_EQ(talk.wrote(initialize), lines{"POST initialize"});
  EXPECT_EQ(talk.answers("initialize", bridge_driver::greeting),
            lines{std::string{R"(< {"jsonrpc":"2.0","id":"a","result":)"} + bridge_driver::greeting + "}"});
  EXPECT_EQ(talk.wrote(initialized), lines{"POST notifications/initialized"});
  EXPECT_EQ(talk.accepts("initialized"), lines{"GET"});
  EXPECT_EQ(talk.status("GET", 405), lines{});
  EXPECT_EQ(talk.wrote(R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})"), lines{"POST tools/list"});
  EXPECT_EQ(talk.answers("tools/list", "{}"), lines{R"(< {"jsonrpc":"2.0","id":7,"result":{}})"});
}

TEST(stdio_bridge, keeps_what_a_client_says_that_does_not_wait_until_initialize_is_answered) {
  bridge_driver talk;
  EXPECT_EQ(talk.wrote(initialize), lines{"POST initialize"});
  EXPECT_EQ(talk.wrote(initialized), lines{});
  EXPECT_EQ(talk.wrote(R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})"), lines{});
  EXPECT_EQ(talk.answers("initialize", bridge_driver::greeting),
            (lines{std::string{R"(< {"jsonrpc":"2.0","id":"a","result":)"} + bridge_driver::greeting + "}",
                   "POST notifications/initialized"}));
  EXPECT_EQ(talk.accepts("initialized"), lines{"GET"});
  EXPECT_EQ(talk.status("GET", 405), lines{"POST tools/list"});
}

TEST(stdio_bridge, names_what_comes_before_initialize_and_drops_it) {
  bridge_driver talk;
  EXPECT_EQ(talk.wrote(initialized), lines{});
  EXPECT_EQ(talk.warnings(), lines{"the client began with notifications/initialized, which was dropped"});
  EXPECT_EQ(talk.wrote(R"({"jsonrpc":"2.0","id":7,"result":{}})"), lines{});
  EXPECT_EQ(talk.warnings().back(), "the client began with a response, which was dropped");
  talk.begins();
}

TEST(stdio_bridge, begins_another_session_when_the_server_has_forgotten_this_one) {
  bridge_driver talk;
  talk.begins();
  talk.wrote(R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})");
  EXPECT_EQ(talk.status("tools/list", 404), lines{"POST initialize"});
  EXPECT_EQ(find_member(talk.sent("initialize").body, {"params"}), find_member(initialize, {"params"}));
  auto again = talk.answers("initialize", bridge_driver::greeting);
  EXPECT_EQ(again, (lines{"POST notifications/initialized",
                          R"(< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"})"}));
  talk.accepts("initialized");
  EXPECT_EQ(talk.status("GET", 405), lines{"POST tools/list"});
  EXPECT_EQ(talk.answers("tools/list", "{}"), lines{R"(< {"jsonrpc":"2.0","id":7,"result":{}})"});
}

TEST(stdio_bridge, sends_a_request_once_more_only) {
  bridge_driver talk;
  talk.begins();
  talk.wrote(R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})");
  talk.status("tools/list", 404);
  talk.answers("initialize", bridge_driver::greeting);
  talk.accepts("initialized");
  talk.status("GET", 405);
  auto output = talk.status("tools/list", 404);
  ASSERT_FALSE(output.empty());
  EXPECT_NE(output[0].find(R"("id":7,"error":{"code":-32603)"), std::string::npos) << output[0];
}

TEST(stdio_bridge, looks_for_a_server_that_is_away_again_and_again) {
  bridge_driver talk;
  talk.begins();
  talk.wrote(R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})");
  talk.status("tools/list", 404);
  talk.fails("initialize");
  for (int attempt = 0; attempt < 20; ++attempt) {
    EXPECT_EQ(talk.later(seconds{13}), lines{"POST initialize"}) << attempt;
    talk.fails("initialize");
  }
  auto output = talk.wrote(R"({"jsonrpc":"2.0","id":8,"method":"tools/list"})");
  ASSERT_EQ(output.size(), 1U);
  EXPECT_NE(output[0].find(R"("id":8,"error")"), std::string::npos) << output[0];
}

TEST(stdio_bridge, ends_the_session_once_all_is_answered) {
  bridge_driver talk;
  talk.begins();
  talk.wrote(R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})");
  EXPECT_EQ(talk.ended(), lines{});
  EXPECT_EQ(talk.wrote(R"({"jsonrpc":"2.0","id":8,"method":"tools/list"})"), lines{});
  EXPECT_EQ(talk.answers("tools/list", "{}"),
            (lines{R"(< {"jsonrpc":"2.0","id":7,"result":{}})", "last DELETE", "end"}));
}

TEST(stdio_bridge, does_not_wait_for_a_last_answer_for_ever) {
  bridge_driver talk;
  talk.begins();
  talk.wrote(R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})");
  EXPECT_EQ(talk.ended(), lines{});
  EXPECT_EQ(talk.later(seconds{4}), lines{});
  EXPECT_EQ(talk.later(seconds{1}), (lines{"last DELETE", "end"}));
  EXPECT_EQ(talk.later(seconds{1}), lines{});
}

TEST(stdio_bridge, refuses_what_is_no_message) {
  bridge_driver talk;
  EXPECT_EQ(talk.wrote("{"), lines{R"(< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: )"
                                   R"(incomplete JSON at byte 1"}})"});
  auto early = talk.wrote(R"({"jsonrpc":"2.0","id":8,"method":"tools/list"})");
  ASSERT_EQ(early.size(), 1U);
  EXPECT_NE(early[0].find("initialize comes first"), std::string::npos);
}

// JSON-RPC 2.0, section 4.1
TEST(stdio_bridge, passes_no_request_without_an_id_and_no_notification_with_one) {
  bridge_driver talk;
  talk.begins();
  const std::string refused = R"("error":{"code":-32600,"message":"Invalid Request: a )";
  auto call = talk.wrote(R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"x"}})");
  ASSERT_EQ(call.size(), 1U);
  EXPECT_TRUE(call[0].starts_with(R"(< {"jsonrpc":"2.0","id":null,)" + refused)) << call[0];
  auto note = talk.wrote(R"({"jsonrpc":"2.0","id":7,"method":"notifications/initialized"})");
  ASSERT_EQ(note.size(), 1U);
  EXPECT_TRUE(note[0].starts_with(R"(< {"jsonrpc":"2.0","id":7,)" + refused)) << note[0];
}

TEST(stdio_bridge, makes_a_server_with_sessions_look_stateless_to_a_client_of_2026_07_28) {
  bridge_driver talk;
  EXPECT_EQ(talk.wrote(modern_list), lines{"POST server/discover"});
  EXPECT_EQ(talk.status("server/discover", 400), lines{"POST initialize"});
  EXPECT_EQ(talk.answers("initialize", bridge_driver::greeting), lines{"POST notifications/initialized"});
  EXPECT_EQ(talk.accepts("initialized"), lines{"GET"});
  EXPECT_EQ(talk.status("GET", 405), lines{"POST tools/list"});
  auto output = talk.answers("tools/list", R"({"tools":[]})");
  ASSERT_EQ(output.size(), 1U);
  EXPECT_NE(output[0].find(R"("id":7)"), std::string::npos) << output[0];
  EXPECT_NE(output[0].find(R"("tools":[])"), std::string::npos) << output[0];
}

TEST(stdio_bridge, does_not_begin_again_for_a_client_that_was_refused) {
  bridge_driver talk;
  talk.wrote(initialize);
  auto output = talk.fails("initialize");
  ASSERT_EQ(output.size(), 1U);
  EXPECT_NE(output[0].find(R"("id":"a","error")"), std::string::npos) << output[0];
  EXPECT_EQ(talk.warnings(), lines{"the remote server is not there"});
  for (int time = 0; time < 5; ++time)
    EXPECT_EQ(talk.later(seconds{13}), lines{});
  EXPECT_EQ(talk.wrote(initialize), lines{"POST initialize"});
  talk.answers("initialize", bridge_driver::greeting);
  EXPECT_EQ(talk.wrote(initialized), lines{"POST notifications/initialized"});
}

TEST(stdio_bridge, does_not_begin_again_for_a_client_of_2026_07_28_that_was_refused) {
  bridge_driver talk;
  talk.wrote(modern_list);
  auto output = talk.fails("server/discover");
  ASSERT_EQ(output.size(), 1U);
  EXPECT_NE(output[0].find(R"("id":7,"error")"), std::string::npos) << output[0];
  EXPECT_EQ(talk.later(seconds{13}), lines{});
  EXPECT_EQ(talk.wrote(modern_ask), lines{"POST server/discover"});
}

TEST(stdio_bridge, ends_the_session_at_once_when_nobody_hears_the_answers) {
  bridge_driver talk;
  talk.begins();
  talk.wrote(R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})");
  EXPECT_EQ(talk.gone(), (lines{"last DELETE", "end"}));
  EXPECT_EQ(talk.gone(), lines{});
}

TEST(stdio_bridge, does_not_wait_any_more_once_nobody_hears_the_answers) {
  bridge_driver talk;
  talk.begins();
  talk.wrote(R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})");
  EXPECT_EQ(talk.ended(), lines{});
  EXPECT_EQ(talk.gone(), (lines{"last DELETE", "end"}));
}

TEST(stdio_bridge, goes_on_where_a_server_of_2026_07_28_comes_back_as_one_with_sessions) {
  bridge_driver talk;
  talk.wrote(initialize);
  talk.refuses("initialize");
  talk.answers("server/discover", modern_greeting);
  talk.wrote(initialized);
  EXPECT_EQ(talk.wrote(R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})"), lines{"POST tools/list"});
  talk.status("tools/list", 400);
  talk.status("server/discover", 400);
  EXPECT_EQ(talk.status("server/discover", 400), lines{"POST initialize"});
  EXPECT_EQ(find_member(talk.sent("initialize").body, {"params"}), find_member(initialize, {"params"}));
  EXPECT_EQ(
      talk.answers("initialize", bridge_driver::greeting),
      (lines{"POST notifications/initialized", R"(< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"})"}));
  EXPECT_EQ(talk.accepts("initialized"), lines{"GET"});
  talk.status("GET", 405);
  talk.wrote(R"({"jsonrpc":"2.0","id":8,"method":"tools/list"})");
  EXPECT_EQ(talk.answers("tools/list", "{}"), lines{R"(< {"jsonrpc":"2.0","id":8,"result":{}})"});
}

TEST(stdio_bridge, translates_from_when_a_server_of_2026_07_28_comes_back_as_one_with_sessions) {
  bridge_driver talk;
  talk.wrote(modern_list);
  EXPECT_EQ(talk.answers("server/discover", modern_greeting), lines{"POST tools/list"});
  talk.status("tools/list", 400);
  talk.status("server/discover", 400);
  EXPECT_EQ(talk.status("server/discover", 400), lines{"POST initialize"});
  talk.wrote(modern_list);
  auto output = talk.answers("initialize", bridge_driver::greeting);
  ASSERT_EQ(output.size(), 2U);
  EXPECT_NE(output[0].find(R"("id":7,"error")"), std::string::npos) << output[0];
  EXPECT_EQ(output[1], "last DELETE");
  EXPECT_EQ(talk.wrote(modern_list), lines{"POST initialize"});
  talk.answers("initialize", bridge_driver::greeting);
  talk.accepts("initialized");
  EXPECT_EQ(talk.status("GET", 405), lines{"POST tools/list"});
  EXPECT_EQ(talk.sent("tools/list").body.find("2026-07-28"), std::string::npos);
}

TEST(stdio_bridge, answers_what_a_client_of_2026_07_28_has_asked_before_it_begins_a_session) {
  bridge_driver talk;
  talk.begins_stateless();
  auto output = talk.wrote(initialize);
  ASSERT_EQ(output.size(), 3U);
  EXPECT_NE(output[0].find(R"("id":7,"error")"), std::string::npos) << output[0];
  EXPECT_EQ(output[1], "last DELETE");
  EXPECT_EQ(output[2], "POST initialize");
  talk.answers("initialize", bridge_driver::greeting);
  EXPECT_EQ(talk.ended(), (lines{"last DELETE", "end"}));
}

TEST(stdio_bridge, begins_another_session_when_a_client_of_2026_07_28_can_be_asked_more) {
  bridge_driver talk;
  talk.begins_stateless();
  const auto capabilities = [&talk] {
    return find_member(talk.sent(R"("initialize")").body, {"params", "capabilities"});
  };
  EXPECT_EQ(capabilities(), "{}");
  talk.answers("tools/list", "{}");
  EXPECT_EQ(talk.wrote(modern_ask), (lines{"last DELETE", "POST initialize"}));
  EXPECT_EQ(capabilities(), R"({"elicitation":{"form":{}}})");
  talk.answers("initialize", bridge_driver::greeting);
  talk.accepts("initialized");
  EXPECT_EQ(talk.status("GET", 405), lines{"POST tools/list"});
  talk.answers("tools/list", "{}");
  EXPECT_EQ(talk.wrote(modern_list), lines{"POST tools/list"}) << "less needs no other session";
}

TEST(stdio_bridge, begins_no_other_session_while_a_request_is_under_way) {
  bridge_driver talk;
  talk.begins_stateless();
  EXPECT_EQ(talk.wrote(modern_ask), lines{"POST tools/list"});
}

} // namespace troupe::tests::stdio_bridge_test
