#include "protocol/access/thing_judge.hpp"

#include "protocol/access/uri_readings.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

/// In bytes of readings, as much as each costs: a name; a URI that has several readings, and each of its bytes; each of
/// these readings; each byte of a URI that cannot be told. For so much effort of comparing it is one. All are measured.
constexpr std::size_t cost_of_name = 16, cost_of_reading = 512, cost_of_byte = 4, cost_of_text = 64,
                      cost_of_unclear_byte = 16, effort_for_one = 8;

std::size_t cost_of_reading_it(const std::optional<std::vector<std::string>>& readings, const std::string& name) {
  if (!readings)
    return cost_of_reading + name.size() * cost_of_unclear_byte;
  std::size_t bytes = 0;
  for (auto& text : *readings)
    bytes += text.size();
  return readings->size() < 2 ? bytes
                              : cost_of_reading + name.size() * cost_of_byte + readings->size() * cost_of_text + bytes;
}

std::vector<std::string> readings_of_name(const std::string& name) {
  std::vector<std::string> result{name};
  if (const auto read = until_null(name); read.size() < name.size())
    result.emplace_back(read);
  return result;
}

} // namespace

std::optional<std::vector<std::string>> readings_of(const permissions& rules, const named_thing& one,
                                                    std::size_t* effort) {
  if (one.kind != offered::resource)
    return readings_of_name(one.name);
  auto read = readings_of_uri(one.name, effort);
  const auto is_named = [&](auto& host) { return rules.name_file_host(host); };
  if (!read || !std::ranges::all_of(read->file_hosts, is_named))
    return std::nullopt;
  return std::move(read->texts);
}

permit thing_judge::judge(const permissions& rules, const named_thing& one, const principal& who) {
  if (!rules.are_about(one.kind))
    return rules.to_server(who);
  if (exhausted_ || one.name.size() > longest_named)
    return {permit::kind::hidden};
  std::size_t given_up = 0;
  const auto readings = readings_of(rules, one, &given_up);
  const auto effort = readings ? rules.effort_for(one.kind, *readings) : 0;
  return spend(cost_of_name + cost_of_reading_it(readings, one.name) + given_up + effort / effort_for_one) && readings
             ? rules.to(one.kind, *readings, who)
             : permit{permit::kind::hidden};
}

bool thing_judge::spend(std::size_t cost) {
  exhausted_ = cost > left_;
  left_ -= std::min(cost, left_);
  return !exhausted_;
}

} // namespace troupe::protocol
