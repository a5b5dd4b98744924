#include "deploy/log/log_line.hpp"

#include "tests/support/full_access_record.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace troupe::tests::access_line_test {

using namespace deploy;
using namespace std::chrono_literals;

namespace {

std::string access_json(const access_record& record) {
  std::string result = "before ";
  append_access_json(result, record);
  EXPECT_TRUE(result.starts_with("before "));
  return result.substr(7);
}

std::string access_text(const access_record& record) {
  std::string result = "before ";
  append_access_text(result, record);
  EXPECT_TRUE(result.starts_with("before "));
  return result.substr(7);
}

bool is_one_line(const std::string& text) {
  return std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

} // namespace

TEST(access_line, has_every_field_in_json) {
  EXPECT_EQ(
      access_json(tests::full_access_record()),
      R"({"time":"2023-11-14T22:13:20.007Z","request_id":"00112233445566ff","client":"10.0.0.9",)"
      R"("principal":"ada","principal.issuer":"key","http.method":"POST","http.path":"/servers/files/mcp","http.status":200,)"
      R"("mcp.session.id":"s1a2b3c4","mcp.method.name":"tools/call","gen_ai.tool.name":"read",)"
      R"("server":"files","error.type":"tool_error","duration_ms":12.045,"server_duration_ms":11.003,)"
      R"("bytes_in":120,"bytes_out":4096,"trace_id":"0af7651916cd43dd8448eb211c80319c"})");
}

TEST(access_line, has_every_field_as_text) {
  EXPECT_EQ(
      access_text(tests::full_access_record()),
      "2023-11-14T22:13:20.007Z access request_id=00112233445566ff client=10.0.0.9 principal=ada principal.issuer=key "
      "http.method=POST http.path=/servers/files/mcp http.status=200 mcp.session.id=s1a2b3c4 "
      "mcp.method.name=tools/call gen_ai.tool.name=read server=files error.type=tool_error duration_ms=12.045 "
      "server_duration_ms=11.003 bytes_in=120 bytes_out=4096 trace_id=0af7651916cd43dd8448eb211c80319c");
}

TEST(access_line, leaves_out_what_is_empty) {
  EXPECT_EQ(access_json({}), R"({"time":"1970-01-01T00:00:00.000Z","duration_ms":0.000,"bytes_in":0,"bytes_out":0})");
  EXPECT_EQ(access_text({}), "1970-01-01T00:00:00.000Z access duration_ms=0.000 bytes_in=0 bytes_out=0");
}

TEST(access_line, lets_no_field_break_a_line_or_a_quote) {
  const std::string hostile = "x\r\n\"}{\"time\":\"\\ \x1b[31m\u2028<script>\xff";
  const std::string shown = R"(x\u000d\n\"}{\"time\":\"\\ \u001b[31m\u2028<script>\ufffd)";
  for (auto field : {&access_record::request, &access_record::client, &access_record::caller,
                     &access_record::http_method, &access_record::path, &access_record::session, &access_record::method,
                     &access_record::tool, &access_record::server, &access_record::error, &access_record::trace}) {
    access_record record;
    record.*field = hostile;
    EXPECT_NE(access_json(record).find(":\"" + shown + '"'), std::string::npos) << access_json(record);
    EXPECT_NE(access_text(record).find("=\"" + shown + '"'), std::string::npos) << access_text(record);
    EXPECT_TRUE(is_one_line(access_json(record)) && is_one_line(access_text(record)));
  }
}

TEST(access_line, cuts_a_value_that_is_longer_than_1024_bytes) {
  for (auto [size, seen] : {std::pair{1024, std::string(1024, 'x')}, {1025, std::string(1024, 'x') + "..."}})
    EXPECT_NE(access_json({.path = std::string(static_cast<std::size_t>(size), 'x')}).find('"' + seen + '"'),
              std::string::npos);
}

TEST(access_line, has_room_for_the_longest_of_everything) {
  const std::string long_text(1025, 'x'), long_escapes(1025, '"');
  for (auto& text : {long_text, long_escapes}) {
    access_record record{.status = 999,
                         .total = 9'223'372'036'854'775'807us,
                         .in_server = 9'223'372'036'854'775'807us,
                         .bytes_in = 18'446'744'073'709'551'615U,
                         .bytes_out = 18'446'744'073'709'551'615U};
    for (auto field :
         {&access_record::request, &access_record::client, &access_record::caller, &access_record::http_method,
          &access_record::path, &access_record::session, &access_record::method, &access_record::tool,
          &access_record::server, &access_record::error, &access_record::trace})
      record.*field = text;
    const auto line = access_json(record);
    EXPECT_NE(line.find(R"("duration_ms":9223372036854775.807,"server_duration_ms":9223372036854775.807,)"), line.npos);
    EXPECT_NE(line.find(R"("bytes_in":18446744073709551615,"bytes_out":18446744073709551615,"trace_id":")"), line.npos);
    EXPECT_TRUE(line.ends_with("...\"}"));
  }
}

TEST(access_line, has_times_from_before_1970_and_with_three_decimals) {
  access_record record{.at = std::chrono::system_clock::time_point{-1ms}, .total = 7us};
  EXPECT_TRUE(access_text(record).starts_with("1969-12-31T23:59:59.999Z access duration_ms=0.007 "));
}

} // namespace troupe::tests::access_line_test
