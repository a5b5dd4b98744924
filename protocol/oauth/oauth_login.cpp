#include "protocol/oauth/oauth_login.hpp"

#include "protocol/text/json.hpp"
#include "protocol/text/url.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

template <class Effect>
login_effects only(Effect effect) {
  login_effects result;
  result.emplace_back(std::move(effect));
  return result;
}

bool has_all_scopes(std::string_view scope, std::string_view wanted) {
  const auto words = words_in(scope, " ");
  return std::ranges::all_of(words_in(wanted, " "),
                             [&](auto one) { return std::find(words.begin(), words.end(), one) != words.end(); });
}

/// True if the server may answer otherwise in a while.
bool is_for_now(int status) { return status >= 500 || status == 408 || status == 429; }

/// True if the server refuses the client itself (RFC 6749, 5.2).
bool is_client_refused(std::string_view body) {
  const auto code = is_json_object(body) ? string_member(body, {"error"}) : "";
  return code == "invalid_client" || code == "unauthorized_client";
}

std::string scope_with(std::string scope, std::string_view more) {
  if (!has_all_scopes(scope, more))
    scope.append(scope.empty() ? "" : " ").append(more);
  return scope;
}

/// Returns why no token may be sent; empty when it may. Anybody on the way can read tokens in clear (RFC 6750, 5.3).
std::string why_not_sent_to(const std::string& server_url) {
  return is_safe_url(server_url, server_url)
             ? ""
             : "the server is neither https nor on this machine: the token would be sent in clear";
}

/// Returns why an issuer may not have the credentials; empty when it may. Credentials belong to the issuer that gave
/// them, and are neither sent to others nor used there (2026-07-28, authorization, "Authorization Server Binding").
std::string why_not_bound(const std::string& issuer, const login_rules& rules) {
  if (rules.issuer.empty())
    return rules.client_secret.empty()
               ? ""
               : "the client secret is for one issuer only: name it with --issuer (the server names " +
                     one_line(issuer) + ")";
  return same_uri(issuer, rules.issuer)
             ? ""
             : "the server names another issuer than --issuer (" + one_line(issuer) + "): it gets no credentials";
}

/// True for loopback addresses and `localhost`: other names may resolve to any address.
bool is_on_loopback(const std::string& url) {
  std::string why_not;
  const auto parts = parse_http_url(url, why_not);
  return parts && parts->is_here();
}

} // namespace

bool may_use(const kept_login& login, const login_rules& rules) {
  return why_not_sent_to(rules.server_url).empty() && why_not_bound(login.issuer, rules).empty();
}

bool may_be_private(const std::string& url, const login_rules& rules) {
  return is_at_named_place(url, rules.server_url) || is_at_named_place(url, rules.issuer) ||
         (is_on_loopback(url) && is_on_loopback(rules.server_url));
}

/// Skips the refresh for lack of scopes: it adds none that the user has not granted (RFC 6749, 6).
login_effects oauth_login::begin(bearer_challenge told, std::optional<kept_login> kept) {
  if (auto why = why_not_sent_to(rules_.server_url); !why.empty())
    return fail(std::move(why));
  told_ = std::move(told);
  login_ = kept && may_use(*kept, rules_) ? std::move(*kept) : kept_login{};
  if (login_.refresh_token.empty() || told_.error == "insufficient_scope")
    return discover();
  step_ = step::refresh;
  return only(refresh_form(login_));
}

login_effects oauth_login::answered(int status, std::string_view body, std::int64_t now) {
  switch (step_) {
  case step::refresh:
    return receive_refreshed_tokens(status, body, now);
  case step::resource:
    return receive_resource_metadata(status, body);
  case step::server:
    return receive_server_metadata(status, body);
  case step::registration:
    if (auto why = read_registration(status, body, login_); !why.empty())
      return fail(why);
    return send_user();
  case step::code:
    if (auto why = read_tokens(status, body, now, login_); !why.empty())
      return fail(why, reuses_client_);
    return done();
  default:
    return {};
  }
}

/// Tries the next document, or fails: a refused refresh token leads to the browser, an unreachable server does not.
login_effects oauth_login::unanswered(const std::string& why) {
  is_untold_ = false;
  if (step_ == step::resource || step_ == step::server)
    return next_place(why);
  return is_over() ? login_effects{} : fail("the authorization server does not answer: " + why);
}

login_effects oauth_login::receive_refreshed_tokens(int status, std::string_view body, std::int64_t now) {
  if (is_for_now(status))
    return fail("the authorization server answers HTTP " + std::to_string(status));
  if (read_tokens(status, body, now, login_).empty())
    return done();
  login_.refresh_token.clear();
  if (is_client_refused(body))
    login_.client_id.clear();
  return discover();
}

// -- the authorization server --------------------------------------------------------------

login_effects oauth_login::discover() {
  step_ = step::resource;
  is_untold_ = true;
  search_ = document_search{resource_document_urls(rules_.server_url, told_)};
  return next_place("it has no URL");
}

login_effects oauth_login::next_place(const std::string& why_not_this) {
  if (auto url = search_.next())
    return only(get_document{std::move(*url)});
  if (step_ == step::resource)
    return choose_server(resource_without_document());
  if (is_untold_ && same_uri(issuer_, assumed_resource(rules_.server_url).issuers.front())) {
    auto assumed = assumed_server(issuer_, rules_.server_url);
    if (auto* server = std::get_if<authorization_server>(&assumed))
      return use_server(std::move(*server));
  }
  if (!other_issuers_.empty())
    return look_for_next_server();
  return fail("the authorization server cannot be used: " + (problem_.empty() ? why_not_this : problem_));
}

/// Reads the document about the server. An unusable JSON object ends the login: one at another place might be of
/// another party. Web pages are skipped.
login_effects oauth_login::receive_resource_metadata(int status, std::string_view body) {
  is_untold_ = is_untold_ && !is_for_now(status);
  if (status != 200 || !is_json_object(body))
    return next_place("HTTP " + std::to_string(status));
  is_untold_ = false;
  auto read = read_resource_document(body, rules_.server_url);
  if (const auto* bad = std::get_if<oauth_problem>(&read))
    return fail(bad->why);
  return choose_server(std::move(std::get<resource_document>(read)));
}

/// Assumes a document. The user may name an issuer that the server does not.
resource_document oauth_login::resource_without_document() const {
  auto result = assumed_resource(rules_.server_url);
  if (!rules_.issuer.empty())
    result.issuers = {rules_.issuer};
  return result;
}

/// Keeps the issuers that the user permits: the configured one, or all when none is configured.
login_effects oauth_login::choose_server(resource_document about) {
  about_ = std::move(about);
  other_issuers_ = about_.issuers;
  auto why_not = why_not_bound(other_issuers_.front(), rules_);
  std::erase_if(other_issuers_, [&](auto& one) { return !why_not_bound(one, rules_).empty(); });
  if (other_issuers_.empty())
    return fail(std::move(why_not));
  problem_.clear();
  step_ = step::server;
  return look_for_next_server();
}

login_effects oauth_login::look_for_next_server() {
  issuer_ = std::move(other_issuers_.front());
  other_issuers_.erase(other_issuers_.begin());
  search_ = document_search{metadata_urls(issuer_)};
  return next_place("its URL is of no use");
}

login_effects oauth_login::receive_server_metadata(int status, std::string_view body) {
  is_untold_ = is_untold_ && !is_for_now(status) && (status != 200 || !is_json_object(body));
  if (status != 200)
    return next_place("no metadata (HTTP " + std::to_string(status) + ")");
  auto read = read_authorization_server(body, issuer_, rules_.server_url, rules_.assumes_pkce);
  if (const auto* bad = std::get_if<oauth_problem>(&read))
    return next_place(problem_ = bad->why);
  return use_server(std::move(std::get<authorization_server>(read)));
}

login_effects oauth_login::use_server(authorization_server server) {
  server_ = std::move(server);
  // A registration at another issuer means nothing here.
  if (!same_uri(login_.issuer, server_.issuer))
    login_ = {.issuer = server_.issuer};
  login_.token_url = server_.token_url;
  login_.resource = about_.resource;
  login_.scope = wanted_scope();
  step_ = step::callback;
  return only(open_callback{login_.redirect_url});
}

/// Scopes required now, and those granted before (2025-11-25, authorization, "Scope Selection Strategy").
std::string oauth_login::wanted_scope() const {
  auto result = told_.error == "insufficient_scope" ? login_.scope : std::string{};
  for (auto& one : told_.scopes.empty() ? about_.scopes : told_.scopes)
    result = scope_with(std::move(result), one);
  return server_.has_offline_access && !result.empty() ? scope_with(std::move(result), offline_access) : result;
}

// -- the user ------------------------------------------------------------------------------

login_effects oauth_login::callback_opened(const std::string& url) {
  if (step_ != step::callback)
    return {};
  const auto is_registered =
      !login_.client_id.empty() && login_.redirect_url == url && has_all_scopes(login_.client_scope, login_.scope);
  login_.redirect_url = url;
  if (!rules_.client_id.empty()) {
    login_.client_id = rules_.client_id;
    login_.client_secret = rules_.client_secret;
    login_.secret_in_form = server_.takes_secret_in_form;
    return send_user();
  }
  reuses_client_ = is_registered;
  return is_registered ? send_user() : register_client();
}

login_effects oauth_login::callback_refused(const std::string& why) { return fail(why); }

login_effects oauth_login::register_client() {
  if (!server_.registration_url.empty() && !is_safe_url(server_.registration_url, rules_.server_url))
    return fail("the authorization server registers clients at a URL that is not https: give the id of one with "
                "--client-id");
  if (server_.registration_url.empty())
    return fail("the authorization server registers no clients: give the id of one with --client-id");
  step_ = step::registration;
  login_.client_scope = login_.scope;
  return only(registration_form(server_, login_.redirect_url, login_.scope));
}

login_effects oauth_login::send_user() {
  step_ = step::user;
  asked_user_ = true;
  return only(ask_user{authorization_request_url(server_, login_, secrets_)});
}

login_effects oauth_login::returned(const login_return& from) {
  if (step_ != step::user || !same_secret(from.state, secrets_.state))
    return {};
  auto code = code_of(from, server_);
  if (const auto* bad = std::get_if<oauth_problem>(&code))
    return fail(bad->why);
  step_ = step::code;
  return only(code_form(login_, std::get<std::string>(code), secrets_.verifier));
}

/// The client may be unknown: a page that says this does not redirect the browser (RFC 6749, 4.1.2.1).
login_effects oauth_login::given_up() {
  return is_over() ? login_effects{} : fail("nobody has logged in in time", reuses_client_);
}

login_effects oauth_login::done() {
  step_ = step::over;
  return only(login_done{login_, asked_user_});
}

login_effects oauth_login::fail(std::string why, bool doubts_client) {
  step_ = step::over;
  return only(login_failed{std::move(why), asked_user_, doubts_client});
}

} // namespace troupe::protocol
