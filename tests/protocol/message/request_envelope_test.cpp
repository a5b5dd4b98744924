// The client's description in a 2026-07-28 request.

#include "protocol/message/request_envelope.hpp"
#include "tests/support/protocol_effects.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace troupe::tests::request_envelope_test {

using namespace protocol;

namespace {

std::variant<request_envelope, rejection> read(const std::string& params) {
  return read_envelope(gateway_message(R"({"jsonrpc":"2.0","id":"i","method":"tools/list")" +
                                       (params.empty() ? "" : ",\"params\":" + params) + "}"));
}

std::string with_meta(const std::string& members) { return R"({"_meta":{)" + members + "}}"; }

const std::string version = R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")";
const std::string capabilities = R"("io.modelcontextprotocol/clientCapabilities":{})";

std::string with_level(const std::string& token) {
  return with_meta(version + "," + capabilities + R"(,"io.modelcontextprotocol/logLevel":)" + token);
}

request_envelope envelope_of(const std::string& params) {
  auto result = read(params);
  EXPECT_TRUE(std::holds_alternative<request_envelope>(result)) << params;
  return std::get<request_envelope>(result);
}

/// The reason of a refusal; empty for a valid request.
std::string fault_of(const std::string& params) {
  auto result = read(params);
  auto* why = std::get_if<rejection>(&result);
  if (!why)
    return {};
  EXPECT_EQ(why->status, 400);
  EXPECT_EQ(why->code, -32602);
  EXPECT_EQ(why->id, "\"i\"");
  const std::string begin = "Invalid params: ";
  EXPECT_EQ(why->text.substr(0, begin.size()), begin);
  return why->text.substr(begin.size());
}

} // namespace

// 2026-07-28, schema, "RequestMeta"
TEST(request_envelope, is_the_version_and_what_the_client_can_be_asked) {
  EXPECT_EQ(envelope_of(with_meta(version + "," + capabilities)), (request_envelope{.version = "2026-07-28"}));
  EXPECT_EQ(envelope_of(with_meta(R"("io.modelcontextprotocol/clientCapabilities":{"roots":{}},)" + version)),
            (request_envelope{.version = "2026-07-28", .can = {.roots = true}}));
}

TEST(request_envelope, may_have_whatever_else_and_whatever_version) {
  EXPECT_EQ(
      envelope_of(with_meta(R"("progressToken":1,"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},)"
                            R"("traceparent":"00",)" +
                            capabilities + R"(,"io.modelcontextprotocol/protocolVersion":"v1")")),
      (request_envelope{.version = "v1"}));
}

// 2026-07-28, logging, "Log Levels"
TEST(request_envelope, has_the_level_of_log_messages_that_the_request_wants) {
  EXPECT_EQ(envelope_of(with_level(R"("warning")")).log_level, severity::warning);
  EXPECT_EQ(envelope_of(with_meta(version + "," + capabilities)).log_level, std::nullopt);
  for (auto token : {R"("Warning")", R"("")", "3", "null", "{}"})
    EXPECT_EQ(fault_of(with_level(token)),
              R"(params._meta["io.modelcontextprotocol/logLevel"] must be a level of severity, such as "info")")
        << token;
}

TEST(request_envelope, is_refused_without_meta) {
  for (auto params : {"", "{}", R"({"_meta":null})", R"({"_meta":[]})", R"({"_meta":"{}"})"})
    EXPECT_EQ(fault_of(params), "params._meta must be an object; each request of 2026-07-28 has one") << params;
}

TEST(request_envelope, is_refused_without_a_version_or_capabilities_of_the_right_type) {
  const std::string no_version = R"(params._meta["io.modelcontextprotocol/protocolVersion"] must be a string: )"
                                 "the version of the protocol that the request speaks";
  const std::string no_capabilities =
      R"(params._meta["io.modelcontextprotocol/clientCapabilities"] must be an object: )"
      "what the client is capable of, or {}";
  for (auto& [members, fault] : std::vector<std::pair<std::string, std::string>>{
           {"", no_version},
           {capabilities, no_version},
           {R"("io.modelcontextprotocol/protocolVersion":20260728,)" + capabilities, no_version},
           {R"("io.modelcontextprotocol/protocolVersion":null,)" + capabilities, no_version},
           {version, no_capabilities},
           {version + R"(,"io.modelcontextprotocol/clientCapabilities":null)", no_capabilities},
           {version + R"(,"io.modelcontextprotocol/clientCapabilities":[])", no_capabilities},
           {version + R"(,"io.modelcontextprotocol/clientCapabilities":"{}")", no_capabilities}})
    EXPECT_EQ(fault_of(with_meta(members)), fault) << members;
}

TEST(request_envelope, is_refused_when_a_member_is_there_twice) {
  EXPECT_EQ(fault_of(with_meta(version + "," + capabilities + "," + capabilities)),
            R"(params._meta["io.modelcontextprotocol/clientCapabilities"] is there twice)");
  EXPECT_EQ(
      fault_of(with_meta(version + "," + capabilities + R"(,"io.modelcontextprotocol/client\u0043apabilities":{})")),
      R"(params._meta["io.modelcontextprotocol/clientCapabilities"] is there twice)");
}

TEST(request_envelope, leaves_what_the_header_says_empty) {
  auto read = envelope_of(with_meta(version + "," + capabilities));
  EXPECT_TRUE(read.arguments.empty());
  EXPECT_EQ(read.affinity, "");
}

} // namespace troupe::tests::request_envelope_test
