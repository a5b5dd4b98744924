#include "protocol/oauth/oauth_requests.hpp"

#include "protocol/grants/grant_answer.hpp"
#include "protocol/grants/grant_request.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/url.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

constexpr std::string_view offline_access = "offline_access";

/// A query or a form; a parameter without a value is left out.
class parameters {
public:
  parameters& add(std::string_view name, std::string_view value) {
    if (!value.empty())
      text_.append(text_.empty() ? "" : "&").append(name).append("=").append(percent_encoded(value));
    return *this;
  }
  std::string take() { return std::move(text_); }

private:
  std::string text_;
};

/// The client shows who it is, as it is registered (RFC 6749, 2.3.1).
oauth_form client_form(const kept_login& of, parameters form) {
  oauth_form result{of.token_url, {{"Content-Type", "application/x-www-form-urlencoded"}}, {}};
  if (of.client_secret.empty() || of.secret_in_form)
    form.add("client_id", of.client_id).add("client_secret", of.client_secret);
  else
    result.fields.emplace_back("Authorization", basic_authorization(of.client_id, of.client_secret));
  result.body = form.take();
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

std::string authorization_request_url(const authorization_server& server, const kept_login& of,
                                      const login_secrets& secrets) {
  const auto words = words_in(of.scope, " ");
  const auto is_offline = std::find(words.begin(), words.end(), offline_access) != words.end();
  parameters query;
  query.add("response_type", "code").add("client_id", of.client_id).add("redirect_uri", of.redirect_url);
  query.add("code_challenge", secrets.challenge).add("code_challenge_method", "S256").add("state", secrets.state);
  // OpenID Connect Core 1.0, 11: it is granted with the user's consent only
  query.add("scope", of.scope).add("resource", of.resource).add("prompt", is_offline ? "consent" : "");
  return server.authorization_url + (server.authorization_url.find('?') == std::string::npos ? '?' : '&') +
         query.take();
}

oauth_form code_form(const kept_login& of, std::string_view code, std::string_view verifier) {
  parameters form;
  form.add("grant_type", "authorization_code").add("code", code).add("code_verifier", verifier);
  form.add("redirect_uri", of.redirect_url).add("resource", of.resource);
  return client_form(of, std::move(form));
}

oauth_form refresh_form(const kept_login& of) {
  parameters form;
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

std::string take_registration(int status, std::string_view body, kept_login& into) {
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

/// A refresh token that no other has replaced stays (RFC 6749, 6). An expiry that is not told is not known.
std::string take_tokens(int status, std::string_view body, std::int64_t now, kept_login& into) {
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
