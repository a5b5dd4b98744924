#include "protocol/options/server_rules.hpp"

#include "protocol/text/http_syntax.hpp"
#include "protocol/text/url.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <cstddef>

namespace troupe::protocol {

namespace {

/// Secrets are sent to this URL.
std::string fault_of_issuer_url(std::string_view text) {
  std::string why_not;
  auto url = parse_http_url(text, why_not);
  if (!url)
    return why_not;
  return url->is_confidential() ? "" : "must be https, unless it is on this machine";
}

/// Whether a text is a scope (RFC 6749, 3.3).
bool is_scope_word(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f' && c != '"' && c != '\\'; });
}

constexpr std::size_t longest_server_name = 64;

bool is_digit(unsigned char c) { return c >= '0' && c <= '9'; }
bool is_alphanumeric(unsigned char c) { return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); }
bool is_control(unsigned char c) { return c < 0x20 || c == 0x7f; }

/// Whether the text is not empty, and consists of alphanumerics and these others.
bool consists_of(std::string_view text, std::string_view others) {
  return !text.empty() && std::ranges::all_of(text, [=](unsigned char c) {
    return is_alphanumeric(c) || others.find(static_cast<char>(c)) != std::string_view::npos;
  });
}

/// Counts UTF-8 characters by their first bytes.
std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](unsigned char c) { return (c & 0xc0) != 0x80; }));
}

} // namespace

std::string fault_of_needs(const caller_needs& of) {
  if (!of.is_told && !of.exchanges)
    return {};
  const std::string what = of.is_told ? "is told who asks (`${principal.…}`)" : "is shown a token of each caller";
  if (!of.has_one_caller)
    return what + ", which takes `sharing` `session` or `principal`";
  if (!of.knows_callers)
    return what + ", but nobody has to say who he is: that takes keys, an issuer or certificates";
  if (of.exchanges && !of.knows_tokens)
    return "is shown a token of each caller, in exchange for his own: that takes an issuer";
  return {};
}

std::string fault_of_grant(const grant_words& of) {
  if (of.issuer.empty() == of.endpoint.empty())
    return "has tokens of either an issuer or a token endpoint";
  if (auto why = fault_of_issuer_url(of.issuer.empty() ? of.endpoint : of.issuer); !why.empty())
    return "has a URL where its tokens are granted that cannot be used: " + why;
  if (of.client_id.empty() || of.client_secret.empty())
    return "has tokens that are granted to a client with an id and a secret";
  if (!std::ranges::all_of(of.scopes, is_scope_word))
    return "has a scope of its tokens that is no word without quotes and backslashes";
  if (std::string why_not; of.resource && !of.resource->empty() && !parse_http_url(*of.resource, why_not))
    return "has a resource of its tokens that is no URL: " + why_not;
  return of.has_own_header ? "has both an `Authorization` among its headers and tokens" : "";
}

bool is_variable_name(std::string_view name) {
  return !name.empty() && name.find_first_of(std::string_view("=\0", 2)) == std::string_view::npos;
}

bool is_header_name(std::string_view name) { return is_http_token(name); }

bool is_own_header(std::string_view name) {
  constexpr std::string_view own[] = {"accept",
                                      "accept-encoding",
                                      "connection",
                                      "content-encoding",
                                      "content-type",
                                      "content-length",
                                      "expect",
                                      "host",
                                      "keep-alive",
                                      "last-event-id",
                                      "mcp-method",
                                      "mcp-name",
                                      "mcp-param-",
                                      "mcp-protocol-version",
                                      "mcp-session-id",
                                      "proxy-connection",
                                      "te",
                                      "trailer",
                                      "transfer-encoding",
                                      "upgrade"};
  const auto typed = lower(name);
  return std::ranges::any_of(own,
                             [&](auto one) { return typed == one || (one.ends_with('-') && typed.starts_with(one)); });
}

bool is_header_value(std::string_view value) {
  return std::ranges::none_of(value, [](unsigned char c) { return is_control(c) && c != '\t'; });
}

bool is_path_segment(std::string_view name) {
  // `.` and `..` would be removed from a normalised path.
  return !name.empty() && name != "." && name != ".." &&
         std::ranges::none_of(name, [](unsigned char c) { return is_control(c) || c == '/'; });
}

bool is_server_name(std::string_view name) { return is_path_segment(name) && characters(name) <= longest_server_name; }

bool is_prefix(std::string_view text) { return text.size() <= longest_server_name && consists_of(text, "_-"); }

} // namespace troupe::protocol
