#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace troupe::net {

/// Feeds a Beast parser unread input; returns how many bytes the parser has read. A field of more than 64 KiB, for
/// which Beast throws, is reported as a header that is too long.
///
/// In a chunked body, input of `0`, CRLF and one more byte waits for the next. If this is the last chunk, more must
/// follow, and Beast asserts that it never sees so little without an earlier chunk.
template <class Parser>
std::size_t feed_parser(Parser& parser, std::string_view input, boost::system::error_code& error) {
  if (input.size() == 4 && input.starts_with("0\r\n") && parser.is_header_done() && parser.chunked()) {
    error = boost::beast::http::error::need_more;
    return 0;
  }
  try {
    return parser.put(boost::asio::buffer(input), error);
  } catch (const std::length_error&) {
    error = boost::beast::http::error::header_limit;
    return 0;
  }
}

/// Feeds a Beast parser, and erases from the input the bytes that the parser has read.
template <class Parser>
std::size_t feed_parser(Parser& parser, std::string& input, boost::system::error_code& error) {
  auto size = feed_parser(parser, std::string_view{input}, error);
  input.erase(0, size);
  return size;
}

} // namespace troupe::net
