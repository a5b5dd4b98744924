#pragma once

#include "protocol/http/http.hpp"

#include <boost/beast/http/basic_parser.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::net {

/// Beast's parser of one request, which leaves the header where it stands and copies only the body.
///
/// The header's parts are kept as places in the buffer that is parsed, counted from its beginning: the buffer may be
/// moved to other memory while the header is incomplete.
class request_parser final : public boost::beast::http::basic_parser<true> {
public:
  /// A part of the header, in bytes from the beginning of the buffer.
  struct place {
    std::uint32_t at = 0;
    std::uint32_t size = 0;
  };
  struct field_place {
    place name;
    place value;
  };

  /// The fields and the body go where is told, which outlives this. Fields that come after the body have that many
  /// bytes together at most.
  request_parser(std::vector<field_place>& fields, std::string& body, std::size_t most_behind)
      : fields_{fields}, body_{body}, most_behind_{most_behind} {}

  /// Where the buffer is now. Belongs before each `put` until the header is done.
  void set_buffer(std::span<char> buffer) { buffer_ = buffer; }
  /// The parts of a header that is done, as views into the buffer as it lies now.
  void describe(protocol::http_request& to) const;
  unsigned version() const { return version_; }

private:
  using error_code = boost::system::error_code;
  using text = boost::beast::string_view;
  place place_of(text part) const;
  bool is_in_buffer(text part) const;
  void count_trailer(std::size_t bytes, error_code& error);
  std::string_view view_of(place part) const { return {buffer_.data() + part.at, part.size}; }

  void on_request_impl(boost::beast::http::verb, text method, text target, int version, error_code& error) override;
  void on_response_impl(int, text, int, error_code&) override {}
  void on_field_impl(boost::beast::http::field, text name, text value, error_code& error) override;
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>& size, error_code& error) override;
  std::size_t on_body_impl(text bytes, error_code& error) override;
  void on_chunk_header_impl(std::uint64_t, text, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, text bytes, error_code& error) override;
  void on_finish_impl(error_code&) override {}

  std::vector<field_place>& fields_;
  std::string& body_;
  std::size_t most_behind_;
  std::span<char> buffer_;
  place method_;
  place target_;
  unsigned version_ = 0;
};

} // namespace troupe::net
