#include "protocol/oauth/login_calls.hpp"

#include "protocol/grants/token_grant.hpp"

namespace troupe::protocol {

login_call_effects login_calls::send(send_call what, time_point now) {
  login_call_effects out;
  auto& one = requests_[what.call];
  one.what = std::move(what);
  if (now >= until_)
    want(std::nullopt, out);
  one.waits = is_wanted_;
  if (!one.waits)
    out.emplace_back(stamped(one));
  return out;
}

void login_calls::want(std::optional<bearer_challenge> told, login_call_effects& out) {
  until_ = time_point::max();
  if (!std::exchange(is_wanted_, true))
    out.emplace_back(want_login{token_, std::move(told)});
}

send_call login_calls::stamped(request& one) const {
  one.waits = false;
  one.sent_with = token_;
  auto result = one.what;
  if (auto authorization = field())
    result.fields.push_back(std::move(*authorization));
  return result;
}

bool login_calls::is_refusal(const request& one, int status, const bearer_challenge& told) const {
  if (is_token_refused(status, told) || (status == 403 && told.error == "insufficient_scope"))
    return true;
  const auto may_be_unknown = one.sent_with.empty() || (one.sent_with == token_ && (is_untried_ || is_wanted_));
  return may_be_unknown && (status == 302 || status == 303 || status == 403);
}

login_call_effects login_calls::head(http_call_id call, int status, http_fields fields) {
  login_call_effects out;
  const auto found = requests_.find(call);
  const auto told = challenge_of(fields);
  if (found == requests_.end() || found->second.refused_by != 0 || !is_refusal(found->second, status, told)) {
    if (is_success(status) && found != requests_.end() && found->second.sent_with == token_)
      is_untried_ = false;
    drop(call);
    out.emplace_back(take_head{call, status, std::move(fields)});
    return out;
  }
  auto& one = found->second;
  one.waits = true;
  one.refused_by = status;
  if (one.sent_with == token_)
    is_untried_ = false;
  out.emplace_back(drop_call{call});
  if (one.sent_with == token_)
    want(told, out);
  else if (!is_wanted_)
    out.emplace_back(stamped(one));
  return out;
}

login_call_effects login_calls::given(std::string token, time_point until) {
  login_call_effects out;
  token_ = std::move(token);
  is_untried_ = true;
  until_ = until;
  is_wanted_ = false;
  for (auto& [call, one] : requests_)
    if (one.waits)
      out.emplace_back(stamped(one));
  return out;
}

login_call_effects login_calls::refused(const std::string& why) {
  login_call_effects out;
  is_wanted_ = false;
  for (auto at = requests_.begin(); at != requests_.end();) {
    if (!at->second.waits) {
      ++at;
      continue;
    }
    const auto by = at->second.refused_by;
    out.emplace_back(withhold_call{at->first, by == 0 || by == 401 ? why : "HTTP " + std::to_string(by) + "; " + why});
    at = requests_.erase(at);
  }
  return out;
}

bool login_calls::waits(http_call_id call) const {
  const auto found = requests_.find(call);
  return found != requests_.end() && found->second.waits;
}

std::optional<std::pair<std::string, std::string>> login_calls::field() const {
  if (token_.empty())
    return std::nullopt;
  return std::pair{std::string{"Authorization"}, "Bearer " + token_};
}

} // namespace troupe::protocol
