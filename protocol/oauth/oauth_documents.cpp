#include "protocol/oauth/oauth_documents.hpp"

#include "protocol/text/host_port.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/url.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

std::vector<std::string> string_array(std::string_view object, std::string_view name) {
  std::vector<std::string> result;
  const auto token = find_member(object, {name});
  if (!token || !token->starts_with('['))
    return result;
  for (array_reader elements{*token}; elements.next();)
    if (auto text = string_value(elements.value()))
      result.push_back(std::move(*text));
  return result;
}

constexpr std::string_view methods_of_pkce = "code_challenge_methods_supported";

bool has_word(const std::vector<std::string>& all, std::string_view word) {
  return std::find(all.begin(), all.end(), word) != all.end();
}

std::string why_no_pkce(std::string_view metadata, bool is_assumed) {
  if (has_word(string_array(metadata, methods_of_pkce), "S256"))
    return "";
  if (find_member(metadata, {methods_of_pkce}).value_or("null") != "null")
    return "the authorization server says that it supports PKCE without S256";
  return is_assumed ? ""
                    : "the authorization server does not say that it supports PKCE with S256; --assume-pkce logs in "
                      "all the same";
}

/// RFC 8414, 2; what is not told is taken for what most have.
std::string proof_of_registered(const std::vector<std::string>& proofs) {
  if (proofs.empty() || has_word(proofs, "none"))
    return "none";
  return has_word(proofs, "client_secret_basic") || !has_word(proofs, "client_secret_post") ? "client_secret_basic"
                                                                                            : "client_secret_post";
}

std::string path_of_target(std::string_view target) { return std::string{target.substr(0, target.find('?'))}; }

std::string without_last_slash(std::string path) {
  if (path.ends_with('/'))
    path.pop_back();
  return path;
}

/// RFC 9728, 3.3; a document may be about all that is below a path.
bool is_about(const std::string& resource, const std::string& server_url) {
  std::string why_not;
  const auto one = parse_http_url(resource, why_not), server = parse_http_url(server_url, why_not);
  if (!one || !server || one->origin() != server->origin())
    return false;
  const auto above = without_last_slash(path_of_target(one->target)) + "/";
  return (path_of_target(server->target) + "/").starts_with(above);
}

} // namespace

bool is_safe_url(const std::string& url, const std::string& server_url) {
  std::string why_not;
  const auto to = parse_http_url(url, why_not), server = parse_http_url(server_url, why_not);
  return to && server && (to->is_secure || (is_loopback(to->host) && is_loopback(server->host)));
}

std::vector<std::string> resource_document_urls(const std::string& server_url, const bearer_challenge& told) {
  std::vector<std::string> result;
  const auto add = [&](const std::string& url) {
    if (std::find(result.begin(), result.end(), url) == result.end())
      result.push_back(url);
  };
  if (!told.metadata_url.empty() && is_safe_url(told.metadata_url, server_url))
    add(told.metadata_url);
  std::string why_not;
  const auto server = parse_http_url(server_url, why_not);
  if (!server)
    return result;
  const auto root = server->origin() + "/.well-known/oauth-protected-resource";
  add(root + without_last_slash(path_of_target(server->target)));
  add(root);
  return result;
}

std::variant<resource_document, oauth_problem> read_resource_document(std::string_view text,
                                                                      const std::string& server_url) {
  if (!is_json_object(text))
    return oauth_problem{"the document about the server is no JSON object"};
  resource_document result{string_member(text, {"resource"}), {}, string_array(text, "scopes_supported")};
  if (!is_about(result.resource, server_url))
    return oauth_problem{"the document about the server is about another resource"};
  result.issuers = string_array(text, "authorization_servers");
  if (result.issuers.empty())
    return oauth_problem{"the document about the server names no authorization server"};
  std::erase_if(result.issuers, [&](auto& one) { return !is_safe_url(one, server_url); });
  if (result.issuers.empty())
    return oauth_problem{"the document about the server names an authorization server that is not https"};
  return result;
}

resource_document assumed_resource(const std::string& server_url) {
  std::string why_not;
  const auto server = parse_http_url(server_url, why_not);
  if (!server)
    return {{}, {server_url}, {}};
  return {server->origin() + without_last_slash(path_of_target(server->target)), {server->origin()}, {}};
}

std::variant<authorization_server, oauth_problem> read_authorization_server(std::string_view text,
                                                                            const std::string& issuer,
                                                                            const std::string& server_url,
                                                                            bool assumes_pkce) {
  if (!is_json_object(text))
    return oauth_problem{"the authorization server's metadata is no JSON object"};
  if (!same_uri(string_member(text, {"issuer"}), issuer))
    return oauth_problem{"the authorization server's metadata names another issuer"};
  const auto proofs = string_array(text, "token_endpoint_auth_methods_supported");
  authorization_server result{.issuer = issuer,
                              .authorization_url = string_member(text, {"authorization_endpoint"}),
                              .token_url = string_member(text, {"token_endpoint"}),
                              .registration_url = string_member(text, {"registration_endpoint"})};
  result.names_itself = find_member(text, {"authorization_response_iss_parameter_supported"}) == "true";
  result.has_offline_access = has_word(string_array(text, "scopes_supported"), "offline_access");
  result.registered_proof = proof_of_registered(proofs);
  const auto grants = string_array(text, "grant_types_supported");
  result.has_refresh_tokens = grants.empty() || has_word(grants, "refresh_token");
  result.takes_secret_in_form = has_word(proofs, "client_secret_post") && !has_word(proofs, "client_secret_basic");
  for (const auto* url : {&result.authorization_url, &result.token_url})
    if (!is_safe_url(*url, server_url))
      return oauth_problem{"the authorization server's metadata lacks a URL, or has one that is not https"};
  if (const auto why = why_no_pkce(text, assumes_pkce); !why.empty())
    return oauth_problem{why};
  return result;
}

std::variant<authorization_server, oauth_problem> assumed_server(const std::string& issuer,
                                                                 const std::string& server_url) {
  if (!is_safe_url(issuer, server_url))
    return oauth_problem{"the authorization server is not https"};
  const auto base = canonical_uri(issuer);
  return authorization_server{.issuer = issuer,
                              .authorization_url = base + "/authorize",
                              .token_url = base + "/token",
                              .registration_url = base + "/register"};
}

} // namespace troupe::protocol
