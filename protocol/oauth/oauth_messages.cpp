#include "protocol/oauth/oauth_messages.hpp"

#include "protocol/access/issuer.hpp"
#include "protocol/grants/token_grant.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/url.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

std::vector<std::string> string_array(std::string_view object, std::string_view name) {
  std::vector<std::string> result;
  for (array_reader elements{find_member(object, {name}).value_or("")}; elements.next();)
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

/// Chooses how a registered client authenticates (RFC 8414, 2); `none` without a list, as most servers support it.
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

/// True if a document is about the server (RFC 9728, 3.3); it may be about all paths below its own.
bool is_about(const std::string& resource, const std::string& server_url) {
  std::string why_not;
  const auto one = parse_http_url(resource, why_not), server = parse_http_url(server_url, why_not);
  if (!one || !server || one->origin() != server->origin())
    return false;
  const auto above = without_last_slash(path_of_target(one->target)) + "/";
  return (path_of_target(server->target) + "/").starts_with(above);
}

/// Makes a form in which the client authenticates as it is registered (RFC 6749, 2.3.1).
oauth_form client_form(const kept_login& of, url_parameters form) {
  oauth_form result{of.token_url, {{"Content-Type", "application/x-www-form-urlencoded"}}, {}};
  if (of.client_secret.empty() || of.secret_in_form)
    form.add("client_id", of.client_id).add("client_secret", of.client_secret);
  else
    result.fields.emplace_back("Authorization", basic_authorization(of.client_id, of.client_secret));
  result.body = form.release();
  return result;
}

std::string words_of_error(std::string_view body) {
  if (!is_json_object(body))
    return "";
  const auto code = string_member(body, {"error"}), text = string_member(body, {"error_description"});
  return (code.empty() ? "" : ": " + one_line(code, 64)) + (text.empty() ? "" : ", " + one_line(text));
}

std::optional<std::string> form_decoded(std::string text) {
  std::replace(text.begin(), text.end(), '+', ' ');
  return percent_decoded(text);
}

} // namespace

bool is_safe_url(const std::string& url, const std::string& server_url) {
  std::string why_not;
  const auto to = parse_http_url(url, why_not), server = parse_http_url(server_url, why_not);
  return to && server && (to->is_secure || (to->is_here() && server->is_here()));
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
  if (auto problem = metadata_problem(text, issuer); !problem.empty())
    return oauth_problem{"the authorization server's metadata " + problem};
  const auto proofs = string_array(text, "token_endpoint_auth_methods_supported");
  authorization_server result{.issuer = issuer,
                              .authorization_url = string_member(text, {"authorization_endpoint"}),
                              .token_url = string_member(text, {"token_endpoint"}),
                              .registration_url = string_member(text, {"registration_endpoint"})};
  result.names_itself = find_member(text, {"authorization_response_iss_parameter_supported"}) == "true";
  result.has_offline_access = has_word(string_array(text, "scopes_supported"), offline_access);
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

std::string authorization_request_url(const authorization_server& server, const kept_login& of,
                                      const login_secrets& secrets) {
  const auto words = words_in(of.scope, " ");
  const auto is_offline = std::find(words.begin(), words.end(), offline_access) != words.end();
  url_parameters query;
  query.add("response_type", "code").add("client_id", of.client_id).add("redirect_uri", of.redirect_url);
  query.add("code_challenge", secrets.challenge).add("code_challenge_method", "S256").add("state", secrets.state);
  // OpenID Connect Core 1.0, 11: offline access is granted with the user's consent only
  query.add("scope", of.scope).add("resource", of.resource).add("prompt", is_offline ? "consent" : "");
  return server.authorization_url + (server.authorization_url.find('?') == std::string::npos ? '?' : '&') +
         query.release();
}

oauth_form code_form(const kept_login& of, std::string_view code, std::string_view verifier) {
  url_parameters form;
  form.add("grant_type", "authorization_code").add("code", code).add("code_verifier", verifier);
  form.add("redirect_uri", of.redirect_url).add("resource", of.resource);
  return client_form(of, std::move(form));
}

oauth_form refresh_form(const kept_login& of) {
  url_parameters form;
  form.add("grant_type", "refresh_token").add("refresh_token", of.refresh_token).add("resource", of.resource);
  return client_form(of, std::move(form));
}

oauth_form registration_form(const authorization_server& server, const std::string& redirect_url,
                             const std::string& scope) {
  auto body = R"({"client_name":"Troupe","application_type":"native","redirect_uris":[)" + quoted(redirect_url) +
              R"(],"grant_types":["authorization_code")" + (server.has_refresh_tokens ? R"(,"refresh_token")" : "") +
              R"(],"response_types":["code"],"token_endpoint_auth_method":)" + quoted(server.registered_proof);
  if (!scope.empty())
    body += R"(,"scope":)" + quoted(scope);
  return {server.registration_url, {{"Content-Type", "application/json"}}, body + "}"};
}

std::string read_registration(int status, std::string_view body, kept_login& into) {
  if (!is_success(status))
    return "the authorization server registers no clients (HTTP " + std::to_string(status) + words_of_error(body) + ")";
  if (!is_json_object(body))
    return "the authorization server's answer to the registration is no JSON object";
  const auto proof = string_member(body, {"token_endpoint_auth_method"});
  if (!proof.empty() && proof != "none" && proof != "client_secret_basic" && proof != "client_secret_post")
    return "the authorization server registers clients to show who they are by " + one_line(proof, 64) +
           ", which is not possible here: give the id of one with --client-id";
  into.client_id = string_member(body, {"client_id"});
  into.client_secret = proof == "none" ? std::string{} : string_member(body, {"client_secret"});
  into.secret_in_form = proof == "client_secret_post";
  return into.client_id.empty() ? "the authorization server registered a client without an id" : "";
}

/// Keeps the refresh token unless there is a new one (RFC 6749, 6). An expiry that is not stated is unknown.
std::string read_tokens(int status, std::string_view body, std::int64_t now, kept_login& into) {
  auto read = read_grant_answer(status, body);
  if (const auto* why = std::get_if<std::string>(&read))
    return "the authorization server gives no token: " + *why;
  auto& granted = std::get<granted_token>(read);
  into.access_token = std::move(granted.text);
  into.expires = granted.is_life_told ? now + granted.life.count() : 0;
  if (auto fresh = string_member(body, {"refresh_token"}); !fresh.empty())
    into.refresh_token = std::move(fresh);
  if (auto scope = string_member(body, {"scope"}); !scope.empty())
    into.scope = std::move(scope);
  return "";
}

login_return read_login_return(std::string_view query) {
  login_return result;
  auto once = [&](std::string_view name) {
    std::vector<std::string> found;
    for (auto pair : words_in(query, "&"))
      if (const auto equals = pair.find('='); equals != pair.npos && pair.substr(0, equals) == name)
        found.emplace_back(pair.substr(equals + 1));
    auto value = found.size() == 1 ? form_decoded(std::move(found.front())) : std::nullopt;
    result.is_unclear = result.is_unclear || (!value && !found.empty());
    return std::move(value).value_or("");
  };
  result.state = once("state");
  result.code = once("code");
  result.error = once("error");
  result.issuer = once("iss");
  return result;
}

std::variant<std::string, oauth_problem> code_of(const login_return& from, const authorization_server& server) {
  if (from.is_unclear)
    return oauth_problem{"the browser came back with a parameter that is there twice or cannot be read"};
  if (from.issuer.empty() && server.names_itself)
    return oauth_problem{"the browser came back without the issuer that the authorization server promises to name"};
  if (!from.issuer.empty() && !same_uri(from.issuer, server.issuer))
    return oauth_problem{"the browser came back from another authorization server"};
  if (!from.error.empty())
    return oauth_problem{"the login was refused (" + one_line(from.error, 64) + ")"};
  if (from.code.empty())
    return oauth_problem{"the browser came back without a code"};
  return from.code;
}

} // namespace troupe::protocol
