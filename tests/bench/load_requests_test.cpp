#include "tests/bench/load_requests.hpp"

#include "tests/bench/json_member.hpp"

#include <gtest/gtest.h>

namespace troupe::bench {

namespace {

std::string_view body_of(std::string_view request) { return request.substr(request.find("\r\n\r\n") + 4); }

std::string answer_to(std::string_view request) {
  const auto body = body_of(request);
  const auto message = member(member(member(body, "params"), "arguments"), "message");
  return R"({"result":{"content":[{"type":"text","text":)" + std::string(message) + R"(}]},"id":)" +
         std::string(member(body, "id")) + "}";
}

} // namespace

TEST(member, is_found_by_its_name_behind_whatever_else_there_is) {
  constexpr auto object = R"( { "a" : {"id":1} , "b":[{"id":"]"}], "c":"\"id\":2}","id" : 3.5 })";
  EXPECT_EQ(member(object, "id"), "3.5");
  EXPECT_EQ(member(object, "a"), R"({"id":1})");
  EXPECT_EQ(member(object, "b"), R"([{"id":"]"}])");
  EXPECT_EQ(member(object, "c"), R"("\"id\":2}")");
}

TEST(member, that_is_not_there_is_empty) {
  for (const auto* object : {"", "{}", "{ }", R"({"a":1})", R"({"a":{"id":1}})", R"({"a":"id)"})
    EXPECT_EQ(member(object, "id"), "") << object;
}

TEST(call_request, has_the_length_that_it_says) {
  call_request call({}, "one", {.size = 10, .send = 20, .progress = true});
  const auto bytes = call.next();
  const auto length = "Content-Length: " + std::to_string(body_of(bytes).size()) + "\r\n";
  EXPECT_NE(bytes.find(length), std::string_view::npos) << bytes;
}

TEST(call_request, knows_the_answer_to_it_from_that_to_another) {
  call_request one({}, "one", {});
  call_request two({}, "two", {});
  const auto to_one = answer_to(one.next());
  const auto to_two = answer_to(two.next());
  EXPECT_TRUE(one.is_answer(to_one)) << to_one;
  EXPECT_FALSE(one.is_answer(to_two));
  one.next();
  EXPECT_FALSE(one.is_answer(to_one));
}

TEST(call_request, wants_the_answer_to_be_as_long_as_it_asked) {
  call_request call({}, "one", {.size = 1000});
  const auto answer = answer_to(call.next());
  EXPECT_FALSE(call.is_answer(answer));
  EXPECT_TRUE(call.is_answer(answer + std::string(1000, ' ')));
}

// 2026-07-28, transports, "Request Headers"; basic, "_meta"
TEST(call_request, without_a_session_says_in_its_head_and_in_its_meta_what_sessions_agree_on) {
  call_request call({}, "", {.stateless = true, .affinity = "one"});
  const std::string_view bytes = call.next();
  const auto head = bytes.substr(0, bytes.find("\r\n\r\n") + 2);
  for (const auto* field : {"MCP-Protocol-Version: 2026-07-28\r\n", "Mcp-Method: tools/call\r\n", "Mcp-Name: echo\r\n",
                            "Troupe-Affinity: one\r\n"})
    EXPECT_NE(head.find(field), head.npos) << field;
  EXPECT_EQ(head.find("Mcp-Session-Id"), head.npos);
  const auto meta = member(member(body_of(bytes), "params"), "_meta");
  EXPECT_EQ(member(meta, "io.modelcontextprotocol/protocolVersion"), R"("2026-07-28")");
  EXPECT_EQ(member(member(meta, "io.modelcontextprotocol/clientInfo"), "name"), R"("bench")");
  EXPECT_EQ(member(meta, "io.modelcontextprotocol/clientCapabilities"), R"({"elicitation":{"form":{}}})");
}

TEST(call_request, without_a_session_has_no_affinity_unless_it_is_told) {
  call_request call({}, "", {.stateless = true});
  EXPECT_EQ(call.next().find("Troupe-Affinity"), std::string_view::npos);
}

// 2026-07-28, multi round-trip requests
TEST(call_request, is_retried_with_the_same_arguments_under_another_id) {
  call_request call({}, "", {.tool = "ask", .stateless = true});
  const std::string first(call.next());
  const auto again = call.retry(R"("requestState":"s")");
  EXPECT_NE(again.find("Content-Length: " + std::to_string(body_of(again).size()) + "\r\n"), again.npos);
  EXPECT_NE(member(body_of(again), "id"), member(body_of(first), "id"));
  const auto before = member(body_of(first), "params");
  const auto after = member(body_of(again), "params");
  EXPECT_EQ(member(after, "requestState"), R"("s")");
  for (const auto* same : {"_meta", "name", "arguments"})
    EXPECT_EQ(member(after, same), member(before, same));
  EXPECT_TRUE(call.is_answer(answer_to(again)));
  EXPECT_FALSE(call.is_answer(answer_to(first)));
}

} // namespace troupe::bench
