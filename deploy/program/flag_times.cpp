#include "deploy/program/flag_times.hpp"

#include "deploy/config/duration.hpp"

#include <utility>

namespace troupe::deploy {

std::optional<std::chrono::milliseconds> flag_time(const std::string& text) {
  auto result = duration_of(std::string_view{text});
  if (double seconds = 0; !result && CLI::detail::lexical_cast(text, seconds))
    result = duration_of(seconds);
  return result && result->count() > 0 ? result : std::nullopt;
}

CLI::Validator must_be_time() {
  return {[](const std::string& text) {
            return flag_time(text) ? std::string{}
                                   : "'" + text + "' is not a time above 0, such as 90, 90s, 500ms, 1.5m or 1h";
          },
          ""};
}

std::string time_text(std::chrono::milliseconds time) {
  for (const auto& [unit, name] : {std::pair{std::chrono::milliseconds{std::chrono::hours{1}}, "h"},
                                   {std::chrono::minutes{1}, "m"},
                                   {std::chrono::seconds{1}, "s"}})
    if (time.count() > 0 && time % unit == std::chrono::milliseconds::zero())
      return std::to_string(time / unit) + name;
  return std::to_string(time.count()) + "ms";
}

} // namespace troupe::deploy
