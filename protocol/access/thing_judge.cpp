#include "protocol/access/thing_judge.hpp"

#include "protocol/access/uri_readings.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

/// What a URI costs that has several readings, each of its bytes, and each of the readings, as much as so many bytes of
/// them; what each byte of one costs that cannot be told; how many bytes are compared with a pattern for what it takes
/// to read one: measured.
constexpr std::size_t cost_of_reading = 512, cost_of_byte = 4, cost_of_text = 64, cost_of_unclear_byte = 8,
                      compared_for_one = 8;

std::size_t cost_of(const std::optional<std::vector<std::string>>& readings, const named_thing& one,
                    const permissions& rules) {
  if (!readings)
    return cost_of_reading + one.name.size() * cost_of_unclear_byte;
  std::size_t bytes = 0;
  for (auto& text : *readings)
    bytes += text.size();
  const auto are_several = readings->size() > 1;
  const auto of_reading =
      are_several ? cost_of_reading + one.name.size() * cost_of_byte + readings->size() * cost_of_text : 0;
  return of_reading + bytes + bytes * rules.patterns_for(one.kind) / compared_for_one;
}

std::vector<std::string> readings_of_name(const std::string& name) {
  std::vector<std::string> result{name};
  if (const auto read = until_null(name); read.size() < name.size())
    result.emplace_back(read);
  return result;
}

} // namespace

std::optional<std::vector<std::string>> readings_of(const permissions& rules, const named_thing& one) {
  if (one.kind != offered::resource)
    return readings_of_name(one.name);
  auto read = readings_of_uri(one.name);
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
  const auto readings = readings_of(rules, one);
  return spend(cost_of(readings, one, rules)) && readings ? rules.to(one.kind, *readings, who)
                                                          : permit{permit::kind::hidden};
}

bool thing_judge::spend(std::size_t cost) {
  exhausted_ = cost > left_;
  left_ -= std::min(cost, left_);
  return !exhausted_;
}

} // namespace troupe::protocol
