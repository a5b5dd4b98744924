#include "tests/support/redis_caller.hpp"

namespace troupe::tests::redis_protocol_test {

using namespace net;
using namespace std::string_literals;

namespace {

/// The replies in a text that arrives in pieces, and the error that ends it.
std::string read(std::string_view text, std::size_t piece = 1'000'000, std::size_t longest = 1'000'000) {
  redis_reader reader{longest};
  std::string result;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    reader.feed(text.substr(at, piece));
    while (auto reply = reader.next())
      result += text_of(*reply) + ";";
  }
  return result + reader.why_not();
}

} // namespace

TEST(redis_protocol, writes_a_command_with_any_bytes) {
  EXPECT_EQ(wire_text({"SET", "a b", "\r\n\0"s}), "*3\r\n$3\r\nSET\r\n$3\r\na b\r\n$3\r\n\r\n\0\r\n"s);
  EXPECT_EQ(wire_text({"GET", ""}), "*2\r\n$3\r\nGET\r\n$0\r\n\r\n");
}

TEST(redis_protocol, reads_every_kind_of_reply_in_pieces_of_any_size) {
  auto text =
      "+OK\r\n:-7\r\n$-1\r\n*-1\r\n$0\r\n\r\n$4\r\na\r\nb\r\n-ERR no\r\n*3\r\n:1\r\n*2\r\n$1\r\nx\r\n$-1\r\n*0\r\n"s;
  for (std::size_t piece = 1; piece <= text.size(); ++piece)
    EXPECT_EQ(read(text, piece), "'OK';-7;nil;nil;'';'a\r\nb';error ERR no;[1 ['x' nil] []];") << piece;
}

TEST(redis_protocol, says_in_one_line_what_is_no_reply) {
  EXPECT_NE(read("HTTP/1.1 400 Bad Request\r\n"), "");
  EXPECT_EQ(read("+OK\r\n\x01\n").substr(0, 5), "'OK';");
  EXPECT_EQ(read("\x01\n").find('\n'), std::string::npos);
}

TEST(redis_protocol, reads_no_reply_that_is_too_long) {
  auto bulk = [](std::size_t size) { return "$" + std::to_string(size) + "\r\n" + std::string(size, 'x'); };
  auto size = bulk(1000).size();
  EXPECT_EQ(read(bulk(1000), 1, size + 1), "");
  EXPECT_EQ(read(bulk(1000), 1, size), "");
  EXPECT_EQ(read(bulk(1000), 1, size - 1), "the reply is too long");
  EXPECT_EQ(read("*3\r\n:1\r\n:2\r\n:3\r\n", 1, 16), "[1 2 3];");
  EXPECT_EQ(read("*4\r\n", 1, 12), "");
  EXPECT_EQ(read("*5\r\n", 1, 12), "the reply is too long");
  EXPECT_EQ(read("*1\r\n*2147483647\r\n"), "the reply is too long");
  std::string many;
  for (auto i = 0; i < 1000; ++i)
    many += "+OK\r\n";
  EXPECT_EQ(read(many, 7, 7).size(), 5000u);
}

} // namespace troupe::tests::redis_protocol_test
