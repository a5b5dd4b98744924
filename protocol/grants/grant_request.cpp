#include "protocol/grants/grant_request.hpp"

#include "protocol/text/base_encodings.hpp"
#include "protocol/text/url.hpp"

namespace troupe::protocol {

namespace {

constexpr std::string_view exchange_grant = "urn:ietf:params:oauth:grant-type:token-exchange";
constexpr std::string_view access_token_type = "urn:ietf:params:oauth:token-type:access_token";

/// `application/x-www-form-urlencoded`; a parameter without a value is left out (RFC 6749, 3.2).
class form {
public:
  void add(std::string_view name, std::string_view value) {
    if (value.empty())
      return;
    text_.append(text_.empty() ? "" : "&").append(name).append("=").append(percent_encoded(value));
  }
  std::string take() { return std::move(text_); }

private:
  std::string text_;
};

std::string scope_list(const std::vector<std::string>& scopes) {
  std::string result;
  for (auto& one : scopes)
    result.append(result.empty() ? "" : " ").append(one);
  return result;
}

} // namespace

std::string basic_authorization(std::string_view client_id, std::string_view client_secret) {
  return "Basic " + base64(percent_encoded(client_id) + ":" + percent_encoded(client_secret));
}

std::string grant_form(const grant_rules& rules, std::string_view subject) {
  form result;
  if (rules.is == grant_rules::kind::client_credentials) {
    result.add("grant_type", "client_credentials");
  } else {
    result.add("grant_type", exchange_grant);
    result.add("subject_token", subject);
    result.add("subject_token_type", access_token_type);
    result.add("requested_token_type", access_token_type);
  }
  result.add("scope", scope_list(rules.scopes));
  result.add("resource", rules.resource);
  result.add("audience", rules.audience);
  if (rules.by == grant_rules::proof::post) {
    result.add("client_id", rules.client_id);
    result.add("client_secret", rules.client_secret);
  }
  return result.take();
}

std::vector<std::pair<std::string, std::string>> grant_fields(const grant_rules& rules) {
  std::vector<std::pair<std::string, std::string>> result{{"Content-Type", "application/x-www-form-urlencoded"}};
  if (rules.by == grant_rules::proof::basic)
    result.emplace_back("Authorization", basic_authorization(rules.client_id, rules.client_secret));
  return result;
}

} // namespace troupe::protocol
