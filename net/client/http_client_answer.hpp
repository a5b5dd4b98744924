#pragma once

#include "net/client/http_call.hpp"

#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/http/parser.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::net {

/// A body of which pieces are taken away as they come. Beast's own bodies reserve what the length promises.
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

/// Reads one answer from bytes that come in pieces of any size: facts in, what it has learnt out.
///
/// Holds no more than a head: what has come of the body is to be taken before the next piece.
class http_client_answer {
public:
  /// An answer to HEAD has no body, whatever its fields say.
  http_client_answer(std::size_t head_limit, bool is_to_head);

  /// False when this is no answer, and then `why_not` says why.
  bool feed(std::string_view bytes);
  /// The connection ended. False when that is not the end of the answer.
  bool finish();

  const std::string& why_not() const { return why_not_; }
  /// Whether not a single byte has come.
  bool is_untouched() const { return is_untouched_; }
  bool has_head() const { return has_head_; }
  /// Once, when it is there.
  std::optional<http_answer_head> take_head();
  /// What has come of the body since.
  std::string take_body();
  bool is_done() const { return is_done_; }
  /// Whether the connection may carry another call once this is done.
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
