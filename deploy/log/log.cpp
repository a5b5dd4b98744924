#include "deploy/log/log.hpp"

#include "deploy/log/log_line.hpp"
#include "deploy/log/write_out.hpp"

#include <spdlog/async_logger.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>

namespace troupe::deploy {

namespace {

/// Flag of our own in spdlog patterns: the level, coloured on terminals.
inline constexpr char coloured_level = '*';

/// Writer of lines to a descriptor, with a bounded queue and a thread of its own. When a reader is slow or a disk is
/// full, the oldest lines are dropped and counted; callers never block. Destroying it writes the remaining lines.
/// Callable from any thread.
class line_writer {
public:
  /// `pattern` is an spdlog pattern, which may also contain `%` and `coloured_level`; times are UTC. `descriptor` must
  /// outlive this object.
  line_writer(int descriptor, const std::string& pattern);

  void write(spdlog::level::level_enum level, const std::string& text) { logger_->log(level, text); }
  /// Sets the lowest level that is written.
  void set_level(spdlog::level::level_enum least) { logger_->set_level(least); }
  spdlog::level::level_enum level() const { return logger_->level(); }
  bool takes(spdlog::level::level_enum level) const { return logger_->should_log(level); }

  /// Returns the number of lines that were never written.
  std::uint64_t lost() const { return thread_->overrun_counter() + *unwritten_; }

private:
  std::shared_ptr<std::atomic<std::uint64_t>> unwritten_ = std::make_shared<std::atomic<std::uint64_t>>(0);
  std::shared_ptr<spdlog::details::thread_pool> thread_;
  std::shared_ptr<spdlog::async_logger> logger_;
};

constexpr std::size_t lines_waiting = 8192;

/// Sink that writes the lines of a burst together. After the last line it pauses, and callers that log meanwhile need
/// not wake the thread. Used by that thread only; `queue` is the queue that feeds the thread.
class descriptor_sink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
public:
  descriptor_sink(int descriptor, spdlog::details::thread_pool& queue,
                  std::shared_ptr<std::atomic<std::uint64_t>> unwritten)
      : to_(descriptor), queue_(queue), unwritten_(std::move(unwritten)) {}
  ~descriptor_sink() override { write(); }

protected:
  void sink_it_(const spdlog::details::log_msg& line) override {
    formatter_->format(line, lines_);
    const auto is_last = queue_.queue_size() == 0;
    if (is_last || lines_.size() >= most_bytes)
      write();
    if (is_last)
      std::this_thread::sleep_for(pause);
  }
  void flush_() override { write(); }

private:
  static constexpr std::size_t most_bytes = 64 * 1024;
  static constexpr auto pause = std::chrono::milliseconds{2};

  void write() {
    *unwritten_ += to_.write({lines_.data(), lines_.size()});
    lines_.clear();
  }

  whole_lines to_;
  spdlog::details::thread_pool& queue_;
  std::shared_ptr<std::atomic<std::uint64_t>> unwritten_;
  spdlog::memory_buf_t lines_;
};

class coloured_level_formatter final : public spdlog::custom_flag_formatter {
public:
  void format(const spdlog::details::log_msg& line, const std::tm&, spdlog::memory_buf_t& to) override {
    const auto name = spdlog::level::to_string_view(line.level);
    for (const std::string_view part : {colour_of(line.level), {name.data(), name.size()}, std::string_view{"\x1b[0m"}})
      to.append(part.data(), part.data() + part.size());
  }
  std::unique_ptr<spdlog::custom_flag_formatter> clone() const override {
    return std::make_unique<coloured_level_formatter>();
  }

private:
  static std::string_view colour_of(spdlog::level::level_enum level) {
    switch (level) {
    case spdlog::level::err:
      return "\x1b[1;31m"; // red
    case spdlog::level::warn:
      return "\x1b[33m"; // yellow
    case spdlog::level::info:
      return "\x1b[32m"; // green
    default:
      return "\x1b[2m"; // dim
    }
  }
};

line_writer::line_writer(int descriptor, const std::string& pattern)
    : thread_(std::make_shared<spdlog::details::thread_pool>(lines_waiting, 1)),
      logger_(std::make_shared<spdlog::async_logger>(
          "troupe", std::make_shared<descriptor_sink>(descriptor, *thread_, unwritten_), thread_,
          spdlog::async_overflow_policy::overrun_oldest)) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
  formatter->add_flag<coloured_level_formatter>(coloured_level).set_pattern(pattern);
  logger_->set_formatter(std::move(formatter));
}

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

/// True if levels are coloured: stderr is a terminal and `NO_COLOR` is not set (no-color.org).
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
