#include "net/client/http_client_answer.hpp"

#include "net/feed_parser.hpp"

#include <boost/beast/http/error.hpp>
#include <limits>
#include <utility>

namespace troupe::net {

namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

constexpr auto switching_protocols = 101;

bool is_interim(int status) { return status < 200; }

} // namespace

http_client_answer::http_client_answer(std::size_t head_limit, bool is_to_head)
    : head_limit_{head_limit}, is_to_head_{is_to_head} {
  expect_head();
}

/// Prepares for a head. Interim answers count towards the one limit, so that they cannot go on for ever.
void http_client_answer::expect_head() {
  parser_.emplace();
  parser_->header_limit(std::numeric_limits<std::uint32_t>::max());
  parser_->body_limit(boost::none);
  parser_->skip(is_to_head_);
}

bool http_client_answer::feed(std::string_view bytes) {
  is_untouched_ = is_untouched_ && bytes.empty();
  input_ += bytes;
  return parse();
}

bool http_client_answer::finish() {
  if (is_done_)
    return true;
  if (!has_head_ || !parser_->need_eof() || parser_->chunked())
    return refuse(is_untouched_ ? "the server closed the connection without an answer"
                                : "the server closed the connection before the end of its answer");
  is_done_ = true;
  return true;
}

std::optional<http_answer_head> http_client_answer::take_head() { return std::exchange(head_, std::nullopt); }

std::string http_client_answer::take_body() { return has_head_ ? std::exchange(parser_->get().body(), {}) : ""; }

bool http_client_answer::parse() {
  while (!has_head_ && !input_.empty()) {
    auto before = input_.size();
    if (!parse_head())
      return false;
    if (!has_head_ && input_.size() == before)
      return true;
  }
  return !has_head_ || parse_body();
}

bool http_client_answer::parse_head() {
  error_code error;
  head_size_ += feed_parser(*parser_, input_, error);
  if (head_size_ + (parser_->is_header_done() ? 0 : input_.size()) > head_limit_)
    return refuse("the head of the server's answer has more than " + std::to_string(head_limit_) + " bytes");
  if (error && error != http::error::need_more)
    return refuse("the server's answer is not HTTP: " + error.message());
  return !parser_->is_header_done() || on_head();
}

/// Takes the head before the body is read: trailers, which come after it, are no header fields (RFC 9110, 6.5.1).
bool http_client_answer::on_head() {
  auto& message = parser_->get();
  auto status = static_cast<int>(message.result_int());
  if (status == switching_protocols)
    return refuse("the server wants to speak another protocol");
  if (is_interim(status)) {
    expect_head();
    return true;
  }
  if (message.count(http::field::transfer_encoding) != 0 && !parser_->chunked())
    return refuse("the server's answer has a transfer coding that we do not know");
  has_head_ = true;
  keeps_alive_ = parser_->keep_alive();
  auto& head = head_.emplace();
  head.status = status;
  for (auto& field : message)
    head.fields.emplace_back(std::string{field.name_string()}, std::string{field.value()});
  parser_->eager(true);
  return true;
}

/// Parses the body. Input that is left is the beginning of a chunk, or trailers; after the end it belongs to no answer.
bool http_client_answer::parse_body() {
  error_code error;
  if (!parser_->is_done() && !input_.empty())
    feed_parser(*parser_, input_, error);
  if (error && error != http::error::need_more)
    return refuse("the body of the server's answer is not HTTP: " + error.message());
  is_done_ = parser_->is_done();
  if (is_done_ && !input_.empty())
    return refuse("the server's answer goes on after its end");
  return input_.size() <= head_limit_ || refuse("the server's answer has a chunk or a trailer that is too long");
}

bool http_client_answer::refuse(std::string why) {
  why_not_ = std::move(why);
  keeps_alive_ = false;
  return false;
}

} // namespace troupe::net
