#include "protocol/access/token_turns.hpp"

#include "protocol/backoff.hpp"

#include <algorithm>

namespace troupe::protocol {

std::chrono::milliseconds token_turns::pause(const std::string& address, time_point now) {
  auto* one = find(address);
  if (!one || now >= one->may_come || count(*one, look::waits_for_issuer) == 0)
    return {};
  return std::chrono::ceil<std::chrono::milliseconds>(one->may_come - now);
}

bool token_turns::has_all_tokens(const std::string& address, look which) const {
  const auto one = known_.find(address);
  return one != known_.end() && one->second.tokens[static_cast<std::size_t>(which)] >= most_tokens;
}

bool token_turns::has_all_tickets(const std::string& address) const {
  const auto one = known_.find(address);
  return one != known_.end() && one->second.tickets >= most_tickets;
}

std::size_t token_turns::asked(const std::string& address) const {
  const auto one = known_.find(address);
  return one == known_.end() ? 0 : one->second.asked;
}

void token_turns::token_begun(const std::string& address, look which, time_point now) {
  if (auto* one = find_or_make(address, now))
    ++count(*one, which);
}

void token_turns::token_changes(const std::string& address, look from, look to) {
  auto* one = find(address);
  if (!one || count(*one, from) == 0)
    return;
  --count(*one, from);
  ++count(*one, to);
}

/// A good token clears the address: clients that guess tokens have no good one.
void token_turns::token_ended(const std::string& address, look which, outcome how, time_point now) {
  auto* one = find(address);
  if (!one)
    return;
  auto& same = count(*one, which);
  same -= std::min<std::size_t>(same, 1);
  if (how == outcome::unknown)
    return;
  forget_mistakes(*one, now);
  if (how == outcome::good) {
    one->mistakes = 0;
    one->may_come = time_point::min();
    return;
  }
  if (one->mistakes++ == 0)
    one->mistaken = now;
  if (one->mistakes <= free_mistakes)
    return;
  one->may_come = now + backoff::after(one->mistakes - free_mistakes, first_pause, longest_pause);
}

void token_turns::ticket_begun(const std::string& address, time_point now) {
  if (auto* one = find_or_make(address, now))
    ++one->tickets;
}

void token_turns::ticket_ended(const std::string& address) {
  if (auto* one = find(address))
    one->tickets -= std::min<std::size_t>(one->tickets, 1);
}

void token_turns::ask_begun(const std::string& address) {
  if (auto* one = find(address))
    ++one->asked;
}

void token_turns::ask_ended(const std::string& address) {
  if (auto* one = find(address))
    one->asked -= std::min<std::size_t>(one->asked, 1);
}

token_turns::record* token_turns::find(const std::string& address) {
  const auto one = known_.find(address);
  return one == known_.end() ? nullptr : &one->second;
}

/// Returns null for an address without limits.
token_turns::record* token_turns::find_or_make(const std::string& address, time_point now) {
  if (address.empty())
    return nullptr;
  if (auto* one = find(address))
    return one;
  if (known_.size() >= most_addresses && now >= next_look_) {
    std::erase_if(known_, [&](auto& one) { return is_resting(one.second, now); });
    next_look_ = now + std::chrono::seconds{1};
  }
  return known_.size() >= most_addresses ? nullptr : &known_[address];
}

void token_turns::forget_mistakes(record& one, time_point now) {
  const auto forgotten = static_cast<std::size_t>((now - one.mistaken) / forgotten_after);
  one.mistakes -= std::min(one.mistakes, forgotten);
  one.mistaken += forgotten * forgotten_after;
}

bool token_turns::is_resting(record one, time_point now) {
  forget_mistakes(one, now);
  return one.tokens == std::array<std::size_t, 2>{} && one.tickets == 0 && one.mistakes == 0;
}

} // namespace troupe::protocol
