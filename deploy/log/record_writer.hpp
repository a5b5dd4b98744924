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

/// Queue of access records, packed into one buffer with their texts, which a record only refers to. Packing is far
/// quicker than formatting. Texts are cut to the size that a line shows, see `longest_access_value`.
class packed_records {
public:
  packed_records() = default;
  packed_records(const packed_records&) = delete;
  packed_records& operator=(const packed_records&) = delete;

  /// Appends a record. Returns false and appends nothing if the buffer would exceed `most` bytes.
  bool append(const access_record& record, std::size_t most = std::string_view::npos);
  void swap(packed_records& other) noexcept;
  /// Returns the packed bytes, for `take_packed`; valid until the next `append`.
  std::string_view all() const { return {room_.data(), used_}; }
  bool is_empty() const { return used_ == 0; }
  /// Removes all records and keeps the memory.
  void clear() { used_ = 0; }

private:
  /// Buffer, larger than its used part: growing it on each append would write every byte twice.
  std::string room_;
  std::size_t used_ = 0;
};

/// Removes the first of the packed records and returns it; `from` must not be empty. Its texts point into the buffer.
access_record take_packed(std::string_view& from);

/// Formats and writes a line for each record, on its own thread, which wakes every few milliseconds. Callers never wait
/// for a disk or for the formatting. When a reader is slow or a disk is full, lines are dropped and counted. Destroying
/// it writes the remaining lines. Callable from any thread.
class record_writer {
public:
  /// Appends the line of a record, without a line break. Called on the writer's thread.
  using formatter = void (*)(std::string& to, const access_record& record);

  /// `descriptor` must outlive this object.
  record_writer(int descriptor, formatter format);
  ~record_writer();
  record_writer(const record_writer&) = delete;
  record_writer& operator=(const record_writer&) = delete;

  void add(const access_record& record);
  /// Returns the number of lines that were never written.
  std::uint64_t lost() const { return lost_; }

  /// Limit of the waiting records, in bytes, see `packed_records`. Records above it are dropped.
  static constexpr std::size_t most = 8 * 1024 * 1024;

private:
  void run();
  void write(std::string_view packed);

  /// Used by the writer's thread only.
  whole_lines to_;
  formatter format_;
  std::atomic<std::uint64_t> lost_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  packed_records records_;
  bool ends_ = false;
  /// Lines to write next; used by the writer's thread only, a member to keep its memory.
  std::string lines_;
  std::thread thread_;
};

} // namespace troupe::deploy
