#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_suffix.hpp>
#include <boost/system/error_code.hpp>
#include <string>
#include <vector>

namespace troupe::net {

/// Writes to a non-blocking socket or pipe what the kernel takes at once, which needs no operation, and gives what is
/// left of the texts. An error shows itself again in the operation that writes the rest.
template <class Stream>
boost::beast::buffers_suffix<std::vector<boost::asio::const_buffer>>
write_at_once(Stream& to, const std::vector<std::string>& texts) {
  std::vector<boost::asio::const_buffer> buffers;
  buffers.reserve(texts.size());
  for (auto& text : texts)
    buffers.emplace_back(boost::asio::buffer(text));
  boost::system::error_code ignored;
  auto sent = to.write_some(buffers, ignored);
  boost::beast::buffers_suffix<std::vector<boost::asio::const_buffer>> rest{buffers};
  rest.consume(sent);
  return rest;
}

} // namespace troupe::net
