#include "deploy/log/log.hpp"

#include "deploy/log/line_writer.hpp"
#include "deploy/log/log_line.hpp"

#include <cstdlib>
#include <memory>
#include <string>

#include <unistd.h>

namespace troupe::deploy {

namespace {

constexpr auto time_pattern = "%Y-%m-%dT%H:%M:%S.%eZ";

spdlog::level::level_enum to_spdlog(log_level level) {
  switch (level) {
  case log_level::debug:
    return spdlog::level::debug;
  case log_level::info:
    return spdlog::level::info;
  case log_level::warning:
    return spdlog::level::warn;
  case log_level::error:
    return spdlog::level::err;
  case log_level::none:
    break;
  }
  return spdlog::level::off;
}

/// Levels have colours on a terminal, unless its user wants none (no-color.org).
bool has_colours() {
  const auto* const none = std::getenv("NO_COLOR");
  return ::isatty(STDERR_FILENO) && (!none || !*none);
}

std::string pattern(log_format format) {
  const std::string time = time_pattern;
  if (format == log_format::json)
    return R"({"time":")" + time + R"(","level":"%l",%v})";
  return time + (has_colours() ? std::string{' ', '%', coloured_level} : " %l") + " %v";
}

log_level from_spdlog(spdlog::level::level_enum level) {
  switch (level) {
  case spdlog::level::debug:
    return log_level::debug;
  case spdlog::level::info:
    return log_level::info;
  case spdlog::level::warn:
    return log_level::warning;
  case spdlog::level::off:
    return log_level::none;
  default:
    return log_level::error;
  }
}

} // namespace

log_output stderr_log(log_level threshold, log_format format) {
  auto writer = std::make_shared<line_writer>(STDERR_FILENO, pattern(format));
  writer->set_level(to_spdlog(threshold));
  const std::weak_ptr weak{writer};
  auto level = [weak] {
    const auto alive = weak.lock();
    return alive ? from_spdlog(alive->level()) : log_level::error;
  };
  auto set_level = [weak](log_level least) {
    if (const auto alive = weak.lock())
      alive->set_level(to_spdlog(least));
  };
  auto lost = [weak] {
    const auto alive = weak.lock();
    return alive ? alive->lost() : std::uint64_t{0};
  };
  auto write = [writer, format](const log_record& record) {
    if (const auto level = to_spdlog(record.level); writer->takes(level))
      writer->write(level, format == log_format::json ? json_members(record) : text_line(record));
  };
  return {std::move(write), std::move(level), std::move(set_level), std::move(lost)};
}

} // namespace troupe::deploy
