#include "protocol/session/readiness_watch.hpp"

#include <algorithm>
#include <optional>

namespace troupe::protocol {

namespace {

constexpr auto longest = readiness_watch::longest_pause + readiness_watch::leeway;

} // namespace

void readiness_watch::asked(const std::string& who, time_point now, bool is_ready) {
  auto [at, is_new] = askers_.try_emplace(who);
  auto& one = at->second;
  one = {now, is_ready, is_new ? std::nullopt : std::optional{one.last}};
  if (askers_.size() > most_askers)
    askers_.erase(std::ranges::min_element(askers_, {}, [](auto& other) { return other.second.last; }));
}

/// Ignores the pause between probes: two load balancers of one address may look like one.
bool readiness_watch::is_watched(time_point now) const {
  return std::ranges::any_of(askers_, [&](auto& entry) {
    auto& one = entry.second;
    return one.before && now < *one.before + 2 * longest;
  });
}

bool readiness_watch::is_awaited(time_point now) const {
  return std::ranges::any_of(askers_, [&](auto& entry) {
    auto& one = entry.second;
    auto pause = one.before ? one.last - *one.before : time_point::duration::max();
    return one.was_ready && pause <= longest && now < one.last + 2 * pause;
  });
}

} // namespace troupe::protocol
