#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace troupe::deploy {

/// Writes many lines to a descriptor, by a thread of its own: it takes what has come together every few milliseconds,
/// so that a line costs who has it no more than to be copied. Where a reader is slow, or a disk full, lines are lost
/// and counted. Destroying it writes what is left. Callable from any thread.
class line_buffer {
public:
  /// The descriptor outlives this.
  explicit line_buffer(int descriptor);
  ~line_buffer();
  line_buffer(const line_buffer&) = delete;
  line_buffer& operator=(const line_buffer&) = delete;

  /// Takes a line, which has no line break.
  void add(std::string_view line);
  /// How many lines were never written.
  std::uint64_t lost() const { return lost_; }

  /// Most bytes that wait. What does not fit is lost.
  static constexpr std::size_t most = 4 * 1024 * 1024;

private:
  void run();

  int descriptor_;
  std::atomic<std::uint64_t> lost_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string lines_;
  bool ends_ = false;
  std::thread thread_;
};

} // namespace troupe::deploy
