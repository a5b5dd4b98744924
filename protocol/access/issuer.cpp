#include "protocol/access/issuer.hpp"

#include "protocol/text/json.hpp"
#include "protocol/text/string_member.hpp"
#include "protocol/text/url.hpp"

namespace troupe::protocol {

std::vector<std::string> metadata_urls(std::string_view issuer) {
  std::string why_not;
  auto url = parse_http_url(issuer, why_not);
  if (!url)
    return {};
  auto path = url->target;
  while (path.ends_with('/'))
    path.pop_back();
  const auto root = url->origin();
  const std::string oauth = "/.well-known/oauth-authorization-server", openid = "/.well-known/openid-configuration";
  if (path.empty())
    return {root + oauth, root + openid};
  return {root + oauth + path, root + openid + path, root + path + openid};
}

std::variant<issuer_metadata, std::string> read_issuer_metadata(std::string_view text, std::string_view issuer) {
  if (json_error(text) || !trimmed(text).starts_with('{'))
    return "its metadata is no JSON object";
  if (string_member(text, {"issuer"}) != issuer)
    return "its metadata names another issuer";
  issuer_metadata result{string_member(text, {"jwks_uri"}), string_member(text, {"introspection_endpoint"}),
                         string_member(text, {"token_endpoint"})};
  std::string why_not;
  for (auto* url : {&result.keys_url, &result.introspection_url, &result.token_url})
    if (!url->empty() && !parse_http_url(*url, why_not))
      return "its metadata has a URL that cannot be used: " + why_not;
  if (result.keys_url.empty() && result.introspection_url.empty())
    return "its metadata names neither keys nor an introspection endpoint";
  return result;
}

} // namespace troupe::protocol
