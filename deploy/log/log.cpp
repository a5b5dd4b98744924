#include "deploy/log/log.hpp"

#include "deploy/log/line_writer.hpp"
#include "deploy/log/log_line.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace troupe::deploy {

namespace {

/// Names of the levels, and their colours on terminals.
constexpr std::pair<std::string_view, std::string_view> looks[] = {{"debug", "\x1b[2m"},    // dim
                                                                   {"info", "\x1b[32m"},    // green
                                                                   {"warning", "\x1b[33m"}, // yellow
                                                                   {"error", "\x1b[1;31m"}, // red
                                                                   {"off", ""}};

/// True if levels are coloured: stderr is a terminal and `NO_COLOR` is not set (no-color.org).
bool has_colours() {
  const auto* const none = std::getenv("NO_COLOR");
  return ::isatty(STDERR_FILENO) && (!none || !*none);
}

/// Fixed part of an entry, before the text of its line.
struct entry_head {
  std::chrono::system_clock::time_point at;
  log_level level;
};

line_writer::formatter stderr_formatter(log_format format) {
  const auto is_json = format == log_format::json;
  return [is_json, is_coloured = !is_json && has_colours()](std::string& to, std::string_view entry) {
    entry_head head;
    std::memcpy(&head, entry.data(), sizeof head);
    entry.remove_prefix(sizeof head);
    const auto& [level, colour] = looks[static_cast<std::size_t>(head.level)];
    if (is_json)
      append_time(to += R"({"time":")", head.at).append(R"(","level":")").append(level).append("\",").append(entry) +=
          '}';
    else if (is_coloured)
      append_time(to, head.at).append(" ").append(colour).append(level).append("\x1b[0m ").append(entry);
    else
      append_time(to, head.at).append(" ").append(level).append(" ").append(entry);
  };
}

/// Pause between two writes: lines of a burst share one. Short, because people watch the log.
constexpr std::chrono::milliseconds stderr_pause{2};

/// Lines on stderr, from a level on.
class stderr_lines {
public:
  stderr_lines(log_level least, log_format format)
      : least_(least), format_(format), lines_(STDERR_FILENO, stderr_pause, stderr_formatter(format)) {}

  void write(const log_record& record) {
    if (record.level < least_)
      return;
    const entry_head head{std::chrono::system_clock::now(), record.level};
    const auto text = format_ == log_format::json ? json_members(record) : text_line(record);
    lines_.add(sizeof head + text.size(), [&](char* to) {
      std::memcpy(to, &head, sizeof head);
      return std::ranges::copy(text, to + sizeof head).out;
    });
  }
  log_level level() const { return least_; }
  void set_level(log_level least) { least_ = least; }
  std::uint64_t lost() const { return lines_.lost(); }

private:
  std::atomic<log_level> least_;
  log_format format_;
  line_writer lines_;
};

} // namespace

log_output stderr_log(log_level threshold, log_format format) {
  auto lines = std::make_shared<stderr_lines>(threshold, format);
  const std::weak_ptr weak{lines};
  auto level = [weak] {
    const auto alive = weak.lock();
    return alive ? alive->level() : log_level::error;
  };
  auto set_level = [weak](log_level least) {
    if (const auto alive = weak.lock())
      alive->set_level(least);
  };
  auto lost = [weak] {
    const auto alive = weak.lock();
    return alive ? alive->lost() : std::uint64_t{0};
  };
  auto write = [lines](const log_record& record) { lines->write(record); };
  return {std::move(write), std::move(level), std::move(set_level), std::move(lost)};
}

} // namespace troupe::deploy
