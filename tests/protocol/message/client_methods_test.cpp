#include "protocol/message/methods.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::client_methods_test {

using namespace protocol;

namespace {

std::string refused(const std::string& text) {
  auto why = refuse_form_of(std::get<message>(read_message(text)));
  return why ? std::to_string(why->status) + " " + std::to_string(why->code) + " " + why->id : "";
}

} // namespace

TEST(a_message_of_a_client, is_a_request_with_an_id_a_response_or_a_notification_without_one) {
  EXPECT_EQ(refused(R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})"), "");
  EXPECT_EQ(refused(R"({"jsonrpc":"2.0","id":1,"method":"x/custom"})"), "");
  EXPECT_EQ(refused(R"({"jsonrpc":"2.0","id":1,"result":{}})"), "");
  EXPECT_EQ(refused(R"({"jsonrpc":"2.0","error":{"code":1,"message":"m"}})"), "");
  EXPECT_EQ(refused(R"({"jsonrpc":"2.0","method":"notifications/x"})"), "");
  for (auto method : {"tools/call", "x/custom", "notifications", "Notifications/x", " notifications/x", "ping", ""})
    EXPECT_EQ(refused(R"({"jsonrpc":"2.0","method":")" + std::string{method} + "\"}"), "400 -32600 ") << method;
  EXPECT_EQ(refused(R"({"jsonrpc":"2.0","id":"a","method":"notifications/cancelled"})"), "400 -32600 \"a\"");
}

TEST(a_method, may_be_mistaken_when_it_is_nearly_one_of_the_core) {
  using namespace std::string_literals;
  for (auto& method : {"tools/call "s,
                       " tools/call"s,
                       "Tools/Call"s,
                       "TOOLS/CALL"s,
                       "tools/call/"s,
                       "/tools/call"s,
                       "tools//call"s,
                       "tools.call"s,
                       "tools"s,
                       "tools/call\0"s,
                       "tools/call\n"s,
                       "tool\xc5\xbf/call"s,
                       "\xef\xbb\xbftools/call"s,
                       "x\ty"s,
                       "tools/drop"s,
                       "resources/Read"s,
                       "prompts/get?"s,
                       "Completion/complete"s,
                       "tasks/Get"s,
                       "Ping"s})
    EXPECT_TRUE(may_be_mistaken(method)) << method;
}

TEST(a_method, is_not_mistaken_when_it_is_known_or_of_others) {
  for (auto method : {"tools/call", "resources/templates/list", "tasks/get", "server/discover", "ping", "x/tools",
                      "toolset/call", "com.example/tools", "$/x", "", "7"})
    EXPECT_FALSE(may_be_mistaken(method)) << method;
}

// Go's encoding/json uses the last member whose name is equal except for its case.
TEST(a_request, may_name_something_else_in_other_letters) {
  auto is_other = [](const std::string& members, const std::string& method = "tools/call") {
    return has_other_spellings(gateway_message(R"({"jsonrpc":"2.0","id":1,"method":")" + method +
                                               R"(","params":{"name":"a"})" + members + "}"));
  };
  auto named = [](const std::string& params, const std::string& method) {
    return has_other_spellings(
        gateway_message(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" + params + "}"));
  };
  for (auto more :
       {R"(,"Method":"tools/call")", R"(,"PARAMS":{})", R"(,"param\u017f":{})", R"(,"ID":2)", R"(,"method\u0000":"x")"})
    EXPECT_TRUE(is_other(more)) << more;
  for (auto more : {"", R"(,"x":1)", R"(,"methods":1)", R"(,"name":1)"})
    EXPECT_FALSE(is_other(more)) << more;
  EXPECT_TRUE(named(R"({"name":"a","Name":"b"})", "tools/call"));
  EXPECT_TRUE(named(R"({"uri":"a:b","URI":"c:d"})", "resources/read"));
  EXPECT_TRUE(named(R"({"ref":{"type":"ref/prompt","nAme":"b"}})", "completion/complete"));
  EXPECT_TRUE(named(R"({"name\u0000x":"b"})", "tools/call"));
  EXPECT_TRUE(named(R"({"Ref":{}})", "completion/complete"));
  EXPECT_TRUE(named(R"({"notifications":{"resourcesubscriptions":[]}})", "subscriptions/listen"));
  EXPECT_FALSE(named(R"({"name":"a","arguments":{"Name":"b","URI":1}})", "tools/call"));
  EXPECT_FALSE(named(R"({"Name":"b"})", "x/custom"));
}

TEST(a_method, may_be_of_a_namespace_in_other_words) {
  for (auto method : {"tasks/get", "Tasks/get", " tasks/get", "tasks", "ta\xc5\xbfks/get"})
    EXPECT_TRUE(may_be_of(method, "tasks")) << method;
  for (auto method : {"tools/call", "x/tasks", "tasklist/get"})
    EXPECT_FALSE(may_be_of(method, "tasks")) << method;
}

} // namespace troupe::tests::client_methods_test
