// Refusals of a remote 2026-07-28 server that may be temporary: header fields of a call, and the revision.

#include "protocol/message/splice.hpp"
#include "tests/support/remote_driver.hpp"

namespace troupe::tests::remote_doubts_test {

namespace {

std::string in_envelope(std::string id, std::string method, std::string params = {}) {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":{"_meta":{"x":1})" +
         (params.empty() ? "" : "," + params) + "}}";
}

send_call posted(http_call_id call, std::string text, std::string method, http_fields more = {}) {
  http_fields fields{{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", std::move(method)}};
  fields.insert(fields.end(), more.begin(), more.end());
  return {call, "POST", site, post_fields(fields), std::move(text), 6min, call_priority::request};
}

const std::string discover = in_envelope("\"d\"", "server/discover");
const std::string calls = in_envelope("1", "tools/call", R"("name":"t","arguments":{"a":"x"})");
const std::string mismatch = error_text("1", -32020, "Mcp-Param-A is missing");
const std::string list = in_envelope("\"troupe-tools\"", "tools/list");

std::string tools(std::string of, std::string more = {}) {
  return result("\"troupe-tools\"", R"({"tools":[)" + of + "]" + more + "}");
}
std::string tool(std::string name, std::string header) {
  return R"({"name":")" + name +
         R"(","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":")" + header +
         R"("}}}})";
}

send_call calls_again(http_call_id call) {
  return posted(call, calls, "tools/call", {{"Mcp-Name", "t"}, {"Mcp-Param-A", "x"}});
}

send_call calls_as_before(http_call_id call) { return posted(call, calls, "tools/call", {{"Mcp-Name", "t"}}); }

/// A server that has announced 2026-07-28. Call 1 is used.
struct modern_driver : remote_driver {
  modern_driver() {
    sends(discover);
    answers(1, 200, json, result("\"d\""));
  }
};

/// Request 1 calls a tool as call 2.
struct calling : modern_driver {
  calling() { sends(calls); }
};

} // namespace

// -- fields that do not match -----------------------------------------------------

TEST(remote_mismatch, lists_the_tools_and_sends_the_call_again) {
  calling t;
  EXPECT_EQ(t.answers(2, 400, json, mismatch), (remote_effects{posted(3, list, "tools/list")}));
  EXPECT_EQ(t.answers(3, 200, json, tools(tool("t", "A"))), (remote_effects{calls_again(4)}));
  EXPECT_EQ(t.answers(4, 200, json, result("1")), (remote_effects{takes(result("1"))}));
}

TEST(remote_mismatch, sends_it_again_once) {
  calling t;
  t.answers(2, 400, json, mismatch);
  t.answers(3, 200, json, tools(tool("t", "A")));
  EXPECT_EQ(t.answers(4, 400, json, mismatch), (remote_effects{takes(mismatch)}));
}

TEST(remote_mismatch, reads_all_pages_of_the_list) {
  calling t;
  t.answers(2, 400, json, mismatch);
  auto next = in_envelope("\"troupe-tools\"", "tools/list", R"("cursor":"p2")");
  EXPECT_EQ(t.answers(3, 200, json, tools(tool("t", "A"), R"(,"nextCursor":"p2")")),
            (remote_effects{posted(4, next, "tools/list")}));
  EXPECT_EQ(t.answers(4, 200, json, tools("")), (remote_effects{calls_again(5)}));
}

TEST(remote_mismatch, reads_no_more_than_a_hundred_pages) {
  calling t;
  t.answers(2, 400, json, mismatch);
  const auto page = tools("", R"(,"nextCursor":"p")");
  for (http_call_id call = 3; call < 102; ++call)
    ASSERT_EQ(t.answers(call, 200, json, page).size(), 1U);
  EXPECT_EQ(t.answers(102, 200, json, page), remote_effects{calls_as_before(103)});
}

TEST(remote_mismatch, is_shown_when_the_tools_cannot_be_listed) {
  calling refuses;
  refuses.answers(2, 400, json, mismatch);
  EXPECT_EQ(refuses.answers(3, 200, json, failed("\"troupe-tools\"", "no")), (remote_effects{takes(mismatch)}));
  calling breaks;
  breaks.answers(2, 400, json, mismatch);
  EXPECT_EQ(breaks.fails(3, "reset"), (remote_effects{takes(mismatch)}));
}

TEST(remote_mismatch, lists_the_tools_once_for_several_calls) {
  calling t;
  auto other = in_envelope("2", "tools/call", R"("name":"u","arguments":{})");
  t.sends(other);
  t.answers(2, 400, json, mismatch);
  EXPECT_EQ(t.answers(3, 400, json, error_text("2", -32020, "no")), remote_effects{});
  EXPECT_EQ(t.answers(4, 200, json, tools(tool("t", "A"))),
            (remote_effects{calls_again(5), posted(6, other, "tools/call", {{"Mcp-Name", "u"}})}));
}

TEST(remote_mismatch, forgets_a_call_that_is_cancelled_meanwhile) {
  calling t;
  t.answers(2, 400, json, mismatch);
  EXPECT_EQ(t.sends(cancellation_of("1", "enough").text), remote_effects{});
  EXPECT_EQ(t.answers(3, 200, json, tools(tool("t", "A"))), remote_effects{});
}

TEST(remote_mismatch, is_shown_for_a_call_that_is_too_long_to_be_kept) {
  for (auto spare : {0, 1}) {
    modern_driver t;
    auto frame = in_envelope("1", "tools/call", R"("name":"t","arguments":{"a":""})").size();
    auto text = std::string(64 * 1024 - frame + static_cast<std::size_t>(spare), 'x');
    t.sends(in_envelope("1", "tools/call", R"("name":"t","arguments":{"a":")" + text + R"("})"));
    EXPECT_EQ(t.answers(2, 400, json, mismatch),
              spare == 0 ? (remote_effects{posted(3, list, "tools/list")}) : (remote_effects{takes(mismatch)}));
  }
}

TEST(remote_mismatch, is_shown_for_other_requests) {
  modern_driver t;
  t.sends(in_envelope("1", "prompts/get", R"("name":"p")"));
  EXPECT_EQ(t.answers(2, 400, json, mismatch), (remote_effects{takes(mismatch)}));
}

// 2026-07-28, transports, "Custom Headers from Tool Parameters"
TEST(remote_tools, leave_out_those_whose_annotations_are_not_valid) {
  modern_driver t;
  auto listed = [&](http_call_id call) {
    t.sends(in_envelope("1", "tools/list"));
    auto all = R"({"x": 1,"tools":[)" + tool("bad", "a b") + ", " + tool("good", "A") + "]}";
    return t.answers(call, 200, json, result("1", all));
  };
  auto kept = takes(result("1", R"({"x": 1,"tools":[)" + tool("good", "A") + "]}"));
  log_note left_out{log_note::weight::warning,
                    "server lists tools whose x-mcp-header is not valid: they are left out",
                    {{"tool", "bad"}}};
  EXPECT_EQ(listed(2), (remote_effects{left_out, kept}));
  EXPECT_EQ(listed(3), (remote_effects{kept}));
}

// -- replacement by another server ---------------------------------------------------

TEST(remote_doubt, asks_again_what_a_server_speaks_that_refuses_as_others_do) {
  for (auto status : {400, 404, 405, 406, 415, 422}) {
    modern_driver t;
    t.sends(request("1", "m"));
    auto why = failed("1", "The remote MCP server answered HTTP " + std::to_string(status));
    EXPECT_EQ(t.head(2, status), (remote_effects{drop_call{2}, takes(why), posted(3, discover, "server/discover")}));
    EXPECT_EQ(t.answers(3, 200, json, result("\"d\"")), remote_effects{});
  }
}

TEST(remote_doubt, arises_from_an_error_that_the_revision_does_not_have) {
  modern_driver t;
  t.sends(request("1", "m"));
  EXPECT_EQ(t.answers(2, 400, json, error_text("", -32000, "no session")),
            (remote_effects{takes(with_member(error_text("", -32000, "no session"), "id", "1")),
                            posted(3, discover, "server/discover")}));
}

TEST(remote_doubt, does_not_arise_from_what_a_modern_server_says) {
  for (auto status : {401, 403, 413, 429, 500, 503}) {
    modern_driver t;
    t.sends(request("1", "m"));
    EXPECT_EQ(t.head(2, status).back().index(), remote_effect{deliver_message{}}.index()) << status;
  }
  for (auto& error : {error_text("1", -32000, "no"), error_text("", -32602, "no")}) {
    modern_driver t;
    t.sends(request("1", "m"));
    EXPECT_EQ(t.answers(2, 400, json, error).size(), 1U) << error;
  }
}

TEST(remote_doubt, ends_a_server_that_is_of_the_other_era) {
  const std::string why = "the remote MCP server does not speak 2026-07-28 any more";
  modern_driver refuses;
  refuses.sends(request("1", "m"));
  refuses.head(2, 404);
  refuses.sends(request("2", "m"));
  EXPECT_EQ(refuses.head(3, 404),
            (remote_effects{drop_call{3}, takes(failed("2", "T" + why.substr(1))), drop_call{4}, lose_server{why}}));
  modern_driver answers;
  answers.sends(request("1", "m"));
  answers.head(2, 404);
  EXPECT_EQ(answers.answers(3, 200, json, failed("\"d\"", "no")), remote_effects{lose_server{why}});
}

TEST(remote_doubt, stays_where_the_server_cannot_be_asked) {
  modern_driver t;
  t.sends(request("1", "m"));
  t.head(2, 404);
  EXPECT_EQ(t.fails(3, "reset"), remote_effects{});
  t.sends(request("2", "m"));
  EXPECT_EQ(t.head(4, 404).back(), (remote_effect{posted(5, discover, "server/discover")}));
  EXPECT_EQ(t.head(5, 503), (remote_effects{drop_call{5}}));
}

TEST(remote_doubt, is_asked_about_once_at_a_time) {
  modern_driver t;
  t.sends(request("1", "m"));
  t.sends(request("2", "m"));
  EXPECT_EQ(t.head(2, 404).size(), 3U);
  EXPECT_EQ(t.head(3, 404).size(), 2U);
}

TEST(remote_doubt, ends_a_session_whose_server_speaks_2026_only) {
  asking t;
  auto refusal = error_text("", -32020, "Mcp-Method is missing");
  const std::string why = "the remote MCP server does not speak revisions with sessions any more";
  auto told = t.answers(4, 400, json, refusal);
  EXPECT_EQ(told, (remote_effects{takes(failed("1", "T" + why.substr(1))), drop_call{3}, lose_server{why}}));
}

TEST(remote_doubt, does_not_end_a_session_by_an_error_of_its_era) {
  asking t;
  EXPECT_EQ(t.answers(4, 400, json, error_text("1", -32602, "no")),
            (remote_effects{takes(error_text("1", -32602, "no"))}));
}

} // namespace troupe::tests::remote_doubts_test
