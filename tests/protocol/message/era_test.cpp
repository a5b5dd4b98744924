#include "protocol/message/era.hpp"
#include "tests/support/protocol_effects.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace troupe::tests::era_test {

using namespace protocol;

namespace {

post_body body(std::string text) { return std::get<post_body>(read_body(std::move(text))); }

rejection unsupported(std::string id) {
  return {400, -32000, "Unsupported protocol version (supported versions: 2025-11-25, 2025-06-18, 2025-03-26)",
          std::move(id)};
}

const std::string plain = R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})";

std::string enveloped(std::string version) {
  return R"({"jsonrpc":"2.0","id":"x","method":"tools/list","params":{"_meta":{)"
         R"("io.modelcontextprotocol/protocolVersion":)" +
         version + "}}}";
}

} // namespace

TEST(era, knows_the_revisions_that_begin_with_initialize) {
  for (auto version : {"2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"})
    EXPECT_TRUE(is_session_version(version)) << version;
  for (auto version : {"", "2025-03-27", "2026-07-28", "1.0", "2025-11-25 ", "2025-11-2", "DRAFT-2025-11-25"})
    EXPECT_FALSE(is_session_version(version)) << version;
}

TEST(era, is_modern_from_2026_07_28_on) {
  EXPECT_FALSE(is_modern_version("2025-11-25"));
  EXPECT_FALSE(is_modern_version("2026-07-27"));
  EXPECT_TRUE(is_modern_version("2026-07-28"));
  EXPECT_TRUE(is_modern_version("2026-07-29"));
  EXPECT_TRUE(is_modern_version("9999-12-31"));
  for (auto garbage : {"", "v999.0.0", "latest", "2026-07-280", "2026-7-28", "2027", "zzzz-zz-zz", "2026/07/28"})
    EXPECT_FALSE(is_modern_version(garbage)) << garbage;
}

// 2025-11-25, transports, "Protocol Version Header"
TEST(era, refuses_an_unsupported_version_with_the_text_that_clients_look_for) {
  for (auto version : {"2026-07-28", "v999.0.0", "1.0", "2025-11-25, 2025-06-18", "2025-11-26"}) {
    EXPECT_EQ(refuse_version(version), unsupported("")) << version;
    EXPECT_EQ(refuse_era(version, body(plain)), unsupported("7")) << version;
  }
}

// 2025-11-25, transports, "Protocol Version Header"
TEST(era, takes_an_absent_version) {
  EXPECT_EQ(refuse_version(""), std::nullopt);
  EXPECT_EQ(refuse_era("", body(plain)), std::nullopt);
}

// 2025-11-25, transports, "Protocol Version Header"
TEST(era, takes_any_version_with_sessions) {
  for (auto version : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    EXPECT_EQ(refuse_version(version), std::nullopt) << version;
    EXPECT_EQ(refuse_era(version, body(plain)), std::nullopt) << version;
  }
}

TEST(era, refuses_a_request_with_the_modern_envelope_whatever_the_header_says) {
  for (auto header : {"", "2025-11-25", "2026-07-28"})
    for (auto version : {"\"2026-07-28\"", "\"2025-11-25\"", "1", "null", "{}"})
      EXPECT_EQ(refuse_era(header, body(enveloped(version))), unsupported("\"x\"")) << header << ' ' << version;
}

TEST(era, refuses_a_batch_that_holds_a_modern_request) {
  EXPECT_EQ(refuse_era("", body("[" + plain + "," + enveloped("\"2026-07-28\"") + "]")), unsupported("\"x\""));
}

TEST(era, refuses_a_batch_of_an_unsupported_version_without_an_id) {
  EXPECT_EQ(refuse_era("2026-07-28", body("[" + plain + "]")), unsupported(""));
}

TEST(era, refuses_a_response_without_an_id_since_its_id_is_no_request_of_the_client) {
  EXPECT_EQ(refuse_era("2026-07-28", body(R"({"jsonrpc":"2.0","id":3,"result":{}})")), unsupported(""));
}

} // namespace troupe::tests::era_test
