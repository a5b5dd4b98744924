#include "deploy/log/record_writer.hpp"

#include "deploy/log/write_out.hpp"

#include <algorithm>
#include <chrono>

namespace troupe::deploy {

namespace {

/// Between two writes: whoever has a record meanwhile need not wake the thread.
constexpr auto pause_between_writes = std::chrono::milliseconds{50};

} // namespace

record_writer::record_writer(int descriptor, formatter format)
    : descriptor_(descriptor), format_(format), thread_([this] { run(); }) {}

record_writer::~record_writer() {
  {
    const std::lock_guard lock{mutex_};
    ends_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void record_writer::add(const access_record& record) {
  thread_local std::string line;
  line.clear();
  format_(line, record);
  line += '\n';
  bool is_first = false;
  {
    const std::lock_guard lock{mutex_};
    if (lines_.size() + line.size() > most) {
      ++lost_;
      return;
    }
    is_first = lines_.empty();
    lines_ += line;
  }
  if (is_first)
    changed_.notify_one();
}

void record_writer::run() {
  std::string taken;
  std::unique_lock lock{mutex_};
  while (!ends_ || !lines_.empty()) {
    changed_.wait(lock, [this] { return ends_ || !lines_.empty(); });
    taken.swap(lines_);
    lock.unlock();
    const auto left = write_out(descriptor_, taken);
    lost_ += static_cast<std::uint64_t>(std::ranges::count(left, '\n'));
    taken.clear();
    lock.lock();
    if (!ends_)
      changed_.wait_for(lock, pause_between_writes, [this] { return ends_; });
  }
}

} // namespace troupe::deploy
