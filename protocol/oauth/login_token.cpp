#include "protocol/oauth/login_token.hpp"

#include "protocol/grants/token_grant.hpp"
#include "protocol/text/json.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace troupe::protocol {

namespace {

using kept_member = std::pair<std::string_view, std::string kept_login::*>;
constexpr std::array<kept_member, 10> kept_members = {{{"issuer", &kept_login::issuer},
                                                       {"token_endpoint", &kept_login::token_url},
                                                       {"resource", &kept_login::resource},
                                                       {"client_id", &kept_login::client_id},
                                                       {"client_secret", &kept_login::client_secret},
                                                       {"redirect_uri", &kept_login::redirect_url},
                                                       {"client_scope", &kept_login::client_scope},
                                                       {"scope", &kept_login::scope},
                                                       {"access_token", &kept_login::access_token},
                                                       {"refresh_token", &kept_login::refresh_token}}};

} // namespace

std::string login_token::why_withheld(const token_call& one, const std::string& why) {
  return !one.refusal || one.refusal->status == 401 ? why : "HTTP " + std::to_string(one.refusal->status) + "; " + why;
}

std::optional<want_login> login_token::wanted(std::optional<bearer_challenge> told) {
  until_ = time_point::max();
  return std::exchange(is_wanted_, true) ? std::nullopt : std::optional{want_login{text_, std::move(told)}};
}

bool login_token::is_refused(const token_call& one, int status, const bearer_challenge& told) const {
  if (is_token_refused(status, told) || (status == 403 && told.error == "insufficient_scope"))
    return true;
  const auto may_be_unknown = one.sent_with.empty() || (one.sent_with == text_ && (is_untried_ || is_wanted_));
  return may_be_unknown && (status == 302 || status == 303 || status == 403);
}

std::optional<want_login> login_token::refused_to(const token_call& one, const bearer_challenge& told) {
  if (one.sent_with == text_)
    is_untried_ = false;
  return wanted(told);
}

void login_token::answered(const token_call& one, int status) {
  if (is_success(status) && one.sent_with == text_)
    is_untried_ = false;
}

void login_token::put(const std::string&, std::string text, time_point until) {
  text_ = std::move(text);
  is_untried_ = true;
  until_ = until;
  is_wanted_ = false;
}

std::string kept_login_text(const kept_login& login) {
  std::string result = "{\n";
  for (auto& [name, member] : kept_members)
    if (!(login.*member).empty())
      result += "  " + quoted(name) + ": " + quoted(login.*member) + ",\n";
  result += std::string{"  \"secret_in_form\": "} + (login.secret_in_form ? "true" : "false") + ",\n";
  return result + "  \"expires\": " + std::to_string(login.expires) + "\n}\n";
}

std::optional<kept_login> read_kept_login(std::string_view text) {
  if (!is_json_object(text))
    return std::nullopt;
  kept_login result;
  for (auto& [name, member] : kept_members)
    result.*member = string_member(text, {name});
  result.secret_in_form = find_member(text, {"secret_in_form"}) == "true";
  const auto expires = find_member(text, {"expires"}).value_or("0");
  std::from_chars(expires.data(), expires.data() + expires.size(), result.expires);
  return result;
}

} // namespace troupe::protocol
