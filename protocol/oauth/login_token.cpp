#include "protocol/oauth/login_token.hpp"

#include "protocol/grants/token_grant.hpp"

#include <utility>

namespace troupe::protocol {

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

} // namespace troupe::protocol
