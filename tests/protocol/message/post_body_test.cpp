#include "protocol/message/message.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::tests::post_body_test {

using namespace protocol;

namespace {

std::string relayed_text(message from, std::string_view id, std::string_view reference) {
  return relayed(std::move(from), id, reference).text;
}

std::string batch_of(std::size_t n) {
  std::string result = "[";
  for (std::size_t i = 0; i < n; ++i)
    result += (i ? "," : "") + (R"({"jsonrpc":"2.0","id":)" + std::to_string(i) + R"(,"method":"m"})");
  return result + "]";
}

int code_of(std::string text) {
  auto read = read_body(std::move(text));
  auto bad = std::get_if<rejection>(&read);
  return bad ? bad->code : 0;
}

post_body body_of(std::string text) {
  auto read = read_body(std::move(text));
  if (auto bad = std::get_if<rejection>(&read)) {
    ADD_FAILURE() << bad->text;
    return {};
  }
  return std::get<post_body>(std::move(read));
}

} // namespace

// 2025-11-25, transports, "Sending Messages to the Server" 3
TEST(post_body, is_a_single_message) {
  auto body = body_of("\n{\"jsonrpc\":\"2.0\",\n\"method\":\"n\"}\n");
  EXPECT_FALSE(body.batch);
  ASSERT_EQ(body.messages.size(), 1u);
  EXPECT_EQ(body.messages[0].text, " {\"jsonrpc\":\"2.0\", \"method\":\"n\"} ");
}

// 2025-03-26, transports, "Sending Messages to the Server" 3
TEST(post_body, may_be_a_batch) {
  auto body =
      body_of(" [ {\"jsonrpc\":\"2.0\",\n\"id\":1,\"method\":\"a\"} , {\"jsonrpc\":\"2.0\",\"method\":\"b\"}\t] ");
  EXPECT_TRUE(body.batch);
  ASSERT_EQ(body.messages.size(), 2u);
  EXPECT_EQ(body.messages[0].text, "{\"jsonrpc\":\"2.0\", \"id\":1,\"method\":\"a\"}");
  EXPECT_EQ(body.messages[1].text, "{\"jsonrpc\":\"2.0\",\"method\":\"b\"}");
  EXPECT_EQ(relayed_text(body.messages[0], "12", ""), "{\"jsonrpc\":\"2.0\", \"id\":12,\"method\":\"a\"}");
}

// JSON-RPC 2.0, "Batch"
TEST(post_body, of_a_batch_is_not_empty) {
  EXPECT_EQ(code_of("[]"), -32600);
  EXPECT_EQ(code_of(" [ \n] "), -32600);
}

TEST(post_body, of_a_batch_has_1_to_100_messages) {
  for (std::size_t n : {1u, 99u, 100u}) {
    auto body = body_of(batch_of(n));
    EXPECT_TRUE(body.batch);
    EXPECT_EQ(body.messages.size(), n);
    EXPECT_EQ(body.messages.back().id, std::to_string(n - 1));
  }
  EXPECT_EQ(code_of(batch_of(101)), -32600);
}

// The official SDKs do the same. JSON-RPC 2.0, "Batch", answers each message separately.
TEST(post_body, is_refused_when_one_message_of_a_batch_is_bad) {
  const std::string good = R"({"jsonrpc":"2.0","id":1,"method":"m"})";
  for (auto bad :
       {"1", "null", "[]", "{}", R"([{"jsonrpc":"2.0","id":2,"method":"m"}])", R"({"jsonrpc":"2.0","id":2})"})
    EXPECT_EQ(code_of("[" + good + "," + bad + "]"), -32600) << bad;
  EXPECT_EQ(code_of("[" + good + ",]"), -32700);
}

TEST(post_body, is_at_most_128_deep) {
  auto deep = [](std::size_t depth) {
    return R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":)" + std::string(depth - 2, '[') +
           std::string(depth - 2, ']') + "}}";
  };
  EXPECT_EQ(code_of(deep(127)), 0);
  EXPECT_EQ(code_of(deep(128)), 0);
  EXPECT_EQ(code_of(deep(129)), -32700);
}

// -- a thousand messages of any shape --------------------------------------------

namespace {

/// Writes JSON-RPC messages in varying styles, in pieces: the constant parts, the id, and the reference.
class message_writer {
public:
  explicit message_writer(unsigned seed) : random_{seed} {}

  /// A request with the two tokens that relaying replaces.
  std::string request(std::string_view id, std::string_view token) {
    std::vector<std::string> members{key("jsonrpc") + blank() + "\"2.0\"", key("id") + blank() + std::string{id},
                                     key("method") + blank() + "\"tools\\/call\"",
                                     key("params") + blank() + params(token)};
    for (auto extra = below(3); extra > 0; --extra)
      members.push_back(string() + blank() + ":" + value(3));
    return blank() + object(std::move(members)) + blank();
  }

  std::size_t below(std::size_t n) { return random_() % n; }
  void seed(unsigned seed) { random_.seed(seed); }

  std::string token() {
    static const std::vector<std::string> some{"1",    "0",           "-5",         "\"a\"",
                                               "\"\"", "\"\\u0031\"", "\"}\\\"{\"", "18446744073709551615"};
    return some[below(some.size())];
  }

private:
  std::string blank() {
    static const std::vector<std::string> some{"", "", " ", "\t", "  "};
    return some[below(some.size())];
  }

  std::string key(std::string_view name) {
    std::string result = "\"";
    for (auto c : name)
      if (below(6) == 0) {
        constexpr auto digits = "0123456789abcdef";
        result += std::string{"\\u00"} + digits[c >> 4] + digits[c & 15];
      } else {
        result += c;
      }
    return result + "\"" + blank() + ":";
  }

  std::string string() {
    static const std::vector<std::string> some{"x", "\\\"", "\\\\", "{", "]", ",", ":", "\\u0041", "ä", "\\n", "id"};
    std::string result = "\"?";
    for (auto size = below(6); size > 0; --size)
      result += some[below(some.size())];
    return result + "\"";
  }

  std::string value(std::size_t depth) {
    static const std::vector<std::string> some{"1.0",  "1E3", "-0", "18446744073709551616", "true", "null",
                                               "0.10", "{ }", "[]"};
    auto kind = depth == 0 ? below(2) : below(4);
    if (kind == 0)
      return some[below(some.size())];
    if (kind == 1)
      return string();
    std::vector<std::string> parts;
    for (auto size = below(4); size > 0; --size)
      parts.push_back((kind == 2 ? string() + blank() + ":" : "") + blank() + value(depth - 1));
    return kind == 2 ? object(std::move(parts)) : list('[', parts, ']');
  }

  std::string params(std::string_view token) {
    std::vector<std::string> meta{key("progressToken") + blank() + std::string{token}, string() + ":" + value(2)};
    return object(
        {key("_meta") + blank() + object(std::move(meta)), string() + ":" + value(4), string() + ":" + value(2)});
  }

  std::string object(std::vector<std::string> members) {
    std::shuffle(members.begin(), members.end(), random_);
    return list('{', members, '}');
  }

  std::string list(char open, const std::vector<std::string>& parts, char close) {
    std::string result(1, open);
    for (auto& part : parts)
      result += (result.size() > 1 ? "," : "") + blank() + part + blank();
    return result + close;
  }

  std::mt19937 random_;
};

} // namespace

TEST(relayed, keeps_all_but_the_id_and_the_reference_of_two_thousand_messages) {
  message_writer writer{0};
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    writer.seed(seed);
    auto id = writer.token(), token = writer.token();
    writer.seed(seed * 7919);
    auto text = writer.request(id, token);
    writer.seed(seed * 7919);
    auto expected = writer.request("4711", "\"mine\"");
    auto read = read_message(text);
    ASSERT_TRUE(std::holds_alternative<message>(read)) << seed << ' ' << text << ' ' << std::get<rejection>(read).text;
    auto& one = std::get<message>(read);
    ASSERT_EQ(one.method, "tools/call") << text;
    ASSERT_EQ(one.text, text);
    ASSERT_EQ(relayed_text(one, "4711", "\"mine\""), expected) << seed;
    ASSERT_EQ(relayed_text(one, "", ""), text) << seed;
    ASSERT_TRUE(std::holds_alternative<message>(read_message(expected))) << expected;
  }
}

// A server that compares names leniently, like Go's encoding/json, would find a request in a notification or a
// response. Rules about tools do not check these.
TEST(a_clients_body, has_no_other_spelling_of_a_member_of_json_rpc) {
  auto is_refused = [](const std::string& text) {
    auto refused = std::holds_alternative<rejection>(read_client_body(text));
    EXPECT_FALSE(std::holds_alternative<rejection>(read_body(text))) << text;
    return refused;
  };
  const std::string kinds[] = {R"({"jsonrpc":"2.0","method":"notifications/x","params":{"_meta":{}})",
                               R"({"jsonrpc":"2.0","id":1,"method":"ping")", R"({"jsonrpc":"2.0","id":1,"result":{})"};
  for (auto& kind : kinds) {
    for (auto more : {R"(,"Method":"tools/call")", R"(,"METHOD":"ping")", R"(,"ID":2)", R"(,"Params":{"name":"a"})",
                      R"(,"param\u017f":{})", R"(,"Result":{})", R"(,"error\u0000":{})", R"(,"JsonRPC":"2.0")"}) {
      EXPECT_TRUE(is_refused(kind + more + "}")) << kind << more;
      EXPECT_TRUE(is_refused("[" + kind + more + "}]")) << kind << more;
    }
    for (auto more : {"", R"(,"x":{"Method":"tools/call"})", R"(,"methods":1)", R"(,"_meta":{})", R"(,"\u0078":1)"})
      EXPECT_FALSE(is_refused(kind + more + "}")) << kind << more;
  }
}

TEST(a_clients_body, is_refused_with_the_name_of_the_member) {
  auto read = read_client_body(R"({"jsonrpc":"2.0","method":"notifications/x","Method":"tools/call"})");
  ASSERT_TRUE(std::holds_alternative<rejection>(read));
  EXPECT_EQ(std::get<rejection>(read).status, 400);
  EXPECT_NE(std::get<rejection>(read).text.find("\"Method\""), std::string::npos);
}

TEST(a_clients_body, is_refused_with_the_id_of_its_request) {
  auto id_of_refusal = [](const std::string& text) { return std::get<rejection>(read_client_body(text)).id; };
  EXPECT_EQ(id_of_refusal(R"({"jsonrpc":"2.0","id":5,"method":"ping","Result":null})"), "5");
  EXPECT_EQ(id_of_refusal(R"({"jsonrpc":"2.0","Id":5,"method":"ping"})"), "");
}

} // namespace troupe::tests::post_body_test
