#include "protocol/grants/token_grant.hpp"

#include "protocol/text/base_encodings.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/url.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace troupe::protocol {

namespace {

constexpr std::string_view exchange_grant = "urn:ietf:params:oauth:grant-type:token-exchange";
constexpr std::string_view access_token_type = "urn:ietf:params:oauth:token-type:access_token";

using std::chrono::seconds;

/// Lifetime of a token whose expiry is not stated (RFC 6749, 5.1: it SHOULD be).
constexpr seconds untold_life{300};
constexpr seconds longest_life = std::chrono::hours{24};

bool is_alphanumeric_or(char c, std::string_view others) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || others.find(c) != others.npos;
}

/// True if a text has the characters of RFC 6749, A.12, without the space: others could end its header field. RFC 6750,
/// 2.1 has fewer characters, but some issuers use others (`7|secret`).
bool is_bearer_token(std::string_view text) {
  return !text.empty() && text.size() <= longest_granted_token &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

/// True if the type is `Bearer`, or absent though RFC 6749, 5.1 requires it. Other types are of no use.
bool is_bearer_type(std::string_view body) {
  const auto type = find_member(body, {"token_type"});
  return !type || *type == "null" || *type == R"("")" || same_word(string_member(body, {"token_type"}), "Bearer");
}

/// Returns the code of a refusal (RFC 6749, 5.2); empty when there is none that can be shown.
std::string oauth_error(std::string_view body) {
  auto code = is_json_object(body) ? string_member(body, {"error"}) : "";
  auto is_plain = std::ranges::all_of(code, [](char c) { return is_alphanumeric_or(c, "_-."); });
  return is_plain && code.size() <= 64 ? code : "";
}

/// Parses the lifetime in seconds, which some issuers write as a string. Nothing if absent; otherwise why it is bad.
std::variant<std::optional<seconds>, std::string> life_of(std::string_view body) {
  auto token = find_member(body, {"expires_in"});
  if (!token || *token == "null" || *token == R"("")")
    return std::nullopt;
  const auto text = string_value(*token).value_or(std::string{*token});
  const auto is_number = !text.empty() && text.find_first_not_of("0123456789.eE+") == text.npos;
  char* end = nullptr;
  const auto life = std::strtod(text.c_str(), &end);
  if (!is_number || *end != '\0' || !(life >= 0))
    return "its answer has an expiry that is no number of seconds";
  return std::optional{seconds{static_cast<std::int64_t>(std::min(life, static_cast<double>(longest_life.count())))}};
}

} // namespace

std::chrono::milliseconds renewal_margin(std::chrono::milliseconds life) {
  constexpr seconds longest{30};
  return std::min<std::chrono::milliseconds>(longest, life / 10);
}

std::string basic_authorization(std::string_view client_id, std::string_view client_secret) {
  return "Basic " + base64(percent_encoded(client_id) + ":" + percent_encoded(client_secret));
}

std::string grant_form(const grant_rules& rules, std::string_view subject) {
  url_parameters result;
  if (rules.is == grant_rules::kind::client_credentials) {
    result.add("grant_type", "client_credentials");
  } else {
    result.add("grant_type", exchange_grant);
    result.add("subject_token", subject);
    result.add("subject_token_type", access_token_type);
    result.add("requested_token_type", access_token_type);
  }
  result.add("scope", joined(rules.scopes, " "));
  result.add("resource", rules.resource);
  result.add("audience", rules.audience);
  if (rules.by == grant_rules::proof::post) {
    result.add("client_id", rules.client_id);
    result.add("client_secret", rules.client_secret);
  }
  return result.release();
}

std::vector<std::pair<std::string, std::string>> grant_fields(const grant_rules& rules) {
  std::vector<std::pair<std::string, std::string>> result{{"Content-Type", "application/x-www-form-urlencoded"}};
  if (rules.by == grant_rules::proof::basic)
    result.emplace_back("Authorization", basic_authorization(rules.client_id, rules.client_secret));
  return result;
}

std::variant<granted_token, std::string> read_grant_answer(int status, std::string_view body) {
  auto code = oauth_error(body);
  if (!is_success(status) || (!code.empty() && string_member(body, {"access_token"}).empty()))
    return "it answers HTTP " + std::to_string(status) + (code.empty() ? "" : " (" + code + ")");
  if (!is_json_object(body))
    return "its answer is no JSON object";
  auto text = string_member(body, {"access_token"});
  if (!is_bearer_token(text))
    return "its answer has no token that can be sent";
  if (!is_bearer_type(body))
    return "its answer has a token of another type than Bearer";
  auto life = life_of(body);
  if (auto* why = std::get_if<std::string>(&life))
    return std::move(*why);
  const auto told = std::get<std::optional<seconds>>(life);
  return granted_token{std::move(text), told.value_or(untold_life), told.has_value()};
}

} // namespace troupe::protocol
