#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace troupe::net {

/// Gives a Beast parser what has arrived and not been read; gives back how many bytes of it the parser has read. A
/// field of more than 64 KiB, for which Beast throws, is a header that is too long.
///
/// Of a chunked body, a `0`, the end of that line and one more byte wait for the next: if this is the last chunk, more
/// is to come, and Beast asserts that it never sees so few of that when there was no other.
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

/// The same, and takes from the input what the parser has read.
template <class Parser>
std::size_t feed_parser(Parser& parser, std::string& input, boost::system::error_code& error) {
  auto size = feed_parser(parser, std::string_view{input}, error);
  input.erase(0, size);
  return size;
}

} // namespace troupe::net
