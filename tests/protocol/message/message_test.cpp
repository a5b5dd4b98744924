#include "protocol/message/message.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace troupe::tests::message_test {

using namespace protocol;

namespace {

std::string relayed_text(message from, std::string_view id, std::string_view reference) {
  return relayed(std::move(from), id, reference).text;
}

message read(std::string text) {
  auto result = read_message(text);
  if (auto bad = std::get_if<rejection>(&result)) {
    ADD_FAILURE() << text << " was refused: " << bad->text;
    return {};
  }
  return std::get<message>(std::move(result));
}

/// The code and the id of a refusal; 0 for an accepted message.
std::pair<int, std::string> refusal(std::string text) {
  auto result = read_message(std::move(text));
  if (auto bad = std::get_if<rejection>(&result)) {
    EXPECT_EQ(bad->status, 400);
    return {bad->code, bad->id};
  }
  return {0, ""};
}

using no = std::pair<int, std::string>;

std::string with_id(std::string id) { return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"m"})"; }

std::string with_token(std::string token) {
  return R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken":)" + token + "}}}";
}

} // namespace

// -- kinds ---------------------------------------------------------------------

TEST(message, is_a_request_when_it_has_a_method_and_an_id) {
  auto one = read(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add"}})");
  EXPECT_EQ(one.kind, message_kind::request);
  EXPECT_EQ(one.id, "7");
  EXPECT_EQ(one.method, "tools/call");
  EXPECT_EQ(one.reference, "");
  EXPECT_FALSE(one.claims_modern);
}

TEST(message, is_a_notification_when_it_has_a_method_and_no_id) {
  auto one = read(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  EXPECT_EQ(one.kind, message_kind::notification);
  EXPECT_EQ(one.id, "");
  EXPECT_EQ(one.method, "notifications/initialized");
}

TEST(message, is_a_response_when_it_has_a_result_or_an_error) {
  for (auto rest : {R"("result":{})", R"("result":null)", R"("error":{"code":-1,"message":"no"})"}) {
    auto one = read(std::string{R"({"jsonrpc":"2.0","id":"a",)"} + rest + "}");
    EXPECT_EQ(one.kind, message_kind::response) << rest;
    EXPECT_EQ(one.id, "\"a\"") << rest;
    EXPECT_EQ(one.method, "") << rest;
  }
}

TEST(message, may_be_an_error_without_an_id) {
  for (auto id : {"", R"("id":null,)"}) {
    auto one = read(std::string{R"({"jsonrpc":"2.0",)"} + id + R"("error":{"code":-32700,"message":"?"}})");
    EXPECT_EQ(one.kind, message_kind::response);
    EXPECT_EQ(one.id, "");
  }
}

TEST(message, resolves_escapes_in_its_method) {
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":1,"method":"\u0070ing"})").method, "ping");
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":1,"method":"tools\/list"})").method, "tools/list");
}

TEST(message, resolves_escapes_in_the_keys_of_its_envelope) {
  auto one = read(R"({"\u006asonrpc":"2.0","i\u0064":1,"me\u0074hod":"m"})");
  EXPECT_EQ(one.id, "1");
  EXPECT_EQ(one.method, "m");
}

TEST(message, becomes_one_line) {
  EXPECT_EQ(read("{\r\n  \"jsonrpc\": \"2.0\",\n\t\"id\": 1,\r\"method\": \"a\\nb\"\n}\n").text,
            "{    \"jsonrpc\": \"2.0\", \t\"id\": 1, \"method\": \"a\\nb\" } ");
}

TEST(message, ignores_members_that_are_not_of_the_envelope) {
  auto one = read(R"({"ID":2,"extra":{"id":3,"method":"x"},"jsonrpc":"2.0","extra":1,"id":1,"method":"m"})");
  EXPECT_EQ(one.id, "1");
  EXPECT_EQ(one.method, "m");
}

// -- refusals ------------------------------------------------------------------

// JSON-RPC 2.0, "Error object"
TEST(message, that_is_no_JSON_is_a_parse_error_without_id) {
  for (auto text :
       {"", "hello", "{", R"({"jsonrpc":"2.0","id":1,"method":"m"}x)", "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\"}"})
    EXPECT_EQ(refusal(text), (no{-32700, ""})) << text;
}

// JSON-RPC 2.0, "Request object"
TEST(message, is_an_object) {
  for (auto text : {"1", "null", "\"{}\"", "[]", "[{}]", " 1 "})
    EXPECT_EQ(refusal(text), (no{-32600, ""})) << text;
}

// JSON-RPC 2.0, "Request object"
TEST(message, says_jsonrpc_2_0) {
  for (auto version : {"", R"("jsonrpc":"1.0",)", R"("jsonrpc":2.0,)", R"("jsonrpc":"2",)", R"("jsonrpc":null,)"})
    EXPECT_EQ(refusal(std::string{"{"} + version + R"("id":1,"method":"m"})"), (no{-32600, "1"})) << version;
}

// JSON-RPC 2.0, "Request object"
TEST(message, has_a_method_that_is_a_string) {
  for (auto method : {"1", "null", "true", "{}", "[\"m\"]"})
    EXPECT_EQ(refusal(std::string{R"({"jsonrpc":"2.0","id":"a","method":)"} + method + "}"), (no{-32600, "\"a\""}))
        << method;
}

// JSON-RPC 2.0, "Request object"
TEST(message, has_params_that_are_an_object) {
  for (auto params : {"[]", "[1]", "1", "null", "\"\""})
    EXPECT_EQ(refusal(std::string{R"({"jsonrpc":"2.0","id":1,"method":"m","params":)"} + params + "}"),
              (no{-32600, "1"}))
        << params;
}

// JSON-RPC 2.0, "Response object"
TEST(message, is_either_a_call_or_a_response) {
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}})").first, -32600);
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":1,"method":"m","result":{}})").first, -32600);
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":1,"method":"m","error":{}})").first, -32600);
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":1})").first, -32600);
  EXPECT_EQ(refusal("{}").first, -32600);
}

// JSON-RPC 2.0, "Error object"
TEST(message, that_is_an_error_has_an_object_in_it) {
  for (auto error : {"null", "1", "\"no\"", "[]"})
    EXPECT_EQ(refusal(std::string{R"({"jsonrpc":"2.0","id":1,"error":)"} + error + "}").first, -32600) << error;
}

// JSON-RPC 2.0, "Response object"
TEST(message, that_is_a_result_has_an_id) {
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","result":{}})"), (no{-32600, ""}));
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":null,"result":{}})"), (no{-32600, ""}));
}

// Readers disagree on whether the first or the last of two equal keys counts.
TEST(message, has_each_key_of_its_envelope_once) {
  const std::string rest = R"("jsonrpc":"2.0","id":1,"method":"m","params":{})";
  for (auto again : {R"("jsonrpc":"2.0")", R"("id":1)", R"("id":2)", R"("method":"m")", R"("params":{})",
                     R"("\u006asonrpc":"2.0")", R"("\u0069d":1)", R"("m\u0065thod":"x")", R"("param\u0073":{})"}) {
    EXPECT_EQ(refusal("{" + rest + "," + again + "}"), (no{-32600, ""})) << again;
    EXPECT_EQ(refusal("{" + std::string{again} + "," + rest + "}"), (no{-32600, ""})) << again;
  }
  for (auto twice : {R"("result":{},"result":{})", R"("error":{},"\u0065rror":{})"})
    EXPECT_EQ(refusal(std::string{R"({"jsonrpc":"2.0","id":1,)"} + twice + "}"), (no{-32600, ""})) << twice;
}

TEST(message, has_each_key_that_the_gateway_reads_once) {
  auto params = [](std::string method, std::string text) {
    return R"({"jsonrpc":"2.0","method":")" + method + R"(","params":)" + text + "}";
  };
  auto meta = [](std::string text) { return R"({"jsonrpc":"2.0","id":1,"method":"m","params":)" + text + "}"; };
  EXPECT_EQ(refusal(meta(R"({"_meta":{},"_\u006deta":{}})")), (no{-32600, "1"}));
  EXPECT_EQ(refusal(meta(R"({"_meta":{"progressToken":1,"progress\u0054oken":2}})")), (no{-32600, "1"}));
  EXPECT_EQ(refusal(params("notifications/cancelled", R"({"requestId":1,"requestId":2})")), (no{-32600, ""}));
  EXPECT_EQ(refusal(params("notifications/progress", R"({"progressToken":1,"progressToken":2})")), (no{-32600, ""}));
}

TEST(message, may_have_any_key_twice_that_the_gateway_does_not_read) {
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","method":"n","params":{"":1,"":2,"a":1,"a":2}})"), (no{0, ""}));
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"requestId":1,"requestId":2}})"), (no{0, ""}));
}

// -- ids -----------------------------------------------------------------------

// 2025-11-25, base protocol, "Requests"
TEST(message, keeps_an_id_that_is_a_string_or_an_integer) {
  for (auto id : {"1", "0", "-1", "\"1\"", "\"\"", "\"a b\"", "9007199254740993", "9223372036854775807",
                  "-9223372036854775808", "9223372036854775808", "18446744073709551615", "\"\xc3\xa4\"", "1.0", "1e3",
                  "10.00", "-0", "-0.0", "9007199254740991.0", "9007199254740992.0"})
    EXPECT_EQ(read(with_id(id)).id, id);
}

// 2025-11-25, base protocol, "Requests"
TEST(message, refuses_an_id_that_is_neither) {
  for (auto id : {"18446744073709551616", "-9223372036854775809", "1.5", "1e400", "1e-400", "9007199254740993.0",
                  "1e16", "true", "false", "null", "{}", "[]", "[1]"})
    EXPECT_EQ(refusal(with_id(id)), (no{-32600, ""})) << id;
}

// 2025-11-25, base protocol, "Requests"
TEST(message, has_the_same_id_however_it_is_spelled) {
  EXPECT_EQ(read(with_id(R"("\u0031")")).id, R"("1")");
  EXPECT_EQ(read(with_id(R"("a\/b")")).id, R"("a/b")");
  EXPECT_EQ(read(with_id(R"("\u000a\u0022")")).id, R"("\n\"")");
  EXPECT_EQ(read(with_id(R"("\u00e4")")).id, "\"\xc3\xa4\"");
}

// -- references ----------------------------------------------------------------

TEST(message, refers_to_the_progress_token_of_a_request) {
  for (auto token : {"5", "\"t\"", "0", "\"\"", "-3", "5.0", "1e3"})
    EXPECT_EQ(read(with_token(token)).reference, token);
  EXPECT_EQ(read(with_token(R"("\u0074")")).reference, "\"t\"");
}

// 2025-11-25, progress, "Progress Flow"
TEST(message, refers_to_no_token_that_is_neither_string_nor_integer) {
  for (auto token : {"true", "null", "1.5", "1e400", "{}", "[1]", "18446744073709551616"})
    EXPECT_EQ(read(with_token(token)).reference, "") << token;
}

TEST(message, refers_to_nothing_where_there_is_no_token) {
  for (auto params : {"{}", R"({"_meta":null})", R"({"_meta":[]})", R"({"_meta":"x"})", R"({"_meta":{}})",
                      R"({"progressToken":1})", R"({"a":{"_meta":{"progressToken":1}}})", R"({"requestId":1})"})
    EXPECT_EQ(read(std::string{R"({"jsonrpc":"2.0","id":1,"method":"m","params":)"} + params + "}").reference, "")
        << params;
}

TEST(message, refers_to_the_token_of_progress) {
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":"t"}})")
                .reference,
            "\"t\"");
}

TEST(message, refers_to_the_request_that_is_cancelled) {
  EXPECT_EQ(
      read(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"x","requestId":12}})").reference,
      "12");
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","method":"notifications/cancelled"})").reference, "");
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}})").reference, "");
}

TEST(message, of_another_notification_refers_to_nothing) {
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","method":"n","params":{"requestId":1,"progressToken":2,"":3}})").reference, "");
}

TEST(message, claims_to_be_modern_with_a_version_in_its_meta_of_any_type) {
  for (auto version : {"\"2026-07-28\"", "1", "null"})
    EXPECT_TRUE(read(std::string{R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{)"} +
                     R"("io.modelcontextprotocol/protocolVersion":)" + version + "}}}")
                    .claims_modern)
        << version;
  EXPECT_FALSE(read(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"io.modelcontextprotocol/protocolVersion":"x"}})")
                   .claims_modern);
}

// -- relaying ------------------------------------------------------------------

TEST(relayed, replaces_the_id_and_nothing_else) {
  EXPECT_EQ(relayed_text(read(R"( { "params" : {"n":18446744073709551616,"f":1.0,"e":1E400,"s":"\u0041\/","id":1} ,)"
                              R"("id":  "\u0031" , "z":[1.10, 2], "method":"m","jsonrpc":"2.0" } )"),
                         "42", "43"),
            R"( { "params" : {"n":18446744073709551616,"f":1.0,"e":1E400,"s":"\u0041\/","id":1} ,)"
            R"("id":  42 , "z":[1.10, 2], "method":"m","jsonrpc":"2.0" } )");
}

TEST(relayed, replaces_the_reference_before_the_id_and_after_it) {
  EXPECT_EQ(
      relayed_text(read(R"({"params":{"_meta":{"progressToken":"long token"}},"id":1,"method":"m","jsonrpc":"2.0"})"),
                   "12345", "6"),
      R"({"params":{"_meta":{"progressToken":6}},"id":12345,"method":"m","jsonrpc":"2.0"})");
  EXPECT_EQ(
      relayed_text(read(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken":"long token"}}})"),
                   "12345", "6"),
      R"({"jsonrpc":"2.0","id":12345,"method":"m","params":{"_meta":{"progressToken":6}}})");
}

TEST(relayed, leaves_what_is_to_be_replaced_by_nothing) {
  auto text = R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken":2}}})";
  EXPECT_EQ(relayed_text(read(text), "", ""), text);
  EXPECT_EQ(relayed_text(read(text), "9", ""),
            R"({"jsonrpc":"2.0","id":9,"method":"m","params":{"_meta":{"progressToken":2}}})");
  EXPECT_EQ(relayed_text(read(text), "", "9"),
            R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken":9}}})");
}

TEST(relayed, adds_nothing_that_was_not_there) {
  auto notification = R"({"jsonrpc":"2.0","method":"n"})";
  EXPECT_EQ(relayed_text(read(notification), "1", "2"), notification);
  auto error = R"({"jsonrpc":"2.0","id":null,"error":{}})";
  EXPECT_EQ(relayed_text(read(error), "1", "2"), error);
  EXPECT_EQ(relayed_text(read(with_token("1.5")), "", "2"), with_token("1.5"));
}

// -- ids of our own ------------------------------------------------------------

// Some servers return an integer id as a string.
TEST(own_id, is_an_integer_or_the_same_as_a_string) {
  EXPECT_EQ(own_id("1"), 1u);
  EXPECT_EQ(own_id("\"1\""), 1u);
  EXPECT_EQ(own_id("1.0"), own_id("\"10e-1\""));
  EXPECT_EQ(own_id("18446744073709551615"), 18446744073709551615u);
}

TEST(own_id, is_nothing_else) {
  for (auto token : {"", "-1", "1.5", "\"\"", "\"", "\"a\"", "\"1a\"", "\" 1\"", "\"-1\"", "\"+1\"", "true", "null",
                     "{}", "18446744073709551616", "\"18446744073709551616\""})
    EXPECT_EQ(own_id(token), std::nullopt) << token;
}

// -- messages of our own -------------------------------------------------------

TEST(error_text, escapes_its_text_and_keeps_the_id) {
  EXPECT_EQ(error_text("\"a\"", -32603, "say \"no\"\n\\"),
            R"({"jsonrpc":"2.0","id":"a","error":{"code":-32603,"message":"say \"no\"\n\\"}})");
  EXPECT_EQ(error_text("7", -32600, ""), R"({"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":""}})");
}

TEST(error_text, writes_an_unknown_id_as_null) {
  EXPECT_EQ(error_text("", -32700, "x"), R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}})");
}

TEST(message, of_our_own_is_one_that_we_would_read) {
  EXPECT_EQ(read(error_text("7", -32603, "\x01\"")).id, "7");
  EXPECT_EQ(read(empty_result("\"p\"")).id, "\"p\"");
  EXPECT_EQ(empty_result("0"), R"({"jsonrpc":"2.0","id":0,"result":{}})");
  EXPECT_EQ(read(cancellation_of("12", "time\"out").text).reference, "12");
}

TEST(message, is_relayed_with_half_a_surrogate_pair_as_it_came) {
  auto text = R"({"jsonrpc":"2.0","id":1,"result":{"t":"cut \ud83d"}})";
  EXPECT_EQ(relayed_text(read(text), "7", ""), R"({"jsonrpc":"2.0","id":7,"result":{"t":"cut \ud83d"}})");
}

// Readers replace both halves by the same character, so they would be equal.
TEST(message, takes_no_id_and_no_token_with_half_a_surrogate_pair) {
  for (auto token : {R"("\ud800")", R"("\uDC00")", R"("a\ud800\ud801")", R"("\ude00\ud83d")"}) {
    EXPECT_EQ(refusal(std::string{R"({"jsonrpc":"2.0","method":"m","id":)"} + token + "}").first, -32600) << token;
    EXPECT_EQ(refusal(std::string{R"({"jsonrpc":"2.0","result":{},"id":)"} + token + "}").first, -32600) << token;
    auto text =
        std::string{R"({"jsonrpc":"2.0","method":"m","id":1,"params":{"_meta":{"progressToken":)"} + token + "}}}";
    EXPECT_EQ(read(text).reference, "") << token;
    EXPECT_EQ(read(text).text, text);
  }
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","method":"m","id":"\ud83d\ude00"})").id, "\"😀\"");
}

TEST(message, takes_an_id_or_a_token_up_to_1024_bytes) {
  for (std::size_t size : {1023u, 1024u, 1025u}) {
    std::string token = "\"" + std::string(size - 2, 'x') + "\"";
    auto good = size <= 1024;
    EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","method":"m","id":)" + token + "}").first, good ? 0 : -32600) << size;
    auto one = read(R"({"jsonrpc":"2.0","method":"m","id":1,"params":{"_meta":{"progressToken":)" + token + "}}}");
    EXPECT_EQ(one.reference, good ? token : "") << size;
  }
}

// A name with an escape prevents parsing in one pass.
TEST(message, is_the_same_whether_or_not_its_text_can_be_read_in_one_pass) {
  for (auto text : {R"("id":"a","method":"m","params":{"_meta":{"progressToken":7,"z":{}},"progressToken":8})",
                    R"("id":1,"method":"m","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"x"}})",
                    R"("id":1,"method":"m","params":{"_meta":5,"requestId":3})", R"("id":1,"method":"m","params":{})",
                    R"("method":"notifications/progress","params":{"progressToken":"t","requestId":3,"_meta":{}})",
                    R"("method":"notifications/cancelled","params":{"progressToken":"t","requestId":3})",
                    R"("method":"n","params":{"progressToken":"t","requestId":3,"_meta":{"progressToken":4}})",
                    R"("id":5,"result":{"_meta":{"progressToken":4}})", R"("error":{"code":1},"id":null)"}) {
    auto quick = read(R"({"jsonrpc":"2.0",)" + std::string{text} + "}");
    auto slow = read(R"({"jsonrpc":"2.0",)" + std::string{text} + R"(,"\u007a":0})");
    EXPECT_EQ(quick.kind, slow.kind) << text;
    EXPECT_EQ(quick.id, slow.id) << text;
    EXPECT_EQ(quick.method, slow.method) << text;
    EXPECT_EQ(quick.reference, slow.reference) << text;
    EXPECT_EQ(quick.claims_modern, slow.claims_modern) << text;
    EXPECT_EQ(quick.id_at.at, slow.id_at.at) << text;
    EXPECT_EQ(quick.reference_at.at, slow.reference_at.at) << text;
    EXPECT_EQ(quick.reference_at.size, slow.reference_at.size) << text;
  }
}

TEST(message, may_have_keys_twice_where_nobody_looks) {
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"requestId":1,"requestId":2}})"), (no{0, ""}));
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","method":"n","params":{"_meta":{},"_meta":{}}})"), (no{0, ""}));
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}})"), (no{0, ""}));
}

TEST(message, is_one_line_even_when_its_text_was_several) {
  EXPECT_EQ(read("{\r\n\"jsonrpc\":\"2.0\",\n\"method\":\"n\"\r}\n").text, R"({  "jsonrpc":"2.0", "method":"n" } )");
  EXPECT_EQ(read("{\r\n\"jsonrpc\":\"2.0\",\n\"\\u007a\":1,\"method\":\"n\"\r}\n").text,
            R"({  "jsonrpc":"2.0", "\u007a":1,"method":"n" } )");
}

} // namespace troupe::tests::message_test
