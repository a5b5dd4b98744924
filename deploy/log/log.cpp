#include "deploy/log/log.hpp"

#include "deploy/log/log_line.hpp"

#include <spdlog/async_logger.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

namespace troupe::deploy {

namespace {

constexpr std::size_t lines_waiting = 8192;
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
    break;
  }
  return spdlog::level::err;
}

std::string pattern(log_format format) {
  const std::string time = time_pattern;
  return format == log_format::json ? R"({"time":")" + time + R"(","level":"%l",%v})" : time + " %l %v";
}

/// Writes lines to stderr, those of a burst together: after the last of them it pauses, and whoever logs meanwhile need
/// not wake the thread. Used by that thread only; `queue` is what it takes lines from.
class stderr_sink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
public:
  explicit stderr_sink(spdlog::details::thread_pool& queue) : queue_(queue) {}
  ~stderr_sink() override { write(); }

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
    std::fwrite(lines_.data(), 1, lines_.size(), stderr);
    std::fflush(stderr);
    lines_.clear();
  }

  spdlog::details::thread_pool& queue_;
  spdlog::memory_buf_t lines_;
};

/// The thread that writes, and the queue before it. The thread ends with this, once the queue is empty.
class stderr_writer {
public:
  stderr_writer(log_level threshold, log_format format)
      : format_(format), thread_(std::make_shared<spdlog::details::thread_pool>(lines_waiting, 1)),
        logger_(std::make_shared<spdlog::async_logger>("troupe", std::make_shared<stderr_sink>(*thread_), thread_,
                                                       spdlog::async_overflow_policy::overrun_oldest)) {
    logger_->set_level(to_spdlog(threshold));
    logger_->set_formatter(
        std::make_unique<spdlog::pattern_formatter>(pattern(format), spdlog::pattern_time_type::utc));
  }

  void write(const log_record& record) {
    if (const auto level = to_spdlog(record.level); logger_->should_log(level))
      logger_->log(level, format_ == log_format::json ? json_members(record) : text_line(record));
  }

private:
  log_format format_;
  std::shared_ptr<spdlog::details::thread_pool> thread_;
  std::shared_ptr<spdlog::async_logger> logger_;
};

} // namespace

log_sink stderr_log(log_level threshold, log_format format) {
  auto writer = std::make_shared<stderr_writer>(threshold, format);
  return [writer](const log_record& record) { writer->write(record); };
}

} // namespace troupe::deploy
