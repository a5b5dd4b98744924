#include "net/server/request_input.hpp"

#include <gtest/gtest.h>

#include <boost/beast/http/error.hpp>
#include <memory>
#include <string>

namespace troupe::tests::request_reader_test {

using namespace net;

namespace {

const connection_limits limits;

const std::string post = "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello";

/// Feeds a text to a reader in pieces of that size.
std::unique_ptr<request_reader> read(std::string_view text, std::size_t piece) {
  auto result = std::make_unique<request_reader>(limits);
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    result->append(text.substr(0, piece));
    EXPECT_EQ(result->read(), boost::system::error_code{});
  }
  return result;
}

std::string field(request_reader& of, std::string_view name) { return std::string{of.request().field(name)}; }

} // namespace

TEST(request_reader, reads_the_same_in_pieces_of_any_size) {
  for (std::size_t piece = 1; piece <= post.size(); ++piece) {
    auto one = read(post, piece);
    ASSERT_TRUE(one->is_done()) << piece;
    EXPECT_EQ(one->request().method, "POST");
    EXPECT_EQ(one->request().target, "/mcp");
    EXPECT_EQ(field(*one, "host"), "x");
    EXPECT_EQ(one->request().body, "hello");
    EXPECT_EQ(one->unread(), 0u);
  }
}

TEST(request_reader, unfolds_a_field_of_several_lines) {
  for (std::size_t piece : {1u, 7u, 100u}) {
    auto one = read("GET / HTTP/1.1\r\nX-Long: one\r\n  two\r\n\tthree\r\nX-Empty:\r\nHost: x\r\n\r\n", piece);
    EXPECT_EQ(field(*one, "X-Long"), "one two three");
    EXPECT_EQ(field(*one, "X-Empty"), "");
    EXPECT_EQ(field(*one, "Host"), "x");
  }
}

TEST(request_reader, keeps_what_belongs_to_the_next_request) {
  auto one = read(post + "GET /sse HTTP/1.1\r\n", 1000);
  ASSERT_TRUE(one->is_done());
  EXPECT_EQ(one->unread(), 19u);
  one->append("Host: y\r\n\r\n");
  EXPECT_EQ(one->request().target, "/mcp");
  one->forget();
  EXPECT_EQ(one->read(), boost::system::error_code{});
  EXPECT_EQ(one->request().target, "/sse");
  EXPECT_EQ(field(*one, "Host"), "y");
  EXPECT_EQ(one->request().body, "");
}

TEST(request_reader, leaves_the_header_in_place_while_the_body_comes) {
  auto one = read(post.substr(0, post.size() - 4), 1000);
  EXPECT_TRUE(one->is_header_done());
  EXPECT_EQ(one->read_body("ell"), boost::system::error_code{});
  EXPECT_FALSE(one->is_done());
  EXPECT_EQ(one->read_body("oGET"), boost::system::error_code{});
  EXPECT_TRUE(one->is_done());
  EXPECT_EQ(one->request().body, "hello");
  EXPECT_EQ(field(*one, "Host"), "x");
  EXPECT_EQ(one->unread(), 3u);
}

TEST(request_reader, ignores_fields_behind_the_body) {
  auto one = read("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nHost: evil\r\n\r\n", 1);
  ASSERT_TRUE(one->is_done());
  EXPECT_EQ(one->request().body, "hi");
  EXPECT_EQ(field(*one, "Host"), "");
}

TEST(request_reader, forgets_a_long_request_for_good) {
  request_reader one{limits};
  one.append("GET /" + std::string(30'000, 'x') + " HTTP/1.1\r\n");
  for (int i = 0; i < 1000; ++i)
    one.append("a:b\r\n");
  one.append("\r\n");
  EXPECT_EQ(one.read(), boost::system::error_code{});
  EXPECT_EQ(one.request().fields.size(), 1000u);
  one.forget();
  EXPECT_EQ(one.request().target, "");
  EXPECT_EQ(one.request().fields.capacity(), 0u);
}

TEST(request_reader, refuses_a_coding_that_hides_the_end_of_the_body) {
  request_reader one{limits};
  one.append("POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n");
  EXPECT_EQ(one.read(), boost::system::errc::not_supported);
  request_reader old{limits};
  old.append("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(old.read(), boost::beast::http::error::bad_transfer_encoding);
}

} // namespace troupe::tests::request_reader_test
