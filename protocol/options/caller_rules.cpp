#include "protocol/options/caller_rules.hpp"

#include "protocol/text/host_port.hpp"
#include "protocol/text/url.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

/// Secrets are sent there.
std::string fault_of_issuer_url(std::string_view text) {
  std::string why_not;
  auto url = parse_http_url(text, why_not);
  if (!url)
    return why_not;
  return url->is_secure || is_loopback(url->host) ? "" : "must be https, unless it is on this machine";
}

/// RFC 6749, 3.3
bool is_scope_word(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f' && c != '"' && c != '\\'; });
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

} // namespace troupe::protocol
