#include "deploy/log/line_buffer.hpp"

#include "deploy/log/write_out.hpp"

#include <algorithm>
#include <chrono>

namespace troupe::deploy {

namespace {

/// Between two writes: whoever has a line meanwhile need not wake the thread.
constexpr auto pause_between_writes = std::chrono::milliseconds{10};

} // namespace

line_buffer::line_buffer(int descriptor) : descriptor_(descriptor), thread_([this] { run(); }) {}

line_buffer::~line_buffer() {
  {
    const std::lock_guard lock{mutex_};
    ends_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void line_buffer::add(std::string_view line) {
  bool is_first = false;
  {
    const std::lock_guard lock{mutex_};
    if (lines_.size() + line.size() >= most) {
      ++lost_;
      return;
    }
    is_first = lines_.empty();
    lines_.append(line).push_back('\n');
  }
  if (is_first)
    changed_.notify_one();
}

void line_buffer::run() {
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
