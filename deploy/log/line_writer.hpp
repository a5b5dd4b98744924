#pragma once

#include <spdlog/async_logger.h>
#include <spdlog/details/thread_pool.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace troupe::deploy {

/// In a pattern the level, in its colour on terminals.
inline constexpr char coloured_level = '*';

/// Writes lines to a descriptor, by a thread of its own with a bounded queue before it: a reader that is slow, or a
/// disk that is full, costs lines and is counted, never the time of who has something to say. When the queue is full
/// the oldest lines are lost. Destroying it writes what is left. Callable from any thread.
class line_writer {
public:
  /// `pattern` is spdlog's for a line, with `%` and `coloured_level` besides; its time is UTC. The descriptor outlives
  /// this.
  line_writer(int descriptor, const std::string& pattern);

  void write(spdlog::level::level_enum level, const std::string& text) { logger_->log(level, text); }
  /// The least level that is written.
  void set_level(spdlog::level::level_enum least) { logger_->set_level(least); }
  spdlog::level::level_enum level() const { return logger_->level(); }
  bool takes(spdlog::level::level_enum level) const { return logger_->should_log(level); }

  /// How many lines were never written.
  std::uint64_t lost() const { return thread_->overrun_counter() + *unwritten_; }

private:
  std::shared_ptr<std::atomic<std::uint64_t>> unwritten_ = std::make_shared<std::atomic<std::uint64_t>>(0);
  std::shared_ptr<spdlog::details::thread_pool> thread_;
  std::shared_ptr<spdlog::async_logger> logger_;
};

} // namespace troupe::deploy
