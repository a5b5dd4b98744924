#include "protocol/access/token_claims.hpp"

#include "protocol/text/base_encodings.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/json_value.hpp"
#include "protocol/text/url.hpp"
#include "protocol/text/words.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace troupe::protocol {

namespace json = boost::json;

namespace {

/// Removes the last slash: clients may write it after the path of an endpoint or of the gateway.
std::string_view without_slash(std::string_view path) {
  return path.size() > 1 && path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
}

/// True if the audience is the gateway as a whole.
bool is_whole(const std::string& audience, const audience_rules& rules) {
  const auto named = rules.path().empty() ? std::string_view{audience} : without_slash(audience);
  return (!rules.url.empty() && named == rules.url) || std::ranges::find(rules.names, audience) != rules.names.end();
}

/// Returns the path after the gateway's URL; empty when the audience is not within it.
std::string_view path_within(std::string_view audience, const audience_rules& rules) {
  auto is_within = !rules.url.empty() && audience.starts_with(rules.url);
  auto rest = is_within ? audience.substr(rules.url.size()) : std::string_view{};
  return rest.starts_with('/') ? without_slash(rest) : std::string_view{};
}

/// Parses a JSON object without repeated names: readers disagree on which of the two counts.
std::optional<json::object> read_object(std::string_view text) {
  if (json_error(text) || !trimmed(text).starts_with('{'))
    return std::nullopt;
  std::set<std::string, std::less<>> names;
  for (object_reader member{text}; member.next();)
    if (!names.emplace(member.key()).second)
      return std::nullopt;
  return json_value(text).as_object();
}

/// Parses the claims of a token. Some issuers write `null` for a claim that is absent.
std::optional<json::object> read_claims(std::string_view text) {
  auto result = read_object(text);
  if (result)
    for (auto one = result->begin(); one != result->end();)
      one = one->value().is_null() ? result->erase(one) : std::next(one);
  return result;
}

std::string text_member(const json::object& from, std::string_view name) {
  auto* found = from.if_contains(name);
  auto* text = found ? found->if_string() : nullptr;
  return text ? std::string{text->data(), text->size()} : std::string{};
}

enum class token_kind { access, other, untold };

/// Returns the kind that the header declares: issuers sign other things, too (RFC 8725, 3.11; RFC 9068, 2.1).
token_kind kind_by_header(const json::object& header) {
  auto type = lower(text_member(header, "typ"));
  if (type.starts_with("application/"))
    type.erase(0, std::string_view{"application/"}.size());
  if (type == "at+jwt")
    return token_kind::access;
  return !header.contains("typ") || type == "jwt" ? token_kind::untold : token_kind::other;
}

/// Returns the kind that a claim declares: `typ` of Keycloak, `token_use` of Cognito.
token_kind kind_by_name(const json::object& claims) {
  const auto type = lower(text_member(claims, "typ")), use = lower(text_member(claims, "token_use"));
  if (type == "id" || type == "refresh" || type == "offline" || type == "logout" || use == "id")
    return token_kind::other;
  return type == "bearer" || use == "access" ? token_kind::access : token_kind::untold;
}

/// True for an ID token, which is about a login, and for a logout token (OpenID Connect Core 1.0, 2; Back-Channel
/// Logout 1.0, 2.4). Some access tokens have the `nonce` of the login, too.
bool is_for_login(const json::object& claims, bool is_access_token) {
  const auto kind = kind_by_name(claims);
  if (kind != token_kind::untold || is_access_token)
    return kind == token_kind::other;
  return claims.contains("nonce") || claims.contains("at_hash") || claims.contains("events");
}

/// Returns the strings of a claim: one, or an array.
std::vector<std::string> texts_of(const json::object& from, std::string_view name) {
  std::vector<std::string> result;
  auto* found = from.if_contains(name);
  auto add = [&](const json::value& one) {
    if (auto* text = one.if_string())
      result.emplace_back(text->data(), text->size());
  };
  if (auto* all = found ? found->if_array() : nullptr)
    std::ranges::for_each(*all, add);
  else if (found)
    add(*found);
  return result;
}

/// Returns the scopes: `scope` is a list in one text (RFC 9068, 2.2.3), `scp` of some issuers an array or such a text.
std::vector<std::string> scopes_of(const json::object& claims) {
  std::vector<std::string> result;
  for (auto name : {"scope", "scp"})
    for (auto& text : texts_of(claims, name))
      for (auto word : words_in(text, " "))
        result.emplace_back(word);
  return result;
}

/// Parses seconds, which may have a fraction (RFC 7519, 2). Some issuers write their largest number for "never".
/// Returns nothing when the claim is absent; sets `is_bad` when it is no such number.
std::optional<calendar_time> time_of(const json::object& claims, std::string_view name, bool& is_bad) {
  auto* found = claims.if_contains(name);
  if (!found)
    return std::nullopt;
  boost::system::error_code error;
  auto number = found->to_number<double>(error);
  constexpr double last = 253402300800; // end of the year 9999
  if (error || !std::isfinite(number) || number < 0) {
    is_bad = true;
    return std::nullopt;
  }
  return calendar_time{std::chrono::seconds{static_cast<std::int64_t>(std::min(number, last))}};
}

/// Returns why the claims are not valid at this time; empty when they are.
std::string judge_times(const json::object& claims, calendar_time now, bool must_expire,
                        std::optional<calendar_time>& expires) {
  bool is_bad = false;
  expires = time_of(claims, "exp", is_bad);
  auto from = time_of(claims, "nbf", is_bad);
  if (is_bad)
    return "a time in the token is no number of seconds";
  if (must_expire && !expires)
    return "the token never expires";
  if (expires && now >= *expires + leeway)
    return "the token has expired";
  if (from && now + leeway < *from)
    return "the token is not valid yet";
  return {};
}

std::vector<std::string> audiences_of(const json::object& claims) {
  auto result = texts_of(claims, "aud");
  for (auto& one : result)
    one = canonical_uri(one);
  return result;
}

std::string client_of(const json::object& claims) {
  auto client = text_member(claims, "client_id");
  return client.empty() ? text_member(claims, "azp") : client;
}

/// Returns the claims to keep for every caller and to send with its requests. They are dropped when too long, since an
/// issuer's answer about a token may have any size.
std::string kept_claims(const json::object& claims) {
  auto text = json::serialize(claims);
  return text.size() <= longest_token ? text : "{}";
}

std::variant<principal, std::string> principal_from_claims(const json::object& claims, std::string subject,
                                                           const token_rules& rules,
                                                           std::optional<calendar_time> expires) {
  auto audiences = audiences_of(claims);
  if (!is_meant_for_some(audiences, rules.audience))
    return "the token is for another audience";
  if (subject.empty())
    return "the token names no subject";
  auto groups = rules.groups_claim.empty() ? std::vector<std::string>{} : texts_of(claims, rules.groups_claim);
  return principal{rules.issuer,      std::move(subject),  client_of(claims),    scopes_of(claims),
                   std::move(groups), kept_claims(claims), std::move(audiences), expires};
}

} // namespace

std::string_view audience_rules::path() const {
  auto host = url.find("://");
  auto at = host == url.npos ? host : url.find('/', host + 3);
  return at == url.npos ? std::string_view{} : std::string_view{url}.substr(at);
}

bool is_meant_for(const std::vector<std::string>& audiences, const audience_rules& rules, std::string_view path) {
  const auto endpoint = without_slash(path);
  return std::ranges::any_of(audiences, [&](auto& one) {
    return is_whole(one, rules) || (!endpoint.empty() && path_within(one, rules) == endpoint);
  });
}

bool is_meant_for_some(const std::vector<std::string>& audiences, const audience_rules& rules) {
  return std::ranges::any_of(audiences,
                             [&](auto& one) { return is_whole(one, rules) || !path_within(one, rules).empty(); });
}

std::optional<token_claims> read_token(std::string_view text) {
  auto first = text.find('.');
  auto second = first == text.npos ? text.npos : text.find('.', first + 1);
  if (text.size() > longest_token || second == text.npos || text.find('.', second + 1) != text.npos)
    return std::nullopt;
  auto header_text = from_base64url(text.substr(0, first));
  auto payload = from_base64url(text.substr(first + 1, second - first - 1));
  auto signature = from_base64url(text.substr(second + 1));
  auto header = header_text ? read_object(*header_text) : std::nullopt;
  const auto kind = header ? kind_by_header(*header) : token_kind::other;
  if (kind == token_kind::other || !payload || !signature || header->contains("crit"))
    return std::nullopt;
  return token_claims{text_member(*header, "alg"), text_member(*header, "kid"), std::move(*payload), signature->size(),
                      kind == token_kind::access};
}

std::variant<principal, std::string> check_claims(const token_claims& of, const token_rules& rules, calendar_time now) {
  auto claims = read_claims(of.payload);
  if (!claims)
    return "the claims of the token cannot be read";
  if (is_for_login(*claims, of.is_access_token))
    return "the token is no access token";
  if (!same_uri(text_member(*claims, "iss"), rules.issuer))
    return "the token is of another issuer";
  std::optional<calendar_time> expires;
  if (auto why = judge_times(*claims, now, true, expires); !why.empty())
    return why;
  return principal_from_claims(*claims, text_member(*claims, "sub"), rules, expires);
}

std::variant<principal, std::string> check_introspection(std::string_view answer, const token_rules& rules,
                                                         calendar_time now) {
  auto claims = read_claims(answer);
  auto* active = claims ? claims->if_contains("active") : nullptr;
  if (!active || !active->is_bool() || !active->get_bool())
    return "the token is not active";
  if (claims->contains("iss") && !same_uri(text_member(*claims, "iss"), rules.issuer))
    return "the token is of another issuer";
  std::optional<calendar_time> expires;
  if (auto why = judge_times(*claims, now, false, expires); !why.empty())
    return why;
  auto subject = text_member(*claims, "sub");
  return principal_from_claims(*claims, subject.empty() ? client_of(*claims) : std::move(subject), rules, expires);
}

} // namespace troupe::protocol
