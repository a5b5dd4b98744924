#include "protocol/remote/call_credentials.hpp"

#include "protocol/remote/bearer_challenge.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

constexpr http_call_id second_time = http_call_id{1} << 63;

/// Never zero: a kept request has a URL.
std::size_t bytes_of_call(const send_call& what) {
  auto result = what.method.size() + what.url.size() + what.body.size();
  for (auto& [name, value] : what.fields)
    result += name.size() + value.size();
  return result;
}

} // namespace

credential_effects call_credentials::send(send_call what, std::string whose, time_point now) {
  credential_effects out;
  const auto call = what.call;
  const auto fits = kept_ == 0 || bytes_of_call(what) <= most_kept_ - std::min(kept_, most_kept_);
  const auto has_token = token_of(whose).is_good(now);
  if (!fits && !has_token) {
    out.push_back(withhold_call{call, "too much waits for one"});
    return out;
  }
  auto& one = requests_[call];
  one.requester = std::move(what.requester);
  one.whose = std::move(whose);
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
  want(one, {}, out);
  return out;
}

/// A further token replaces the first to expire, unless the answer to its `want_token` is due.
call_credentials::token& call_credentials::token_of(const std::string& whose) {
  if (auto found = tokens_.find(whose); found != tokens_.end())
    return found->second;
  if (tokens_.size() >= most_tokens) {
    auto first = std::ranges::min_element(
        tokens_, {}, [](auto& one) { return one.second.is_wanted ? time_point::max() : one.second.until; });
    if (!first->second.is_wanted)
      tokens_.erase(first);
  }
  return tokens_[whose];
}

void call_credentials::want(const request& one, std::string stale, credential_effects& out) {
  if (!std::exchange(token_of(one.whose).is_wanted, true))
    out.push_back(want_token{one.whose, one.requester, std::move(stale)});
}

bool call_credentials::awaits_token() const {
  return std::ranges::any_of(tokens_, [](auto& one) { return one.second.is_wanted; });
}

void call_credentials::keep(send_call what, request& one) {
  one.bytes = bytes_of_call(what);
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
  one.sent_with = token_of(one.whose).text;
  what.fields.emplace_back("Authorization", "Bearer " + one.sent_with);
  return what;
}

/// Keeps the request after its first attempt only, since it is sent again only once.
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

/// Replaces a token once for all requests that carried it. The answer to a request that is not kept stands, and the
/// next request gets another token.
credential_effects call_credentials::head(http_call_id call, int status, http_fields fields) {
  credential_effects out;
  auto found = requests_.find(call);
  const auto is_refused =
      is_token_refused(status, challenge_of(fields)) && found != requests_.end() && !found->second.refusal;
  if (!is_refused || found->second.bytes == 0) {
    if (is_refused)
      replace(found->second, out);
    if (found != requests_.end())
      forget(found);
    out.push_back(take_head{call, status, std::move(fields)});
    return out;
  }
  auto& one = found->second;
  one.refusal = take_head{call, status, std::move(fields)};
  out.push_back(drop_call{call});
  one.waits = !replace(one, out);
  if (!one.waits)
    out.push_back(kept_stamped(one));
  return out;
}

/// Whether the request's token has been replaced already; otherwise requests another.
bool call_credentials::replace(const request& one, credential_effects& out) {
  auto& known = token_of(one.whose);
  if (!known.text.empty() && known.text != one.sent_with)
    return true;
  known.text.clear();
  want(one, one.sent_with, out);
  return false;
}

credential_effects call_credentials::token_given(const std::string& whose, std::string text, time_point until) {
  credential_effects out;
  token_of(whose) = {std::move(text), until};
  for (auto& [call, one] : requests_)
    if (one.waits && one.whose == whose)
      out.push_back(kept_stamped(one));
  return out;
}

/// A waiting request that the server refused gets that refusal as its answer.
credential_effects call_credentials::token_refused(const std::string& whose, const std::string& why) {
  credential_effects out;
  token_of(whose).is_wanted = false;
  for (auto at = requests_.begin(); at != requests_.end();) {
    auto& one = at->second;
    if (!one.waits || one.whose != whose) {
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

std::optional<std::pair<std::string, std::string>> call_credentials::field(time_point now) const {
  auto good = std::ranges::find_if(tokens_, [&](auto& one) { return one.second.is_good(now); });
  if (good == tokens_.end())
    return std::nullopt;
  return std::pair{std::string{"Authorization"}, "Bearer " + good->second.text};
}

} // namespace troupe::protocol
