// Any HTTP request is an MCP request, a probe, or is refused with a status.

#include "net/server/request_input.hpp"
#include "protocol/http/entry.hpp"
#include "protocol/http/stateless_request.hpp"
#include "protocol/message/era.hpp"
#include "tests/fuzz/fuzzer.hpp"

#include <algorithm>

using namespace troupe::protocol;
using namespace troupe::fuzz;

namespace {

using troupe::net::request_reader;

const troupe::net::connection_limits limits{.body = 1 << 20};

/// Whether a complete request was read.
bool read(request_reader& by, std::string_view text, std::size_t piece) {
  boost::system::error_code error;
  in_pieces(text, piece, [&](std::string_view bytes) {
    if (by.is_done() || error)
      return;
    by.append(bytes);
    error = by.read();
  });
  return by.is_done();
}

/// Compares requests that were read in different pieces.
bool are_same(const http_request& a, const http_request& b) {
  auto is_same = [](const http_field& one, const http_field& other) {
    return one.name == other.name && one.value == other.value;
  };
  return a.method == b.method && a.target == b.target && a.body == b.body &&
         std::ranges::equal(a.fields, b.fields, is_same);
}

struct checked {
  void operator()(const rejection& why) const {
    require(why.status >= 400 && why.status < 600 && !why.text.empty(), "a refusal has a status and says why");
    auto answer = rejection_response(why);
    require(!json_error(answer.body), "a refusal is JSON");
  }
  void operator()(const post_request& post) const { check(post.body); }
  void operator()(const sse_post_request& post) const { check(post.body); }
  void operator()(const stateless_post& one) const {
    require(is_request(one.request) && !json_error(one.request.text), "what is to be answered is a request");
    require(one.envelope.version == newest_stateless_version, "a version that is served");
    require(one.envelope.affinity.size() <= longest_affinity, "an affinity within its limit");
  }
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
  request_reader whole{limits};
  request_reader pieces{limits};
  const bool complete = read(whole, from.rest(), from.rest().size());
  require(complete == read(pieces, from.rest(), piece), "pieces make the same request");
  if (!complete)
    return 0;
  require(are_same(whole.request(), pieces.request()), "and all of it");
  const access_rules access{
      .host = "gateway.example", .allow_origins = {"https://app.example"}, .shows_state = true, .has_metadata = true};
  auto& request = whole.request();
  cross_origin_fields(request, access);
  auto entered = enter(request, access);
  std::visit(checked{}, entered);
  if (auto* at = std::get_if<mcp_request>(&entered))
    std::visit(checked{}, parse_request(request, std::move(*at)));
  return 0;
}
