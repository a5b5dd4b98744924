// A server inside the host program: its handlers behind the actors of a whole gateway.

#define CAF_SUITE hosted

#include "tests/actors/hosted_world.hpp"

namespace troupe::tests::hosted_suite {

namespace {

std::string call_of(int id, const std::string& tool) { return asking(id, "tools/call", R"({"name":")" + tool + "\"}"); }

std::string says(const std::string& text, bool fails = false) {
  return R"({"content":[{"type":"text","text":")" + text + "\"}]" + (fails ? R"(,"isError":true})" : "}");
}

// Asserts that a handler returned an answer or nothing.
template <class Result>
using answering = decltype([](const call&) -> Result { throw 0; });
static_assert(std::is_constructible_v<call_handler, answering<void>>);
static_assert(!std::is_constructible_v<call_handler, answering<answer>>);
static_assert(!std::is_constructible_v<call_handler, answering<bool>>);
static_assert(!std::is_constructible_v<call::continuation, decltype([](const client_reply&) { return answer{}; })>);
static_assert(!std::is_constructible_v<callback<>, decltype([] { return 1; })>);

} // namespace

CAF_TEST_FIXTURE_SCOPE(hosted_tests, hosted_world)

CAF_TEST(a call is answered when the host likes and only once) {
  say(call_of(1, "keep"));
  CAF_CHECK_EQUAL(seen(), lines{});
  CAF_CHECK(kept.at(0).answer(text("now")));
  CAF_CHECK(!kept.at(0).answer(text("again")));
  CAF_CHECK_EQUAL(seen(), (lines{result(1, says("now"))}));
}

CAF_TEST(a call that nobody can answer any more fails) {
  say(call_of(1, "drop"));
  CAF_CHECK_EQUAL(seen(), (lines{error(1, -32603, "The server gave no answer")}));
}

CAF_TEST(an exception is a failure of the tool and a refusal an error) {
  say(call_of(1, "throw"));
  say(call_of(2, "throw_else"));
  say(call_of(3, "refuse"));
  CAF_CHECK_EQUAL(seen(), (lines{result(1, says("broken", true)), result(2, says("The handler failed", true)),
                                 error(3, -32602, "no such thing")}));
  auto noted = "a handler of the host failed server=hosted session=s kind=tool name=";
  CAF_CHECK_EQUAL(
      log, (lines{noted + std::string{"throw why=broken"}, noted + std::string{"throw_else why=The handler failed"}}));
}

CAF_TEST(what a callback throws is the failure of its call) {
  auto broken = [](auto&&...) { throw std::runtime_error{"broken\nhere"}; };
  say(call_of(1, "keep"));
  say(call_of(2, "keep"));
  say(call_of(3, "keep"));
  kept.at(0).ask("roots/list", {}, broken);
  kept.at(1).ask("roots/list", {}, [](const client_reply&) { throw refusal{-32602, "no"}; });
  kept.at(2).ask("roots/list", {}, broken);
  kept.at(2).on_cancel(broken);
  seen();
  say(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  say(R"({"jsonrpc":"2.0","id":2,"result":{}})");
  say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}})");
  kept.at(2).on_cancel(broken);
  CAF_CHECK_EQUAL(seen(), (lines{result(1, says("broken\\nhere", true)), error(2, -32602, "no"),
                                 R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3,)"
                                 R"("reason":"the call is over"}})"}));
  CAF_CHECK_EQUAL(log.size(), 4u);
  CAF_CHECK_EQUAL(log.front(),
                  "a handler of the host failed server=hosted session=s kind=tool name=keep why=brokenhere");
}

CAF_TEST(what a callback throws does not reach whoever answers) {
  say(call_of(1, "keep"));
  kept.at(0).ask("roots/list", {}, [](const client_reply&) { throw 7; });
  seen();
  CAF_CHECK(kept.at(0).answer(text("done")));
  CAF_CHECK_EQUAL(seen(), (lines{R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,)"
                                 R"("reason":"the call is over"}})",
                                 result(1, says("done"))}));
}

CAF_TEST(a failure is an error where no tool can tell it) {
  server->prompt({.name = "p"}, [](const json::object&) { return failure("no prompt"); });
  server->resource({.uri = "x://r", .name = "r"}, [](const std::string&) { return failure("no resource"); });
  seen();
  say(asking(1, "prompts/get", R"({"name":"p"})"));
  say(asking(2, "resources/read", R"({"uri":"x://r"})"));
  CAF_CHECK_EQUAL(seen(), (lines{error(1, -32603, "no prompt"), error(2, -32603, "no resource")}));
}

CAF_TEST(content that is no object is an error of its call) {
  const answer wrong{.content = json::array{7}};
  server->prompt({.name = "p"}, [=](const json::object&) { return wrong; });
  server->resource({.uri = "x://r", .name = "r"}, [=](const std::string&) { return wrong; });
  seen();
  say(call_of(1, "keep"));
  kept.at(0).answer(wrong);
  say(asking(2, "prompts/get", R"({"name":"p"})"));
  say(asking(3, "resources/read", R"({"uri":"x://r"})"));
  auto why = "The answer has content that is no object";
  CAF_CHECK_EQUAL(seen(), (lines{error(1, -32603, why), error(2, -32603, why), error(3, -32603, why)}));
}

CAF_TEST(structured content may be empty) {
  say(call_of(1, "keep"));
  kept.at(0).answer(structured({}));
  CAF_CHECK_EQUAL(seen(), (lines{result(1, R"({"content":[{"type":"text","text":"{}"}],"structuredContent":{}})")}));
}

CAF_TEST(calls beyond those that may wait fail at once) {
  most_jobs = 2;
  for (int id : {1, 2, 3})
    caf::anon_send(upstream, actors::to_server{protocol::gateway_message(call_of(id, "drop"))});
  CAF_CHECK_EQUAL(
      seen(), (lines{error(3, -32603, "The server is busy: too many calls wait for it"),
                     error(1, -32603, "The server gave no answer"), error(2, -32603, "The server gave no answer")}));
}

CAF_TEST(a call that is cancelled while it waits leaves nothing behind) {
  most_jobs = 1;
  for (int i = 0; i < 3; ++i) {
    caf::anon_send(upstream, actors::to_server{protocol::gateway_message(call_of(1, "keep"))});
    run();
    CAF_CHECK_EQUAL(jobs.size(), 1u);
    caf::anon_send(upstream, actors::to_server{protocol::gateway_message(
                                 R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})")});
    run();
    CAF_CHECK(jobs.empty());
  }
  CAF_CHECK_EQUAL(seen(), lines{});
}

CAF_TEST(a question that is no JSON is answered where it is asked) {
  lines replies;
  auto note = [&](const client_reply& said) { replies.push_back(said.error); };
  say(call_of(1, "keep"));
  kept.at(0).ask("\xff", {}, note);
  kept.at(0).ask("roots/list", {{"x", "\xff"}}, note);
  CAF_CHECK_EQUAL(replies.size(), 2u);
  for (auto& one : replies)
    CAF_CHECK(!one.empty());
  CAF_CHECK_EQUAL(seen(), lines{});
}

CAF_TEST(an answer that is no UTF 8 is an error) {
  say(call_of(1, "latin1"));
  CAF_CHECK_EQUAL(seen(), (lines{error(1, -32603, "The answer is no valid JSON")}));
}

CAF_TEST(progress is told under the token of the client) {
  say(asking(1, "tools/call", R"({"name":"keep","_meta":{"progressToken":"t"}})"));
  kept.at(0).progress(1, 2.5, "on");
  CAF_CHECK_EQUAL(seen(), (lines{R"({"jsonrpc":"2.0","method":"notifications/progress","params":)"
                                 R"({"progressToken":"t","progress":1,"total":2.5E0,"message":"on"}})"}));
}

CAF_TEST(a cancelled call is told so once and says nothing more) {
  int told = 0;
  say(call_of(1, "keep"));
  kept.at(0).on_cancel([&] { ++told; });
  CAF_CHECK(!kept.at(0).cancelled());
  say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  CAF_CHECK(kept.at(0).cancelled());
  CAF_CHECK(!kept.at(0).answer(text("late")));
  CAF_CHECK_EQUAL(told, 1);
  kept.at(0).on_cancel([&] { ++told; });
  CAF_CHECK_EQUAL(told, 2);
  CAF_CHECK_EQUAL(seen(), lines{});
}

CAF_TEST(a call that is cancelled before its turn is not begun) {
  caf::anon_send(upstream, actors::to_server{protocol::gateway_message(call_of(1, "keep"))});
  run();
  caf::anon_send(upstream, actors::to_server{protocol::gateway_message(
                               R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})")});
  CAF_CHECK_EQUAL(seen(), lines{});
  CAF_CHECK(kept.empty());
}

CAF_TEST(a question reaches the client and its reply the call) {
  lines replies;
  auto note = [&](const client_reply& said) {
    replies.push_back(said ? json::serialize(said.result) : "error: " + said.error);
  };
  say(call_of(1, "keep"));
  kept.at(0).elicit("Sure?", {{"type", "object"}}, note);
  kept.at(0).ask("roots/list", {}, note);
  CAF_CHECK_EQUAL(seen(), (lines{R"({"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":)"
                                 R"({"message":"Sure?","requestedSchema":{"type":"object"}}})",
                                 R"({"jsonrpc":"2.0","id":2,"method":"roots/list","params":{}})"}));
  say(R"({"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no roots"}})");
  say(R"({"jsonrpc":"2.0","id":1,"result":{"action":"accept"}})");
  CAF_CHECK_EQUAL(replies, (lines{"error: no roots", R"({"action":"accept"})"}));
}

CAF_TEST(a question ends with its call) {
  lines replies;
  say(call_of(1, "keep"));
  kept.at(0).ask("roots/list", {}, [&](const client_reply& said) { replies.push_back(said.error); });
  seen();
  kept.at(0).answer(text("done"));
  CAF_CHECK_EQUAL(seen().size(), 2u);
  CAF_CHECK_EQUAL(replies, (lines{"the call is over"}));
}

CAF_TEST(a call outlives its session without harm) {
  int told = 0;
  say(call_of(1, "keep"));
  kept.at(0).on_cancel([&] { ++told; });
  caf::anon_send_exit(user, caf::exit_reason::user_shutdown);
  settle();
  CAF_CHECK_EQUAL(told, 1);
  CAF_CHECK(kept.at(0).cancelled());
  kept.at(0).progress(1);
  kept.at(0).log("info", "x");
  CAF_CHECK(!kept.at(0).answer(text("late")));
  server->remove_tool("keep");
  CAF_CHECK_EQUAL(seen(), lines{});
}

CAF_TEST(what is added and removed later is announced and takes effect) {
  auto changed = R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";
  server->tool({.name = "new"}, [](const json::object&) { return text("new"); });
  CAF_CHECK_EQUAL(seen(), lines{changed});
  say(call_of(1, "new"));
  CAF_CHECK_EQUAL(seen(), (lines{result(1, says("new"))}));
  CAF_CHECK(server->remove_tool("new"));
  CAF_CHECK(!server->remove_tool("new"));
  CAF_CHECK_EQUAL(seen(), lines{changed});
  say(call_of(2, "new"));
  CAF_CHECK_EQUAL(seen(), (lines{error(2, -32602, "Unknown tool: new")}));
}

CAF_TEST(what cannot be told to clients is refused where it is added) {
  auto throws = [](auto what) {
    try {
      what();
      return false;
    } catch (const std::invalid_argument&) {
      return true;
    }
  };
  auto is_refused = [&](const tool_info& what) {
    return throws([&] { server->tool(what, [](const json::object&) { return answer{}; }); });
  };
  CAF_CHECK(is_refused({.name = ""}));
  CAF_CHECK(is_refused({.name = "\xff"}));
  CAF_CHECK(is_refused({.name = "t", .input_schema = {}}));
  CAF_CHECK(is_refused({.name = "t", .input_schema = {{"type", "string"}}}));
  CAF_CHECK(is_refused({.name = "t", .output_schema = {{"type", "array"}}}));
  CAF_CHECK(throws([&] { server->tool({.name = "t"}, call_handler{}); }));
  CAF_CHECK(throws([&] { server->tool({.name = "t"}, quick_handler{}); }));
  CAF_CHECK(throws([&] { server->completions({}); }));
  CAF_CHECK(throws([&] { server->updated("\xff"); }));
  CAF_CHECK_EQUAL(seen(), lines{});
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::hosted_suite
