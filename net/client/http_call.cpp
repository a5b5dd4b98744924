#include "net/client/http_call.hpp"

#include "protocol/text/http_syntax.hpp"
#include "protocol/text/url.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <array>

namespace troupe::net {

namespace {

constexpr auto user_agent = "troupe/" TROUPE_VERSION;

/// RFC 9110, 5.5: a tab is the only control character in a value.
constexpr auto value_bytes = [] {
  std::array<bool, 256> result{};
  for (std::size_t c = 0; c < result.size(); ++c)
    result[c] = (c >= ' ' || c == '\t') && c != 0x7f;
  return result;
}();

bool is_value(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return value_bytes[c]; });
}

/// Whether only the client may set a field: it frames the message, or controls the connection.
bool is_framing(std::string_view name) {
  constexpr std::string_view ours[] = {"Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Upgrade",
                                       "Expect",         "Trailer",           "TE"};
  return std::ranges::any_of(ours, [&](auto one) { return protocol::same_word(one, name); });
}

std::string what_is_wrong(const http_call& what) {
  if (!protocol::is_http_token(what.method) || protocol::same_word(what.method, "CONNECT"))
    return "the request has no good method";
  for (auto& [name, value] : what.fields) {
    if (!protocol::is_http_token(name))
      return "the request has a field with no good name";
    if (!is_value(value))
      return "the request's field " + name + " has a control character in its value";
    if (is_framing(name))
      return "the request's field " + name + " is not for the caller to say";
  }
  return {};
}

bool has_field(const http_fields& fields, std::string_view name) {
  return std::ranges::any_of(fields, [&](auto& one) { return protocol::same_word(one.first, name); });
}

void add_field(std::string& to, std::string_view name, std::string_view value) {
  to.append(name).append(": ").append(value).append("\r\n");
}

void add_unless_given(std::string& to, const http_fields& given, std::string_view name, std::string_view value) {
  if (!has_field(given, name))
    add_field(to, name, value);
}

/// Whether to send a length: methods for which a body is expected send 0 without one (RFC 9110, 8.6).
bool tells_length(const http_call& what) {
  return !what.body.empty() || what.method == "POST" || what.method == "PUT" || what.method == "PATCH";
}

} // namespace

std::string_view http_answer_head::field(std::string_view name) const {
  auto found = std::ranges::find_if(fields, [&](auto& one) { return protocol::same_word(one.first, name); });
  return found == fields.end() ? std::string_view{} : found->second;
}

std::string request_head(const http_call& what, const protocol::http_url& to, std::string& why_not) {
  why_not = what_is_wrong(what);
  if (!why_not.empty())
    return {};
  std::string head;
  head.append(what.method).append(" ").append(to.target).append(" HTTP/1.1\r\n");
  add_unless_given(head, what.fields, "Host", to.authority());
  add_unless_given(head, what.fields, "User-Agent", user_agent);
  for (auto& [name, value] : what.fields)
    add_field(head, name, value);
  if (tells_length(what))
    add_field(head, "Content-Length", std::to_string(what.body.size()));
  add_field(head, "Connection", "keep-alive");
  return head += "\r\n";
}

} // namespace troupe::net
