#include "protocol/access/endpoint_guard.hpp"

#include "protocol/access/challenge.hpp"
#include "protocol/access/issuer.hpp"
#include "protocol/http/known_paths.hpp"
#include "protocol/http/original_request.hpp"
#include "protocol/text/glob.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/url.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <chrono>

namespace troupe::protocol {

namespace {

constexpr std::string_view metadata_methods = "GET, HEAD, OPTIONS";

std::vector<std::string> without_offline(std::vector<std::string> scopes) {
  std::erase(scopes, offline_access);
  return scopes;
}

constexpr const char* kept_for_a_minute = "public, max-age=60";

/// Makes a response that pages of all origins may read, so that browsers can find out where to get a token.
http_response document(std::string text, const char* kept) {
  return {200, {{"Access-Control-Allow-Origin", "*"}, {"Cache-Control", kept}}, std::move(text), "application/json"};
}

std::string list_text(const std::vector<std::string>& all) { return "[" + joined(all, ",", quoted) + "]"; }

} // namespace

std::string metadata_text(const resource_metadata& what) {
  auto result = R"({"resource":)" + quoted(what.resource) + R"(,"authorization_servers":)" + list_text(what.issuers);
  if (!what.scopes.empty())
    result += R"(,"scopes_supported":)" + list_text(what.scopes);
  return result + R"(,"bearer_methods_supported":["header"],"resource_name":)" + quoted(what.name) + "}";
}

caller certificate_holder(std::string_view name, const certificate_rules& rules, std::optional<calendar_time> until) {
  principal result{.issuer = certificate_issuer, .subject = std::string{name}, .expires = until};
  auto comes_in = rules.empty() && !name.empty();
  for (auto& [pattern, scopes] : rules)
    if (!name.empty() && fits_glob(pattern, name)) {
      comes_in = true;
      std::ranges::copy_if(scopes, std::back_inserter(result.scopes),
                           [&](auto& scope) { return std::ranges::find(result.scopes, scope) == result.scopes.end(); });
    }
  return comes_in ? std::make_shared<const principal>(std::move(result)) : nullptr;
}

std::variant<caller, unidentified> endpoint_guard::identify(const certificate_rules& certificates, bool is_passed_on,
                                                            calendar_time now) const {
  using kind = unidentified::kind;
  auto& until = request_.certificate_until;
  if (until && *until <= now)
    return unidentified{kind::bad, "the certificate has expired"};
  if (!request_.certificate.empty()) {
    if (auto who = certificate_holder(request_.certificate, certificates, until))
      return who;
    return unidentified{kind::bad, "the certificate is nobody's who may come in"};
  }
  if (!rules_.is_open)
    return unidentified{kind::anonymous};
  if (is_untrusted(is_passed_on))
    return unidentified{kind::untrusted};
  return caller{};
}

rejection endpoint_guard::refuse_unidentified(const unidentified& why) const {
  if (why.is == unidentified::kind::bad)
    return refuse_bad(why.why);
  return why.is == unidentified::kind::untrusted ? refuse_untrusted() : refuse_anonymous();
}

std::optional<rejection> endpoint_guard::refuse_by(const token_verdict& verdict) const {
  using kind = token_verdict::kind;
  if (verdict.is == kind::unavailable)
    return unavailable(verdict.why);
  if (verdict.is == kind::too_many)
    return too_many_requests(verdict.why, std::chrono::ceil<std::chrono::seconds>(verdict.pause));
  return verdict.is == kind::bad ? std::optional{refuse_bad(verdict.why)} : std::nullopt;
}

bool endpoint_guard::is_untrusted(bool is_passed_on) const {
  if (!rules_.is_for_this_machine || !is_passed_on)
    return false;
  const auto peer = read_ip_address(request_.peer);
  return !peer || !rules_.trusted_proxies.has(*peer);
}

rejection endpoint_guard::refuse_untrusted() {
  return refusal(403, "Forbidden: the request came through an untrusted proxy, and the gateway requires no "
                      "credentials. Trust the proxy with --trusted-proxy, or require keys with --keys");
}

rejection endpoint_guard::refuse_anonymous() const {
  return unauthorized({.scopes = without_offline(rules_.scopes), .metadata_url = metadata_url()});
}

rejection endpoint_guard::refuse_bad(std::string_view why) const {
  return unauthorized({"invalid_token", why, without_offline(rules_.scopes), metadata_url()});
}

rejection endpoint_guard::refuse_for_scopes(const std::vector<std::string>& needed) const {
  return insufficient_scope({.scopes = without_offline(needed), .metadata_url = metadata_url()});
}

rejection endpoint_guard::completed(rejection refused) const {
  auto url = refused.status == 403 ? metadata_url() : std::string{};
  for (auto& [name, value] : refused.headers)
    if (name == "WWW-Authenticate" && !url.empty())
      value += ", resource_metadata=\"" + url + "\"";
  return refused;
}

bool endpoint_guard::is_meant_for_here(const principal& who) const {
  auto is_for = [&](std::string_view path) { return is_meant_for(who.audiences, rules_.audience, path); };
  auto& others = rules_.sse_paths;
  return is_for(path_) || (std::ranges::find(others, path_) != others.end() && std::ranges::any_of(others, is_for));
}

std::optional<rejection> endpoint_guard::refuse(const principal& who) const {
  if (!rules_.issuer.empty() && who.issuer == rules_.issuer && !is_meant_for_here(who))
    return refuse_bad("the token is for another audience");
  auto has = [&](auto& scope) { return has_scope(who, scope, rules_.includes); };
  if (!std::ranges::all_of(rules_.scopes, has))
    return refuse_for_scopes(rules_.scopes);
  return std::nullopt;
}

/// Without a configured URL, returns the origin that the client uses for the gateway.
std::string endpoint_guard::origin() const {
  if (!rules_.audience.url.empty())
    return rules_.audience.url.substr(0, rules_.audience.url.size() - rules_.audience.path().size());
  std::string why_not;
  auto original = original_of(request_, rules_.trusted_proxies);
  auto url = parse_http_url((original.is_secure ? "https://" : "http://") + std::string{original.host}, why_not);
  return url && url->target == "/" ? url->origin() : std::string{};
}

std::string endpoint_guard::prefix() const {
  auto& configured = rules_.audience;
  return std::string{configured.url.empty() ? original_of(request_, rules_.trusted_proxies).prefix : configured.path()};
}

std::string endpoint_guard::metadata_url() const {
  auto url = rules_.issuer.empty() ? std::string{} : origin();
  return url.empty() ? url : url + metadata_path(prefix() + std::string{path_});
}

/// Answers requests that do not read the document: OPTIONS, and methods that are not allowed.
std::optional<http_response> endpoint_guard::answer_instead() const {
  if (request_.method == "OPTIONS")
    return http_response{204,
                         {{"Access-Control-Allow-Origin", "*"},
                          {"Access-Control-Allow-Methods", std::string{metadata_methods}},
                          {"Access-Control-Allow-Headers", "MCP-Protocol-Version"}},
                         {}};
  if (request_.method != "GET" && request_.method != "HEAD")
    return rejection_response(method_not_allowed(metadata_methods));
  return std::nullopt;
}

http_response endpoint_guard::metadata() const {
  if (auto instead = answer_instead())
    return std::move(*instead);
  auto url = origin();
  if (url.empty())
    return rejection_response(refusal(400, "Bad Request: Host is none"));
  auto is_ours = !rules_.audience.url.empty(); // configured, and not made up by a client
  auto text = metadata_text(
      {url + prefix() + std::string{path_}, {rules_.issuer}, without_offline(rules_.known_scopes), "Troupe"});
  return document(std::move(text), is_ours ? kept_for_a_minute : "no-store");
}

http_response endpoint_guard::issuer(std::string_view text) const {
  if (auto instead = answer_instead())
    return std::move(*instead);
  if (text.empty())
    return rejection_response(unavailable("the issuer's metadata is not known yet"));
  return document(std::string{text}, kept_for_a_minute);
}

} // namespace troupe::protocol
