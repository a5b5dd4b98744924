#pragma once

#include "deploy/log/write_out.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace troupe::deploy {

/// Queue of lines that are not formatted yet, each an entry of bytes. Above a limit of bytes it drops the oldest. Keeps
/// the memory of removed entries for further ones.
class line_queue {
public:
  /// `most` is the limit of the waiting entries, in bytes.
  explicit line_queue(std::size_t most) : most_(most) {}

  /// Appends an entry of `largest` bytes or fewer: `write(to)` writes it at `to` and returns its end. Returns the
  /// number of entries that were dropped.
  template <class Write>
  std::size_t append(std::size_t largest, Write write) {
    auto& to = with_room_for(sizeof(std::size_t) + largest);
    char* const start = to.room.data() + to.used;
    char* const entry = start + sizeof(std::size_t);
    const auto size = static_cast<std::size_t>(write(entry) - entry);
    std::memcpy(start, &size, sizeof size);
    to.used += sizeof size + size;
    size_ += sizeof size + size;
    return drop_surplus();
  }

  /// Returns the oldest entry, valid until it is removed; there must be one.
  std::string_view first() const;
  void remove_first();
  bool is_empty() const { return size_ == 0; }
  /// Size of all entries in bytes, that of their sizes included.
  std::size_t size() const { return size_; }

private:
  struct chunk {
    std::vector<char> room;
    std::size_t first = 0, used = 0;
  };

  chunk& with_room_for(std::size_t size);
  std::size_t drop_surplus();

  std::size_t most_;
  std::size_t size_ = 0;
  std::list<chunk> chunks_, spare_;
};

/// Formats and writes lines to a descriptor, on its own thread. When a reader is slow or a disk is full, the oldest
/// lines are dropped and counted: callers never wait for it, nor for the formatting. Each descriptor has its own
/// writer, so that one that blocks costs no line of another. Destroying it writes the remaining lines. Callable from
/// any thread.
class line_writer {
public:
  /// Appends the line of an entry, without a line break. Called on the writer's thread.
  using formatter = std::function<void(std::string& to, std::string_view entry)>;

  /// `descriptor` must outlive this object. The thread pauses after each write: callers that add lines meanwhile need
  /// not wake it.
  line_writer(int descriptor, std::chrono::milliseconds pause, formatter format);
  ~line_writer();
  line_writer(const line_writer&) = delete;
  line_writer& operator=(const line_writer&) = delete;

  /// Adds the line of an entry of `largest` bytes or fewer: `write(to)` writes the entry at `to` and returns its end.
  template <class Write>
  void add(std::size_t largest, Write write) {
    bool wakes = false;
    {
      const std::lock_guard lock{mutex_};
      if (const auto dropped = waiting_.append(largest, write))
        lost_ += dropped;
      wakes = std::exchange(is_idle_, false);
    }
    if (wakes)
      changed_.notify_one();
  }
  /// Returns the number of lines that were never written.
  std::uint64_t lost() const { return lost_; }

  /// Limit of the waiting lines, in bytes.
  static constexpr std::size_t most = 8 * 1024 * 1024;

private:
  void run();
  void write(line_queue& taken);

  std::chrono::milliseconds pause_;
  std::atomic<std::uint64_t> lost_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  line_queue waiting_{most};
  /// True while the thread waits for the next line.
  bool is_idle_ = false;
  bool ends_ = false;
  /// Used by the writer's thread only, as are the following members.
  whole_lines to_;
  formatter format_;
  /// Lines to write next; a member to keep its memory.
  std::string lines_;
  std::thread thread_;
};

} // namespace troupe::deploy
