#include "protocol/rate_limits.hpp"

#include "protocol/text/number.hpp"

namespace troupe::protocol {

std::optional<drain_rate> read_drain_rate(std::string_view text) {
  const auto slash = text.find('/');
  const auto each = slash == text.npos ? "s" : text.substr(slash + 1);
  const auto sessions = read_number(text.substr(0, slash));
  if (!sessions || *sessions == 0 || *sessions > most_to_leave || (each != "s" && each != "min"))
    return std::nullopt;
  return drain_rate{static_cast<std::uint32_t>(*sessions), std::chrono::seconds{each == "s" ? 1 : 60}};
}

std::string drain_rate_text(const drain_rate& rate) {
  return std::to_string(rate.sessions) + (rate.each == std::chrono::seconds{1} ? "/s" : "/min");
}

std::string no_drain_rate(std::string_view text) {
  return "'" + std::string{text} + "' is no rate: say how many sessions leave, such as 20/s or 90/min, from 1 to " +
         std::to_string(most_to_leave);
}

} // namespace troupe::protocol
