#include "protocol/access/issuer.hpp"

#include "protocol/text/json.hpp"
#include "protocol/text/url.hpp"

namespace troupe::protocol {

namespace {

/// Returns why a URL is unusable; empty when it is usable. Plain HTTP could be changed or read on the way (2025-11-25,
/// authorization, "Communication Security").
std::string why_not_used(const std::string& url, std::string_view issuer) {
  std::string why_not;
  if (url.empty())
    return {};
  auto to = parse_http_url(url, why_not);
  if (!to)
    return "its metadata has a URL that cannot be used: " + why_not;
  auto from = parse_http_url(issuer, why_not);
  return from && from->is_secure && !to->is_secure ? "its metadata has a URL that is not https" : "";
}

} // namespace

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

std::optional<std::string> document_search::next() {
  if (place_ < urls_.size())
    return std::move(urls_[place_++]);
  end();
  return std::nullopt;
}

std::string metadata_problem(std::string_view text, std::string_view issuer) {
  if (!is_json_object(text))
    return "is no JSON object";
  return same_uri(string_member(text, {"issuer"}), issuer) ? "" : "names another issuer";
}

bool is_at_named_place(const std::string& url, const std::string& named) {
  std::string why_not;
  const auto to = parse_http_url(url, why_not), from = parse_http_url(named, why_not);
  return to && from && to->host == from->host && to->port == from->port;
}

std::variant<issuer_metadata, std::string> read_issuer_metadata(std::string_view text, std::string_view issuer) {
  if (auto problem = metadata_problem(text, issuer); !problem.empty())
    return "its metadata " + problem;
  issuer_metadata result{string_member(text, {"jwks_uri"}), string_member(text, {"introspection_endpoint"}),
                         string_member(text, {"token_endpoint"})};
  for (auto* url : {&result.keys_url, &result.introspection_url, &result.token_url})
    if (auto why = why_not_used(*url, issuer); !why.empty())
      return why;
  if (result.keys_url.empty() && result.introspection_url.empty())
    return "its metadata names neither keys nor an introspection endpoint";
  return result;
}

std::variant<std::string, bad_metadata> read_token_endpoint(std::string_view text, std::string_view issuer) {
  if (auto problem = metadata_problem(text, issuer); !problem.empty())
    return bad_metadata{"its metadata " + problem};
  auto url = string_member(text, {"token_endpoint"});
  if (url.empty())
    return bad_metadata{"its metadata names no token endpoint"};
  if (auto why = why_not_used(url, issuer); !why.empty())
    return bad_metadata{why};
  std::string why_not;
  if (auto to = parse_http_url(url, why_not); !to || !to->is_confidential())
    return bad_metadata{"its metadata has a URL that is not https"};
  return url;
}

} // namespace troupe::protocol
