#include "protocol/options/option_row.hpp"

namespace troupe::protocol {

std::string member_name(std::string_view key) {
  std::string result;
  for (const char letter : key)
    if (letter >= 'A' && letter <= 'Z')
      (result += '_') += static_cast<char>(letter | 0x20);
    else
      result += letter;
  return result;
}

std::string fault_of_bounds(std::uint64_t value, bounds within) {
  if (within.contain(value))
    return {};
  return "must be " + std::to_string(within.least) + " to " + std::to_string(within.most);
}

std::string fault_of_bounds(std::chrono::milliseconds value, bounds within) {
  if (value.count() >= static_cast<std::int64_t>(within.least))
    return {};
  return within.least > 0 ? "must be above zero" : "must not be below zero";
}

} // namespace troupe::protocol
