#include "net/server/answer_writer.hpp"

#include <gtest/gtest.h>

#include <regex>

namespace troupe::tests::http_head_test {

using namespace net;

namespace {

/// The head without its current date.
std::string head_of(const protocol::http_response& answer, framing body, bool keep_alive) {
  return std::regex_replace(head_text(answer, body, keep_alive), std::regex{"Date: [^\r]*\r\n"}, "");
}

} // namespace

TEST(http_head, tells_the_length_of_a_body) {
  EXPECT_EQ(head_of({404, {{"Allow", "GET"}}, "none", "text/plain"}, framing::length, true),
            "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nAllow: GET\r\nContent-Length: 4\r\nConnection: "
            "keep-alive\r\n\r\n");
}

TEST(http_head, tells_that_there_is_no_body) {
  EXPECT_EQ(head_of({202, {}, {}}, framing::length, false),
            "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
}

TEST(http_head, tells_no_length_for_204_and_304) { // RFC 9110, 8.6
  EXPECT_EQ(head_of({204, {}, {}}, framing::length, true), "HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(head_of({304, {}, {}}, framing::length, true),
            "HTTP/1.1 304 Not Modified\r\nConnection: keep-alive\r\n\r\n");
}

TEST(http_head, has_constant_fields_behind_the_others) {
  EXPECT_EQ(head_of({200, {{"A", "b"}}, {}, {}, "C: d\r\nE: f"}, framing::until_close, true),
            "HTTP/1.1 200 OK\r\nA: b\r\nC: d\r\nE: f\r\nConnection: keep-alive\r\n\r\n");
}

TEST(http_head, tells_that_a_stream_comes_in_chunks) {
  EXPECT_EQ(head_of({200, {}, {}}, framing::chunked, true),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n");
}

TEST(http_head, tells_neither_when_a_stream_ends_with_its_connection) {
  EXPECT_EQ(head_of({200, {}, {}}, framing::until_close, false), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
}

TEST(http_head, has_a_date) { // RFC 9110, 5.6.7
  std::regex date{"\r\nDate: (Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d\\d [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT\r\n"};
  EXPECT_TRUE(std::regex_search(head_text({200, {}, {}}, framing::length, true), date));
}

TEST(http_head, writes_the_size_of_a_chunk_in_hexadecimal) {
  EXPECT_EQ(chunk_text("a"), "1\r\na\r\n");
  EXPECT_EQ(chunk_text(std::string(26, 'x')), "1a\r\n" + std::string(26, 'x') + "\r\n");
}

} // namespace troupe::tests::http_head_test
