#include "deploy/log/record_writer.hpp"

#include <algorithm>
#include <chrono>

namespace troupe::deploy {

namespace {

/// Between two writes: whoever has a record meanwhile need not wake the thread.
constexpr auto pause_between_writes = std::chrono::milliseconds{50};
/// Of lines, in bytes: more are not made before these are written.
constexpr std::size_t longest_write = 64 * 1024;

} // namespace

record_writer::record_writer(int descriptor, formatter format)
    : to_(descriptor), format_(format), thread_([this] { run(); }) {}

record_writer::~record_writer() {
  {
    const std::lock_guard lock{mutex_};
    ends_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void record_writer::add(const access_record& record) {
  bool is_first = false;
  {
    const std::lock_guard lock{mutex_};
    is_first = records_.is_empty();
    if (!records_.append(record, most)) {
      ++lost_;
      return;
    }
  }
  if (is_first)
    changed_.notify_one();
}

void record_writer::run() {
  packed_records taken;
  std::unique_lock lock{mutex_};
  while (!ends_ || !records_.is_empty()) {
    changed_.wait(lock, [this] { return ends_ || !records_.is_empty(); });
    taken.swap(records_);
    lock.unlock();
    write(taken.all());
    taken.clear();
    lock.lock();
    if (!ends_)
      changed_.wait_for(lock, pause_between_writes, [this] { return ends_; });
  }
}

/// Of what was taken together nothing is tried behind a line that could not be written: it would have no room either.
void record_writer::write(std::string_view packed) {
  bool fails = false;
  while (!packed.empty()) {
    lines_.clear();
    while (!packed.empty() && lines_.size() < longest_write) {
      format_(lines_, take_packed(packed));
      lines_ += '\n';
    }
    const auto left = fails ? static_cast<std::uint64_t>(std::ranges::count(lines_, '\n')) : to_.write(lines_);
    fails = left != 0;
    lost_ += left;
    std::this_thread::yield(); // those who answer calls are not to wait for all of the lines
  }
}

} // namespace troupe::deploy
