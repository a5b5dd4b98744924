#pragma once

#include "actors/troupe/access_record.hpp"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace troupe::deploy {

/// Writes a line for each record to a descriptor, by a thread of its own: it takes the records that have come together
/// every few milliseconds, and makes their lines, so that a record costs who has it no more than to be moved. Where a
/// reader is slow, or a disk full, lines are lost and counted. Destroying it writes what is left. Callable from any
/// thread.
class record_writer {
public:
  /// Makes the line of a record, without a line break. Called on the thread of the writer.
  using formatter = std::string (*)(const access_record&);

  /// The descriptor outlives this.
  record_writer(int descriptor, formatter format);
  ~record_writer();
  record_writer(const record_writer&) = delete;
  record_writer& operator=(const record_writer&) = delete;

  void add(access_record&& record);
  /// How many lines were never written.
  std::uint64_t lost() const { return lost_; }

  /// Most bytes of records that wait, each counted as `size_of` says. What does not fit is lost.
  static constexpr std::size_t most = 8 * 1024 * 1024;
  static std::size_t size_of(const access_record& record);

private:
  void run();
  void write(const std::vector<access_record>& records);

  int descriptor_;
  formatter format_;
  std::atomic<std::uint64_t> lost_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<access_record> records_;
  std::size_t bytes_ = 0;
  bool ends_ = false;
  std::thread thread_;
};

} // namespace troupe::deploy
