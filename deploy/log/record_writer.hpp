#pragma once

#include "deploy/log/packed_record.hpp"
#include "deploy/log/write_out.hpp"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace troupe::deploy {

/// Writes a line for each record to a descriptor, by a thread of its own, which takes the records that have come
/// together every few milliseconds: nobody waits for a disk, or for lines to be made. Where a reader is slow, or a disk
/// full, lines are lost and counted. Destroying it writes what is left. Callable from any thread.
class record_writer {
public:
  /// Appends the line of a record, without a line break. Called on the thread of the writer.
  using formatter = void (*)(std::string& to, const access_record& record);

  /// The descriptor outlives this.
  record_writer(int descriptor, formatter format);
  ~record_writer();
  record_writer(const record_writer&) = delete;
  record_writer& operator=(const record_writer&) = delete;

  void add(const access_record& record);
  /// How many lines were never written.
  std::uint64_t lost() const { return lost_; }

  /// Most bytes of records that wait, see `packed_records`. What does not fit is lost.
  static constexpr std::size_t most = 8 * 1024 * 1024;

private:
  void run();
  void write(std::string_view packed);

  /// Of the thread.
  whole_lines to_;
  formatter format_;
  std::atomic<std::uint64_t> lost_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  packed_records records_;
  bool ends_ = false;
  /// Of the thread: what it writes next, kept for its memory.
  std::string lines_;
  std::thread thread_;
};

} // namespace troupe::deploy
