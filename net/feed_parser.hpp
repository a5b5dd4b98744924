#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace troupe::net {

/// Gives a Beast parser what has arrived, and takes from that what it has read: so many bytes. A field of more than
/// 64 KiB, for which Beast throws, is a header that is too long.
///
/// Of a chunked body, a `0`, the end of that line and one more byte wait for the next: if this is the last chunk, more
/// is to come, and Beast asserts that it never sees so few of that when there was no other.
template <class Parser>
std::size_t feed_parser(Parser& parser, std::string& input, boost::system::error_code& error) {
  if (input.size() == 4 && input.starts_with("0\r\n") && parser.is_header_done() && parser.chunked()) {
    error = boost::beast::http::error::need_more;
    return 0;
  }
  std::size_t size = 0;
  try {
    size = parser.put(boost::asio::buffer(input), error);
  } catch (const std::length_error&) {
    error = boost::beast::http::error::header_limit;
  }
  input.erase(0, size);
  return size;
}

} // namespace troupe::net
