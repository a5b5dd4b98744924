// Whatever arrives at the door is a request of MCP, a probe, or refused with a status.

#include "net/feed_parser.hpp"
#include "protocol/http/http.hpp"
#include "tests/fuzz/fuzzer.hpp"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

using namespace troupe::protocol;
using namespace troupe::fuzz;

namespace {

namespace http = boost::beast::http;
using parser = http::request_parser<http::string_body>;

std::string_view view_of(boost::beast::string_view text) { return {text.data(), text.size()}; }

/// Whether a whole request was read.
bool read(parser& by, std::string_view text, std::size_t piece) {
  by.eager(true);
  by.body_limit(1 << 20);
  std::string unread;
  boost::system::error_code error;
  in_pieces(text, piece, [&](std::string_view bytes) {
    if (by.is_done() || (error && error != http::error::need_more))
      return;
    unread += bytes;
    troupe::net::feed_parser(by, unread, error);
  });
  return by.is_done();
}

http_request describe(parser& by) {
  auto& from = by.get();
  http_request result{view_of(from.method_string()), view_of(from.target()), {}, std::move(from.body())};
  for (auto& field : from)
    result.fields.push_back({view_of(field.name_string()), view_of(field.value())});
  return result;
}

struct checked {
  void operator()(const rejection& why) const {
    require(why.status >= 400 && why.status < 600 && !why.text.empty(), "a refusal has a status and says why");
    auto answer = rejection_response(why);
    require(!json_error(answer.body), "a refusal is JSON");
  }
  void operator()(const wants_post& post) const { check(post.body); }
  void operator()(const wants_sse_post& post) const { check(post.body); }
  template <class Other>
  void operator()(const Other&) const {}

  static void check(const post_body& body) {
    require(!body.messages.empty(), "a POST has a message");
    for (auto& one : body.messages)
      require(!json_error(one.text), "a message is JSON");
  }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  input from{bytes, size};
  const auto piece = from.number();
  parser whole;
  parser pieces;
  const bool complete = read(whole, from.rest(), from.rest().size());
  require(complete == read(pieces, from.rest(), piece), "pieces make the same request");
  if (!complete)
    return 0;
  const access_rules access{.host = "gateway.example", .allow_origins = {"https://app.example"}, .shows_state = true};
  auto request = describe(whole);
  cross_origin_fields(request, access);
  std::visit(checked{}, parse_request(request, access));
  return 0;
}
