#include "protocol/access/token_verdict.hpp"

#include <algorithm>
#include <vector>

namespace troupe::protocol {

namespace {

bool are_same_words(std::vector<std::string> some, std::vector<std::string> others) {
  std::ranges::sort(some);
  std::ranges::sort(others);
  return some == others;
}

} // namespace

bool has_same_rights(const principal& one, const principal& other) {
  return identity_of(one) == identity_of(other) && are_same_words(one.scopes, other.scopes) &&
         are_same_words(one.groups, other.groups) && are_same_words(one.audiences, other.audiences);
}

credential_watch::next credential_watch::is_known(const caller& who, time_point until, time_point now) {
  if (!who || !who_ || !has_same_rights(*who, *who_))
    return next::end;
  known_ = now;
  look_at_ = std::clamp(until, now + std::chrono::seconds{1}, now + period);
  return next::proceed;
}

credential_watch::next credential_watch::is_not_known(time_point now, calendar_time date) {
  const auto end = who_ ? good_until(*who_) : std::nullopt;
  look_at_ = time_point::max();
  if (end && date >= *end)
    return next::proceed;
  return now >= known_ + longest_doubt ? next::end : next::ask;
}

credential_watch::next credential_watch::verdict_received(const token_verdict& verdict, time_point now) {
  if (verdict.is == token_verdict::kind::good)
    return is_known(verdict.who, now + verdict.keep, now);
  look_at_ = now + period;
  const auto is_in_doubt = verdict.is != token_verdict::kind::bad && now < known_ + longest_doubt;
  return is_in_doubt ? next::proceed : next::end;
}

} // namespace troupe::protocol
