#pragma once

#include "actors/troupe/access_record.hpp"
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

/// Records with their texts, one behind the other, so that they can be read when their own texts are gone. Far quicker
/// than to write their lines. Of longer texts there is what a line has of them, see `longest_access_value`.
class packed_records {
public:
  packed_records() = default;
  packed_records(const packed_records&) = delete;
  packed_records& operator=(const packed_records&) = delete;

  /// False, and nothing is done, when there would be more than that many bytes.
  bool append(const access_record& record, std::size_t most = std::string_view::npos);
  void swap(packed_records& other) noexcept;
  /// For `take_packed`, until something is appended.
  std::string_view all() const { return {room_.data(), used_}; }
  bool is_empty() const { return used_ == 0; }
  /// Keeps the memory.
  void clear() { used_ = 0; }

private:
  /// Larger than what is used of it: to fill it anew each time would cost as much again.
  std::string room_;
  std::size_t used_ = 0;
};

/// Reads the first of packed records, and takes it off them; there is one. Its texts stand where it did.
access_record take_packed(std::string_view& from);

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
