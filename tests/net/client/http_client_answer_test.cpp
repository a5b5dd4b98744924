#include "net/client/http_client_answer.hpp"

#include "tests/support/waiting.hpp"

#include <random>

namespace troupe::tests::http_client_answer_test {

using namespace net;

namespace {

/// Feeds the text in pieces of the given sizes. Returns `status body`, `...` if it is incomplete, or the reason of its
/// refusal.
std::string seen(std::string_view text, const std::function<std::size_t()>& piece_size, std::size_t limit = 1000,
                 bool is_to_head = false) {
  http_client_answer one{limit, is_to_head};
  std::string body;
  std::string status;
  while (!text.empty() && !one.is_done()) {
    auto piece = text.substr(0, piece_size());
    text.remove_prefix(piece.size());
    if (!one.feed(piece))
      return one.why_not();
    if (auto head = one.take_head())
      status += std::to_string(head->status) + " ";
    body += one.take_body();
  }
  return status + body + (one.is_done() ? "" : "...");
}

std::string seen(std::string_view text) {
  return seen(text, [&] { return text.size(); });
}

constexpr std::string_view chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const std::string too_long_head = "the head of the server's answer has more than 100 bytes";

std::string head_of_size(std::size_t size) {
  std::string begin = "HTTP/1.1 204 \r\nX: ";
  return begin + std::string(size - begin.size() - 4, 'x') + "\r\n\r\n";
}

} // namespace

// -- end of an answer ----------------------------------------------------------------------

TEST(http_client_answer, ends_where_its_length_says) {
  EXPECT_EQ(seen("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"), "200 abc");
  EXPECT_EQ(seen("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab"), "200 ab...");
  EXPECT_EQ(seen("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"), "202 ");
}

TEST(http_client_answer, ends_with_its_last_chunk_and_the_trailer) {
  auto text = std::string{chunked} + "3;x=y\r\nabc\r\n1\r\nd\r\n0\r\nX: y\r\n\r\n";
  EXPECT_EQ(seen(text), "200 abcd");
  text.resize(text.size() - 1);
  EXPECT_EQ(seen(text), "200 abcd...");
}

TEST(http_client_answer, is_the_same_in_pieces_of_any_size) {
  auto text = "HTTP/1.1 100 Continue\r\n\r\n" + std::string{chunked};
  std::string body;
  for (auto size : {1u, 2u, 15u, 16u, 17u, 255u, 4096u}) {
    std::string data(size, static_cast<char>('a' + size % 26));
    std::array<char, 10> digits;
    text.append(digits.data(), static_cast<std::size_t>(std::snprintf(digits.data(), 10, "%X", size)));
    text += "\r\n" + data + "\r\n";
    body += data;
  }
  text += "0\r\nT: u\r\n\r\n";
  EXPECT_EQ(seen(text, [] { return 1; }), "200 " + body);
  std::mt19937 random{1};
  for (auto round = 0; round < 200; ++round)
    EXPECT_EQ(seen(text, [&] { return 1 + random() % 40; }), "200 " + body) << round;
}

TEST(http_client_answer, ends_with_the_connection_when_it_says_nothing_of_its_length) {
  http_client_answer one{1000, false};
  EXPECT_TRUE(one.feed("HTTP/1.1 200 OK\r\n\r\nab"));
  EXPECT_TRUE(one.feed("c"));
  EXPECT_EQ(one.take_body(), "abc");
  EXPECT_FALSE(one.is_done());
  EXPECT_TRUE(one.finish());
  EXPECT_TRUE(one.is_done());
  EXPECT_FALSE(one.keeps_alive());
}

TEST(http_client_answer, is_incomplete_when_the_connection_ends_before_it) {
  for (std::string text : {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", "HTTP/1.1 200 OK\r\n", "H",
                           "HTTP/1.1 100 Continue\r\n\r\n"}) {
    http_client_answer one{1000, false};
    EXPECT_TRUE(one.feed(text));
    EXPECT_FALSE(one.finish());
    EXPECT_EQ(one.why_not(), "the server closed the connection before the end of its answer") << text;
  }
  http_client_answer cut{1000, false};
  EXPECT_TRUE(cut.feed(std::string{chunked} + "3\r\nabc\r\n"));
  EXPECT_FALSE(cut.finish());
}

TEST(http_client_answer, says_when_there_was_none) {
  http_client_answer one{1000, false};
  EXPECT_TRUE(one.is_untouched());
  EXPECT_FALSE(one.finish());
  EXPECT_EQ(one.why_not(), "the server closed the connection without an answer");
}

TEST(http_client_answer, has_no_body_when_it_is_204_304_or_to_HEAD) {
  EXPECT_EQ(seen("HTTP/1.1 204 No Content\r\n\r\n"), "204 ");
  EXPECT_EQ(seen("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"), "304 ");
  std::string_view to_head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
  EXPECT_EQ(seen(
                to_head, [&] { return to_head.size(); }, 1000, true),
            "200 ");
}

TEST(http_client_answer, comes_after_interim_ones) { // RFC 9110, 15.2
  EXPECT_EQ(seen("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 \r\n\r\n"),
            "204 ");
  EXPECT_EQ(seen("HTTP/1.1 101 Switching Protocols\r\n\r\n"), "the server wants to speak another protocol");
}

// -- keep-alive ----------------------------------------------------------------------------

TEST(http_client_answer, keeps_the_connection_unless_it_says_otherwise) { // RFC 9112, 9.3
  auto keeps = [](const std::string& text) {
    http_client_answer one{1000, false};
    EXPECT_TRUE(one.feed(text));
    EXPECT_TRUE(one.is_done());
    return one.keeps_alive();
  };
  EXPECT_TRUE(keeps("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
  EXPECT_TRUE(keeps("HTTP/1.1 204 \r\n\r\n"));
  EXPECT_FALSE(keeps("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"));
  EXPECT_FALSE(keeps("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n"));
  EXPECT_TRUE(keeps("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n"));
}

// -- limits --------------------------------------------------------------------------------

TEST(http_client_answer, has_a_head_that_is_no_longer_than_its_limit) {
  for (auto piece : {1u, 7u, 1000u}) {
    auto size = [&] { return piece; };
    EXPECT_EQ(seen(head_of_size(99), size, 100), "204 ");
    EXPECT_EQ(seen(head_of_size(100), size, 100), "204 ");
    EXPECT_EQ(seen(head_of_size(101), size, 100), too_long_head);
  }
}

TEST(http_client_answer, has_a_head_that_ends_before_its_limit) {
  auto begun = head_of_size(1000);
  EXPECT_EQ(seen(
                begun.substr(0, 100), [] { return 1000; }, 100),
            "...");
  EXPECT_EQ(seen(
                begun.substr(0, 101), [] { return 1000; }, 100),
            too_long_head);
}

TEST(http_client_answer, is_not_preceded_by_interim_ones_without_end) {
  std::string text;
  for (auto i = 0; i < 10; ++i)
    text += "HTTP/1.1 100 \r\n\r\n";
  EXPECT_EQ(seen(
                text, [] { return 17; }, 100),
            too_long_head);
}

TEST(http_client_answer, has_no_endless_trailer_and_no_endless_chunk_size) {
  auto why = "the server's answer has a chunk or a trailer that is too long";
  EXPECT_EQ(seen(
                std::string{chunked} + "0\r\nX: " + std::string(100, 'x'), [] { return 50; }, 100),
            why);
  EXPECT_EQ(seen(
                std::string{chunked} + "1;x=" + std::string(100, 'x'), [] { return 50; }, 100),
            why);
}

TEST(http_client_answer, is_refused_with_a_field_of_64_kibibytes) {
  auto field = "X:" + std::string(65'534, 'x') + "\r\n\r\n";
  auto whole = [] { return std::size_t{200'000}; };
  EXPECT_EQ(seen("HTTP/1.1 200 OK\r\n" + field, whole, 100'000),
            "the server's answer is not HTTP: header limit exceeded");
  EXPECT_EQ(seen(std::string{chunked} + "0\r\n" + field, whole, 100'000),
            "the body of the server's answer is not HTTP: header limit exceeded");
}

TEST(http_client_answer, reserves_nothing_for_what_its_length_promises) {
  EXPECT_EQ(seen("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nab"), "200 ab...");
  EXPECT_EQ(seen(std::string{chunked} + "7fffffffffffffff\r\nab"), "200 ab...");
}

// -- invalid answers -----------------------------------------------------------------------

TEST(http_client_answer, is_refused_when_it_is_not_http) {
  for (std::string text :
       {"\r\n\r\n\r\n\r\n\r\n", "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 20\r\n\r\n",
        "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 200 OK\r\nno field\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551616\r\n\r\n"})
    EXPECT_TRUE(seen(text).starts_with("the server's answer is not HTTP: ")) << text << seen(text);
  EXPECT_TRUE(seen(std::string{chunked} + "xyz\r\n").starts_with("the body of the server's answer is not HTTP: "));
  EXPECT_TRUE(
      seen(std::string{chunked} + "1\r\nabcdef\r\n").starts_with("the body of the server's answer is not HTTP: "));
}

TEST(http_client_answer, is_refused_when_it_has_an_unknown_transfer_coding) {
  EXPECT_EQ(seen("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nabc"),
            "the server's answer has a transfer coding that we do not know");
}

TEST(http_client_answer, is_refused_when_more_comes_with_its_end) {
  auto why = "the server's answer goes on after its end";
  EXPECT_EQ(seen("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nabHTTP/1.1 200 OK"), why);
  EXPECT_EQ(seen("HTTP/1.1 204 \r\n\r\nHTTP/1.1 204 \r\n\r\n"), why);
}

TEST(http_client_answer, survives_whatever_comes) {
  std::mt19937 random{7};
  auto text = std::string{chunked} + "3;x=y\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\nX: y\r\n\r\n";
  for (auto round = 0; round < 20'000; ++round) {
    auto broken = text;
    for (auto i = random() % 4; i-- > 0;)
      broken[random() % broken.size()] = static_cast<char>(random());
    EXPECT_FALSE(seen(broken, [&] { return 1 + random() % 60; }).empty());
  }
}

} // namespace troupe::tests::http_client_answer_test
