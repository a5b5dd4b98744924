#include "deploy/log/line_writer.hpp"

#include "deploy/log/write_out.hpp"

#include <spdlog/details/null_mutex.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>

#include <chrono>
#include <cstddef>
#include <ctime>
#include <string_view>
#include <thread>
#include <utility>

namespace troupe::deploy {

namespace {

constexpr std::size_t lines_waiting = 8192;

/// Writes lines to a descriptor, those of a burst together: after the last of them it pauses, and whoever logs
/// meanwhile need not wake the thread. Used by that thread only; `queue` is what it takes lines from.
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

} // namespace

line_writer::line_writer(int descriptor, const std::string& pattern)
    : thread_(std::make_shared<spdlog::details::thread_pool>(lines_waiting, 1)),
      logger_(std::make_shared<spdlog::async_logger>(
          "troupe", std::make_shared<descriptor_sink>(descriptor, *thread_, unwritten_), thread_,
          spdlog::async_overflow_policy::overrun_oldest)) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
  formatter->add_flag<coloured_level_formatter>(coloured_level).set_pattern(pattern);
  logger_->set_formatter(std::move(formatter));
}

} // namespace troupe::deploy
