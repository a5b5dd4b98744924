#include "protocol/session/gateway_drain.hpp"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

namespace troupe::protocol {

namespace {

/// Orders sessions: the smaller leaves first.
auto order_of_leaving(const movable_session& one) {
  return std::tuple{!one.idle_since, one.idle_since.value_or(time_point::max()), one.number};
}

/// Returns the sessions whose last notification is `patience` old, and notes the new one.
std::vector<std::uint64_t> sessions_to_remind(std::span<const movable_session> sessions,
                                              std::map<std::uint64_t, time_point>& told, time_point now) {
  std::vector<std::uint64_t> result;
  for (auto& one : sessions)
    if (auto& when = told.at(one.number); when + paced_drain::patience <= now) {
      when = now;
      result.push_back(one.number);
    }
  return result;
}

constexpr auto longest = readiness_watch::longest_pause + readiness_watch::leeway;

} // namespace

void paced_drain::change(drain_rate rate, time_point now) {
  if (std::exchange(rate_, rate) == rate)
    return;
  from_ = now;
  turns_ = 0;
}

void paced_drain::left(std::uint64_t number) { moved_ += told_.erase(number); }

/// Returns how many turns have come. Turns missed for longer than `longest_lag` are lost.
std::size_t paced_drain::take_turns(std::size_t most, time_point now) {
  if (turn() + longest_lag < now) {
    from_ = now - longest_lag;
    turns_ = 0;
  }
  std::size_t result = 0;
  for (; result < most && turn() <= now; ++result)
    if (++turns_ == rate_.sessions) {
      from_ += rate_.each;
      turns_ = 0;
    }
  return result;
}

std::vector<std::uint64_t> paced_drain::tick(std::vector<movable_session> all, bool is_taken_in, time_point now) {
  is_over_ = is_over_ || all.empty();
  std::erase_if(all, [](auto& one) { return !one.is_ours; });
  auto untold = std::partition(all.begin(), all.end(), [&](auto& one) { return told_.contains(one.number); });
  const std::span told{all.begin(), untold};
  const std::span waiting{untold, all.end()};
  auto result = sessions_to_remind(told, told_, now);
  const auto leaving = is_taken_in ? take_turns(waiting.size(), now) : 0;
  std::partial_sort(untold, untold + static_cast<std::ptrdiff_t>(leaving), all.end(),
                    [](auto& a, auto& b) { return order_of_leaving(a) < order_of_leaving(b); });
  for (auto& one : waiting.first(leaving)) {
    told_[one.number] = now;
    result.push_back(one.number);
  }
  deadline_ = now + patience;
  if (is_taken_in && leaving < waiting.size())
    deadline_ = std::min(deadline_, std::max(turn(), now + shortest_wait));
  return result;
}

void readiness_watch::asked(const std::string& who, time_point now, bool is_ready) {
  auto [at, is_new] = requesters_.try_emplace(who);
  auto& one = at->second;
  one = {now, is_ready, is_new ? std::nullopt : std::optional{one.last}};
  if (requesters_.size() > most_askers)
    requesters_.erase(std::ranges::min_element(requesters_, {}, [](auto& other) { return other.second.last; }));
}

/// Ignores the interval of polls: two load balancers behind one address may look like one.
bool readiness_watch::is_watched(time_point now) const {
  return std::ranges::any_of(requesters_, [&](auto& entry) {
    auto& one = entry.second;
    return one.before && now < *one.before + 2 * longest;
  });
}

bool readiness_watch::is_awaited(time_point now) const {
  return std::ranges::any_of(requesters_, [&](auto& entry) {
    auto& one = entry.second;
    auto pause = one.before ? one.last - *one.before : time_point::duration::max();
    return one.was_ready && pause <= longest && now < one.last + 2 * pause;
  });
}

gateway_drain::sessions gateway_drain::begin(bool at_once) {
  auto is_news = !std::exchange(has_begun_, true);
  is_hurried_ = is_hurried_ || at_once;
  if (at_once || !has_other_nodes_)
    return sessions::end;
  return is_news ? sessions::move : sessions::stay;
}

} // namespace troupe::protocol
