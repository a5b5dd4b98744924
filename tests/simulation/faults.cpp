#include "tests/simulation/faults.hpp"

#include <array>
#include <chrono>

namespace troupe::tests::simulation {

namespace {

span_of_time length_of(fault_kind kind, dice& random) {
  switch (kind) {
  case fault_kind::pause:
    return random.between(50ms, 6s);
  case fault_kind::kill:
  case fault_kind::power_loss:
    return random.between(100ms, 8s);
  case fault_kind::store_hangs:
    return random.between(100ms, 12s);
  case fault_kind::store_goes_back:
  case fault_kind::store_goes_back_twice:
  case fault_kind::store_is_restored:
    return random.between(100ms, 10s);
  case fault_kind::store_fails_over:
    return random.between({}, 500ms);
  case fault_kind::restart:
  case fault_kind::rolling_restart:
    return random.between(500ms, 6s);
  default:
    return random.between(100ms, 8s);
  }
}

span_of_time whole(span_of_time time) { return std::chrono::floor<std::chrono::milliseconds>(time); }

} // namespace

std::string_view fault_text(fault_kind of) {
  constexpr std::array<std::string_view, fault_kinds> texts{"a link breaks",
                                                            "one-way partition",
                                                            "partition",
                                                            "a node pauses",
                                                            "a machine is suspended",
                                                            "a node is killed",
                                                            "power loss",
                                                            "slow network",
                                                            "a clock drifts",
                                                            "a store connection breaks",
                                                            "the store hangs",
                                                            "the store is emptied",
                                                            "the store goes back",
                                                            "the store fails over",
                                                            "the store goes back twice",
                                                            "the store is restored",
                                                            "a node restarts",
                                                            "all nodes restart",
                                                            "a process hands over"};
  return texts[static_cast<std::size_t>(of)];
}

fault_plan plan_faults(std::uint64_t seed, std::size_t hosts, span_of_time time, const std::set<fault_kind>& kinds,
                       span_of_time pause) {
  dice random{seed ^ 0xfa017U};
  fault_plan result;
  std::vector<fault_kind> all{kinds.begin(), kinds.end()};
  std::erase(all, fault_kind::hand_over);
  if (kinds.contains(fault_kind::drift))
    for (std::size_t host = 0; host < hosts; ++host)
      result.push_back({{}, fault_kind::drift, host, 0, whole(random.between({}, 90ms))});
  for (auto at = span_of_time{2s}; !all.empty() && at < time; at += random.between(pause / 4, 2 * pause)) {
    auto kind = all[random.below(all.size())];
    auto one = random.below(hosts);
    auto other = (one + 1 + random.below(hosts - 1)) % hosts;
    if (kind != fault_kind::drift)
      result.push_back({whole(at), kind, one, other, whole(length_of(kind, random))});
  }
  return result;
}

} // namespace troupe::tests::simulation
