#include "deploy/config/config_limits.hpp"

#include "deploy/config/config_keys.hpp"
#include "protocol/text/ip_address.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

namespace troupe::deploy {

namespace {

constexpr std::string_view per_address = "perAddress";
constexpr std::string_view trusted_proxies = "trustedProxies";

/// A limit that is a whole number.
template <class Limits>
struct limit_key {
  std::string_view name;
  std::size_t Limits::*member;
  std::uint64_t least;
  std::uint64_t most;
};

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 50;

constexpr limit_key<limits> total_keys[] = {{"connections", &limits::connections, 0, 10'000'000},
                                            {"unsentBytes", &limits::unsent_bytes, 0, std::uint64_t{1} << 40},
                                            {"eventBytes", &limits::event_bytes, 1, most_bytes},
                                            {"waitingBytes", &limits::waiting_bytes, 1, most_bytes},
                                            {"messageBytes", &limits::message_bytes, 1024, 1'073'741'824},
                                            {"processes", &limits::processes, 1, 1'000'000}};

constexpr limit_key<address_limits> address_keys[] = {
    {"requestsPerSecond", &address_limits::requests_per_second, 0, 1'000'000},
    {"initializesPerMinute", &address_limits::initializes_per_minute, 0, 1'000'000},
    {"sessions", &address_limits::sessions, 0, 1'000'000},
    {"calls", &address_limits::calls, 0, 1'000'000},
    {"connections", &address_limits::connections, 0, 1'000'000}};

template <class Limits>
std::vector<std::string_view> names(std::span<const limit_key<Limits>> keys) {
  std::vector<std::string_view> result;
  std::ranges::transform(keys, std::back_inserter(result), &limit_key<Limits>::name);
  return result;
}

/// Whether the member is one of the keys.
template <class Limits>
bool read_limit(const config_member& member, std::span<const limit_key<Limits>> keys, Limits& to) {
  const auto found = std::ranges::find(keys, member.name, &limit_key<Limits>::name);
  if (found == keys.end())
    return false;
  if (const auto number = member.value.whole(found->least, found->most))
    to.*found->member = *number;
  return true;
}

void read_per_address(const config_value& section, address_limits& to) {
  for (const auto& member : section.members())
    if (!read_limit<address_limits>(member, address_keys, to))
      warn_of_unknown(member, address_limits_keys());
}

void read_proxies(const config_value& list, limits& to) {
  for (const auto& one : list.elements())
    if (const auto text = one.text()) {
      if (protocol::ip_networks::is_valid(*text))
        to.trusted_proxies.push_back(*text);
      else
        one.error("must be an address or a network such as 10.0.0.0/8");
    }
}

} // namespace

void read_limits(const config_value& section, limits& to) {
  for (const auto& member : section.members()) {
    if (member.name == per_address)
      read_per_address(member.value, to.per_address);
    else if (member.name == trusted_proxies)
      read_proxies(member.value, to);
    else if (!read_limit<limits>(member, total_keys, to))
      warn_of_unknown(member, limits_keys());
  }
}

std::vector<std::string_view> limits_keys() {
  auto result = names<limits>(total_keys);
  result.insert(result.end(), {per_address, trusted_proxies});
  return result;
}

std::vector<std::string_view> address_limits_keys() { return names<address_limits>(address_keys); }

} // namespace troupe::deploy
