#include "protocol/remote/call_credentials.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

constexpr http_call_id second_time = http_call_id{1} << 63;

/// Never zero: one that is kept has a URL.
std::size_t size_of(const send_call& what) {
  auto result = what.method.size() + what.url.size() + what.body.size();
  for (auto& [name, value] : what.fields)
    result += name.size() + value.size();
  return result;
}

} // namespace

credential_effects call_credentials::send(send_call what, time_point now) {
  credential_effects out;
  const auto call = what.call;
  const auto fits = kept_ == 0 || size_of(what) <= most_kept_ - std::min(kept_, most_kept_);
  const auto has_token = !token_.empty() && now < until_;
  if (!fits && !has_token) {
    out.push_back(withhold_call{call, "too much waits for one"});
    return out;
  }
  auto& one = requests_[call];
  if (!fits) {
    out.push_back(stamped(std::move(what), one));
    return out;
  }
  keep(std::move(what), one);
  if (has_token) {
    out.push_back(kept_stamped(one));
    return out;
  }
  one.waits = true;
  want({}, out);
  return out;
}

void call_credentials::want(std::string stale, credential_effects& out) {
  if (!std::exchange(is_wanted_, true))
    out.push_back(want_token{std::move(stale)});
}

void call_credentials::keep(send_call what, request& one) {
  one.bytes = size_of(what);
  kept_ += one.bytes;
  one.what = std::move(what);
}

void call_credentials::let_go(request& one) { kept_ -= std::exchange(one.bytes, 0); }

call_credentials::requests::iterator call_credentials::forget(requests::iterator at) {
  let_go(at->second);
  return requests_.erase(at);
}

send_call call_credentials::stamped(send_call what, request& one) {
  one.waits = false;
  one.sent_with = token_;
  what.fields.emplace_back("Authorization", "Bearer " + token_);
  return what;
}

/// It is kept for the case that it has to be sent again, which happens once.
send_call call_credentials::kept_stamped(request& one) {
  if (!one.refusal)
    return stamped(one.what, one);
  let_go(one);
  auto result = stamped(std::move(one.what), one);
  again_.insert(result.call);
  result.call |= second_time;
  return result;
}

void call_credentials::drop(http_call_id call) {
  if (auto found = requests_.find(call); found != requests_.end())
    forget(found);
  again_.erase(call);
}

/// One token is replaced once for all requests that it was sent with. The answer to a request that is not kept counts,
/// and the next one is sent with another token.
credential_effects call_credentials::head(http_call_id call, int status, http_fields fields) {
  credential_effects out;
  auto found = requests_.find(call);
  const auto is_refused = status == 401 && found != requests_.end() && !found->second.refusal;
  if (!is_refused || found->second.bytes == 0) {
    if (is_refused && found->second.sent_with == token_) {
      token_.clear();
      want(found->second.sent_with, out);
    }
    if (found != requests_.end())
      forget(found);
    out.push_back(take_head{call, status, std::move(fields)});
    return out;
  }
  auto& one = found->second;
  one.refusal = take_head{call, status, std::move(fields)};
  out.push_back(drop_call{call});
  if (!token_.empty() && token_ != one.sent_with) {
    out.push_back(kept_stamped(one));
    return out;
  }
  one.waits = true;
  token_.clear();
  want(one.sent_with, out);
  return out;
}

credential_effects call_credentials::token_given(std::string text, time_point until) {
  credential_effects out;
  is_wanted_ = false;
  token_ = std::move(text);
  until_ = until;
  for (auto& [call, one] : requests_)
    if (one.waits)
      out.push_back(kept_stamped(one));
  return out;
}

/// A request that the server has refused was answered by that.
credential_effects call_credentials::token_refused(const std::string& why) {
  credential_effects out;
  is_wanted_ = false;
  for (auto at = requests_.begin(); at != requests_.end();) {
    auto& one = at->second;
    if (!one.waits) {
      ++at;
      continue;
    }
    if (one.refusal)
      out.push_back(std::move(*one.refusal));
    else
      out.push_back(withhold_call{at->first, why});
    at = forget(at);
  }
  return out;
}

std::optional<http_call_id> call_credentials::told_of(http_call_id on_its_way) const {
  const auto call = on_its_way & ~second_time;
  auto found = requests_.find(call);
  const auto is_first = call == on_its_way;
  const auto is_old = is_first && (again_.contains(call) || (found != requests_.end() && found->second.waits));
  return is_old ? std::nullopt : std::optional{call};
}

bool call_credentials::waits(http_call_id call) const {
  auto found = requests_.find(call);
  return found != requests_.end() && found->second.waits;
}

std::optional<std::pair<std::string, std::string>> call_credentials::field() const {
  if (token_.empty())
    return std::nullopt;
  return std::pair{std::string{"Authorization"}, "Bearer " + token_};
}

} // namespace troupe::protocol
