// Calls that the server refuses until the user has opened URLs: the client gets the URLs, and the call is repeated.

#include "tests/support/server_as_modern_driver.hpp"

namespace troupe::tests::required_urls_test {

namespace {

const auto nobody =
    "Nobody can be asked now: a question needs a tools/call, prompts/get or resources/read that is under "
    "way";

std::string urls_required(std::string id, const std::string& elicitations) {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":{"code":-32042,"message":"open","data":{"elicitations":)" +
         elicitations + "}}}";
}
const std::string two_urls = R"([{"mode":"url","elicitationId":"e","url":"a:","message":"A"},)"
                             R"({"mode":"url","url":"b:","message":"B"}])";
const std::string url_a = R"("q1":{"method":"elicitation/create","params":{"mode":"url","url":"a:","message":"A"}})";
const std::string url_b = R"("q2":{"method":"elicitation/create","params":{"mode":"url","url":"b:","message":"B"}})";
const std::string opened = R"({"action":"accept"})";

} // namespace

TEST(required_urls, are_asked_for_and_then_the_call_is_made_again) {
  parked_call_driver t;
  EXPECT_EQ(t.server(urls_required("5", two_urls)),
            stateless_effects{input_required(5, "7", url_a + "," + url_b, 5, 1)});
  EXPECT_EQ(t.server(question("1")), stateless_effects{asks_server(error_text("1", -32602, nobody))});
  EXPECT_EQ(t.retries(6, 5, 1, R"("q1":)" + opened), stateless_effects{input_required(6, "8", url_b, 5, 2)});
  EXPECT_EQ(t.retries(7, 5, 2, R"("q2":)" + opened),
            stateless_effects{asks_server(request("7", "prompts/get", R"({"name":"p"})"))});
  EXPECT_EQ(t.it.parked_calls(), 0u);
  EXPECT_EQ(t.server(urls_required("7", two_urls)),
            stateless_effects{input_required(7, "8", url_a + "," + url_b, 7, 1)});
}

TEST(required_urls, fail_the_call_when_one_is_not_opened) {
  for (auto action : {"decline", "cancel"}) {
    const auto declined = R"("q1":{"action":")" + std::string{action} + "\"}";
    parked_call_driver t;
    t.server(urls_required("5", two_urls));
    EXPECT_EQ(t.retries(6, 5, 1, declined),
              stateless_effects{refused(6, "8", -32603, "The user did not open the URL that the MCP server needs")});
    EXPECT_TRUE(t.it.is_idle());
    t.asks(7, modern("9", "tools/call"));
    t.server(urls_required("7", two_urls));
    auto failed =
        answered(8, result("9", R"({"content":[{"type":"text","text":"The user did not open the URL that the )"
                                R"(MCP server needs"}],"isError":true,)" +
                                    complete + "}"));
    failed.how = call_outcome::kind::tool_error;
    EXPECT_EQ(t.asks(8, modern("9", "tools/call", retry_members(7, 1, declined))), stateless_effects{failed});
    EXPECT_TRUE(t.it.is_idle());
  }
}

TEST(required_urls, are_asked_for_though_the_server_answers_twice) {
  parked_call_driver t;
  t.server(urls_required("5", two_urls));
  EXPECT_EQ(t.server(result("5")), stateless_effects{});
  EXPECT_EQ(t.retries(6, 5, 1, R"("q1":)" + opened), stateless_effects{input_required(6, "8", url_b, 5, 2)});
}

TEST(required_urls, are_forgotten_in_silence_with_their_call) {
  parked_call_driver t;
  t.server(urls_required("5", two_urls));
  EXPECT_EQ(t.after(600s), stateless_effects{});
  EXPECT_TRUE(t.it.is_idle());
}

TEST(required_urls, are_waited_for_though_the_server_is_lost) {
  parked_call_driver t;
  t.server(urls_required("5", two_urls));
  EXPECT_EQ(t.lost(), stateless_effects{});
  EXPECT_EQ(t.retries(6, 5, 1, R"("q1":)" + opened + R"(,"q2":)" + opened).size(), 1u);
  EXPECT_EQ(t.server(result("\"face-2\"", R"({"protocolVersion":"2025-11-25"})")).back(),
            stateless_effect{asks_server(request("6", "prompts/get", R"({"name":"p"})"))});
}

TEST(required_urls, fail_the_call_of_clients_that_cannot_open_any) {
  for (auto& can : {client_profile{}, client_profile{.form = true}}) {
    parked_call_driver t{adapter_rules(can)};
    EXPECT_EQ(t.server(urls_required("5", two_urls)),
              stateless_effects{
                  answered(5,
                           R"({"jsonrpc":"2.0","id":7,"error":{"code":-32021,"message":"The MCP server needs a client )"
                           R"(that can let its user open a URL","data":{"requiredCapabilities":{"elicitation":{"url":)"
                           R"({}}}}}})",
                           -32021)});
    EXPECT_TRUE(t.it.is_idle());
  }
}

TEST(required_urls, fail_the_call_when_the_server_does_not_say_which) {
  parked_call_driver t;
  t.asks(6, modern("9", "m"));
  auto failed_with = [](exchange_id exchange, std::string id) {
    return answered(exchange,
                    R"({"jsonrpc":"2.0","id":)" + id +
                        R"(,"error":{"code":-32603,"message":"open","data":{"upstreamCode":-32042}}})",
                    -32603);
  };
  EXPECT_EQ(t.server(urls_required("5", "[]")), stateless_effects{failed_with(5, "7")});
  EXPECT_EQ(t.server(urls_required("6", two_urls)), stateless_effects{failed_with(6, "9")});
}

TEST(required_urls, fail_the_call_when_too_many_are_parked) {
  auto rules = adapter_rules();
  rules.parked_calls = 0;
  parked_call_driver t{rules};
  EXPECT_EQ(t.server(urls_required("5", two_urls)),
            stateless_effects{refused(5, "7", -32603, "Too many questions wait for clients: try again later")});
  EXPECT_TRUE(t.it.is_idle());
}

TEST(required_urls, are_asked_for_when_the_server_names_them_while_the_call_is_parked) {
  parked_call_driver t;
  t.server(question("1"));
  EXPECT_EQ(t.server(urls_required("5", R"([{"mode":"url","url":"b:","message":"B"}])")),
            stateless_effects{asks_server(result("1", R"({"action":"cancel"})"))});
  EXPECT_EQ(t.retries(6, 5, 1, ""), stateless_effects{input_required(6, "8", url_b, 5, 2)});
}

} // namespace troupe::tests::required_urls_test
