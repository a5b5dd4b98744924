#include "protocol/access/client_roots.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::client_roots_test {

using namespace protocol;

namespace {

message read(const std::string& text) { return std::get<message>(read_message(text)); }

/// The message that a server gets; empty if it gets none.
std::string rest_of(const std::string& text) {
  auto rest = without_roots(read(text));
  return rest ? rest->text : "";
}

std::string initialize_with(const std::string& params) {
  return R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":)" + params + "}";
}

std::string modern_with(const std::string& capabilities, const std::string& more = {}) {
  return R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{)"
         R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
         R"("io.modelcontextprotocol/clientCapabilities":)" +
         capabilities + "}" + more + "}}";
}

} // namespace

TEST(roots, pass_by_the_place_of_the_client) {
  EXPECT_TRUE(roots_rule{}.pass(true));
  EXPECT_FALSE(roots_rule{}.pass(false));
  EXPECT_TRUE((roots_rule{true, true}.pass(false)));
  EXPECT_FALSE((roots_rule{false, false}.pass(true)));
}

TEST(roots, are_declared_to_no_server_that_learns_none) {
  EXPECT_EQ(rest_of(initialize_with(R"({"capabilities":{"roots":{"listChanged":true},"sampling":{}},"x":[1, 2]})")),
            initialize_with(R"({"capabilities":{"sampling":{}},"x":[1, 2]})"));
  EXPECT_EQ(rest_of(modern_with(R"({"roots":{},"sampling":{}})")), modern_with(R"({"sampling":{}})"));
}

TEST(roots, are_cut_however_a_server_may_read_their_name) {
  for (auto name : {"Roots", "ROOTS", R"(\u0072oots)", "root\xc5\xbf"})
    EXPECT_EQ(rest_of(initialize_with(R"({"capabilities":{")" + std::string{name} + R"(":{}}})")),
              initialize_with(R"({"capabilities":{}})"))
        << name;
  EXPECT_EQ(rest_of(initialize_with(R"({"capabilities":{},"Capabilities":{"roots":{}}})")),
            initialize_with(R"({"capabilities":{},"Capabilities":{}})"));
  EXPECT_EQ(rest_of(initialize_with(R"({"capabilities":{"roots":{},"roots":{}}})")),
            initialize_with(R"({"capabilities":{}})"));
}

TEST(roots, are_in_no_answer_to_a_question) {
  EXPECT_EQ(rest_of(modern_with("{}", R"(,"inputResponses":{"a":{"roots":[]},"b":{"action":"accept"}})")),
            modern_with("{}", R"(,"inputResponses":{"b":{"action":"accept"}})"));
}

TEST(roots, that_change_are_not_told) {
  EXPECT_EQ(rest_of(R"({"jsonrpc":"2.0","method":"notifications/roots/list_changed"})"), "");
}

TEST(roots, leave_all_other_messages_as_they_are) {
  for (auto& text : {initialize_with(R"({"capabilities":{ "sampling" : {} }})"), modern_with(R"({ "sampling":{} })"),
                     std::string{R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"roots":{}}})"},
                     std::string{R"({"jsonrpc":"2.0","method":"notifications/cancelled"})"}})
    EXPECT_EQ(rest_of(text), text);
}

TEST(roots, that_a_server_asks_for_are_refused) {
  auto answer = refuse_roots_request(read(R"({"jsonrpc":"2.0","id":"q","method":"roots/list"})"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->id, R"("q")");
  EXPECT_NE(answer->text.find("-32601"), std::string::npos);
  EXPECT_FALSE(refuse_roots_request(read(R"({"jsonrpc":"2.0","id":"q","method":"sampling/createMessage"})")));
  EXPECT_FALSE(refuse_roots_request(read(R"({"jsonrpc":"2.0","id":"q","result":{}})")));
}

TEST(roots, that_an_answer_asks_for_make_it_an_error) {
  auto asking = [](const std::string& method) {
    return R"({"jsonrpc":"2.0","id":7,"result":{"resultType":"input_required","inputRequests":{"a":{"method":")" +
           method + R"("}}}})";
  };
  for (auto method : {"roots/list", R"(roots\/list)"}) {
    auto shown = without_roots_question(read(asking(method)));
    EXPECT_EQ(shown.id, "7");
    EXPECT_NE(shown.text.find("-32603"), std::string::npos) << method;
  }
  for (auto& text : {asking("elicitation/create"), std::string{R"({"jsonrpc":"2.0","id":7,"result":{}})"}})
    EXPECT_EQ(without_roots_question(read(text)).text, text);
}

} // namespace troupe::tests::client_roots_test
