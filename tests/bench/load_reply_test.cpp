#include "tests/bench/load_reply.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace troupe::bench {

namespace {

constexpr std::string_view plain = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMCP-SESSION-ID: one\r\n"
                                   "content-length: 5\r\n\r\nhello";
constexpr std::string_view chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                     "5\r\nhello\r\n10;x=y\r\n, this is longer\r\n0\r\n\r\n";

bool give(reply& to, std::string_view bytes) {
  std::copy(bytes.begin(), bytes.end(), to.room(bytes.size()));
  return to.wrote(bytes.size());
}

/// Feeds the bytes in two parts, cut at each position in turn.
void expect_whole_however_it_comes(std::string_view bytes, std::string_view body) {
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    reply seen;
    EXPECT_FALSE(give(seen, bytes.substr(0, cut))) << cut;
    EXPECT_TRUE(give(seen, bytes.substr(cut))) << cut;
    EXPECT_EQ(seen.body(), body) << cut;
  }
}

} // namespace

TEST(reply, is_whole_with_its_last_byte_however_it_comes) {
  expect_whole_however_it_comes(plain, "hello");
  expect_whole_however_it_comes(chunked, "hello, this is longer");
}

TEST(reply, knows_its_status_and_headers_in_whatever_case) {
  reply seen;
  give(seen, plain);
  EXPECT_EQ(seen.status(), 200);
  EXPECT_EQ(seen.header("mcp-session-id"), "one");
  EXPECT_EQ(seen.header("mcp-session"), "");
  EXPECT_FALSE(seen.is_stream());
}

TEST(reply, without_a_length_has_no_body) {
  reply seen;
  EXPECT_TRUE(give(seen, "HTTP/1.1 202 Accepted\r\n\r\n"));
  EXPECT_EQ(seen.body(), "");
}

TEST(reply, is_another_one_once_it_was_cleared) {
  reply seen;
  give(seen, chunked);
  seen.clear();
  EXPECT_TRUE(give(seen, plain));
  EXPECT_EQ(seen.body(), "hello");
}

TEST(reply, that_is_a_stream_forgets_what_was_seen_of_it) {
  reply seen;
  const auto rest = chunked.find("10;");
  EXPECT_FALSE(give(seen, chunked.substr(0, rest)));
  EXPECT_EQ(seen.body(), "hello");
  seen.drop_body();
  EXPECT_TRUE(give(seen, chunked.substr(rest)));
  EXPECT_EQ(seen.body(), ", this is longer");
}

} // namespace troupe::bench
