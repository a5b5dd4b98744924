#include "net/server/request_parser.hpp"

#include <algorithm>
#include <boost/beast/http/error.hpp>
#include <functional>

namespace troupe::net {

namespace {

/// Of a body whose size is announced, so much is made room for before it arrives.
constexpr std::size_t most_reserved = 64 * 1024;

/// What is added to a message on its way: ids of ours, the end of its line.
constexpr std::size_t room_for_ids = 64;

} // namespace

void request_parser::describe(protocol::http_request& to) const {
  to.method = view_of(method_);
  to.target = view_of(target_);
  to.fields.clear();
  for (auto& [name, value] : fields_)
    to.fields.push_back({view_of(name), view_of(value)});
}

request_parser::place request_parser::place_of(text part) const {
  return {static_cast<std::uint32_t>(part.data() - buffer_.data()), static_cast<std::uint32_t>(part.size())};
}

bool request_parser::is_in_buffer(text part) const {
  return std::greater_equal<>{}(part.data(), buffer_.data()) &&
         std::less<>{}(part.data(), buffer_.data() + buffer_.size());
}

void request_parser::on_request_impl(boost::beast::http::verb, text method, text target, int version, error_code&) {
  method_ = place_of(method);
  target_ = place_of(target);
  version_ = static_cast<unsigned>(version);
  fields_.clear();
}

/// Fields that come after the body, as trailers, are no header fields (RFC 9110, 6.5.1). A value that was folded over
/// lines (RFC 9112, 5.2) is unfolded in memory of the parser's own. It is shorter than it stood, so it fits there.
void request_parser::on_field_impl(boost::beast::http::field, text name, text value, error_code& error) {
  if (is_header_done())
    return count_trailer(name.size() + value.size(), error);
  auto name_at = place_of(name);
  if (is_in_buffer(value) || value.empty())
    return fields_.push_back({name_at, value.empty() ? place{} : place_of(value)});
  place unfolded{name_at.at + name_at.size + 1, static_cast<std::uint32_t>(value.size())};
  std::copy(value.begin(), value.end(), buffer_.begin() + unfolded.at);
  fields_.push_back({name_at, unfolded});
}

void request_parser::count_trailer(std::size_t bytes, error_code& error) {
  if (bytes > most_behind_)
    error = boost::beast::http::error::header_limit;
  else
    most_behind_ -= bytes;
}

void request_parser::on_body_init_impl(const boost::optional<std::uint64_t>& size, error_code&) {
  if (size && *size != 0)
    body_.reserve(std::min<std::size_t>(*size, most_reserved) + room_for_ids);
}

std::size_t request_parser::on_body_impl(text bytes, error_code&) {
  body_.append(bytes.data(), bytes.size());
  return bytes.size();
}

std::size_t request_parser::on_chunk_body_impl(std::uint64_t, text bytes, error_code& error) {
  return on_body_impl(bytes, error);
}

} // namespace troupe::net
