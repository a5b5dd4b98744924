#pragma once

#include "net/client/http_call.hpp"

#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/http/parser.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::net {

/// Body whose pieces are taken away as they arrive. Beast's own bodies reserve the announced length.
struct body_pieces {
  using value_type = std::string;

  class reader {
  public:
    template <bool is_request, class Fields>
    reader(boost::beast::http::header<is_request, Fields>&, std::string& body) : body_{body} {}

    static void init(const boost::optional<std::uint64_t>&, boost::system::error_code& error) { error = {}; }
    static void finish(boost::system::error_code& error) { error = {}; }

    template <class Buffers>
    std::size_t put(const Buffers& buffers, boost::system::error_code& error) {
      error = {};
      auto before = body_.size();
      for (auto buffer : boost::beast::buffers_range_ref(buffers))
        body_.append(static_cast<const char*>(buffer.data()), buffer.size());
      return body_.size() - before;
    }

  private:
    std::string& body_;
  };
};

/// Parses one answer from bytes in pieces of any size, without I/O.
///
/// Holds no more than a head: the body that has arrived must be taken before the next piece.
class http_client_answer {
public:
  /// An answer to HEAD has no body, whatever its fields say.
  http_client_answer(std::size_t head_limit, bool is_to_head);

  /// Parses bytes. False when they are no answer, and then `why_not` says why.
  bool feed(std::string_view bytes);
  /// Notes that the connection ended. False when that is not the end of the answer.
  bool finish();

  const std::string& why_not() const { return why_not_; }
  /// Whether no byte has arrived yet.
  bool is_untouched() const { return is_untouched_; }
  bool has_head() const { return has_head_; }
  /// Returns the head once, when it is complete.
  std::optional<http_answer_head> take_head();
  /// Returns the part of the body that has arrived since the last call.
  std::string take_body();
  bool is_done() const { return is_done_; }
  /// Whether the connection may carry another call after the answer.
  bool keeps_alive() const { return keeps_alive_; }

private:
  using parser = boost::beast::http::response_parser<body_pieces>;

  bool parse();
  bool parse_head();
  bool parse_body();
  bool on_head();
  void expect_head();
  bool refuse(std::string why);

  std::size_t head_limit_;
  bool is_to_head_;
  std::optional<parser> parser_;
  std::string input_;
  std::size_t head_size_ = 0;
  std::optional<http_answer_head> head_;
  std::string why_not_;
  bool is_untouched_ = true;
  bool has_head_ = false;
  bool is_done_ = false;
  bool keeps_alive_ = false;
};

} // namespace troupe::net
