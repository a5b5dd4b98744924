#include "protocol/time.hpp"

#include <array>
#include <cstdio>

namespace troupe::protocol {

std::string utc_text(calendar_time time) {
  using namespace std::chrono;
  const auto date = floor<days>(time);
  const year_month_day day{date};
  const hh_mm_ss clock{time - date};
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(day.year()),
                static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text.data();
}

} // namespace troupe::protocol
