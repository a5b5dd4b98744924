#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <poll.h>
#include <string>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace troupe::tests {

using lines = std::vector<std::string>;

/// The time limit for an awaited event.
inline constexpr auto patience = std::chrono::seconds{20};

/// An ordered list of lines, written on one thread and awaited on another.
class journal {
public:
  void note(std::string line) {
    std::lock_guard lock{mutex_};
    lines_.push_back(std::move(line));
    grown_.notify_all();
  }

  lines all() const {
    std::lock_guard lock{mutex_};
    return lines_;
  }

  /// All lines, once there are so many, or after the time limit.
  lines wait_for(std::size_t count) const {
    std::unique_lock lock{mutex_};
    grown_.wait_for(lock, patience, [&] { return lines_.size() >= count; });
    return lines_;
  }

  /// The lines up to this one; all lines after the time limit.
  lines wait_for(const std::string& line, std::chrono::milliseconds limit = patience) const {
    std::unique_lock lock{mutex_};
    auto end_of = [&] { return std::find(lines_.begin(), lines_.end(), line); };
    grown_.wait_for(lock, limit, [&] { return end_of() != lines_.end(); });
    auto found = end_of();
    return {lines_.begin(), found == lines_.end() ? found : found + 1};
  }

private:
  mutable std::mutex mutex_;
  mutable std::condition_variable grown_;
  lines lines_;
};

/// Whether a process ends in time. A zombie counts as ended.
inline bool ends(pid_t pid, std::chrono::milliseconds within = patience) {
  auto fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0)
    return true;
  pollfd wait{fd, POLLIN, 0};
  auto ended = ::poll(&wait, 1, static_cast<int>(within.count())) == 1;
  ::close(fd);
  return ended;
}

/// Polls a condition until it is true or the time limit is over. Yields the processor.
inline bool eventually(const std::function<bool()>& is_true) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  auto result = is_true();
  for (; !result && std::chrono::steady_clock::now() < deadline; result = is_true())
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  return result;
}

/// A test that leaks no descriptor, no thread and no child process.
class tidy_test : public testing::Test {
protected:
  /// A sanitizer may start a thread together with the first one, and a joined thread may take a moment to disappear.
  tidy_test() {
    std::thread{[] {}}.join();
    descriptors_ = entries_of("/proc/self/fd");
    threads_ = entries_of("/proc/self/task");
  }
  ~tidy_test() override {
    EXPECT_EQ(entries_of("/proc/self/fd"), descriptors_);
    EXPECT_TRUE(eventually([this] { return entries_of("/proc/self/task") <= threads_; })) << "a thread is left";
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
  }
  static std::ptrdiff_t entries_of(const char* directory) {
    return std::distance(std::filesystem::directory_iterator{directory}, {});
  }

private:
  std::ptrdiff_t descriptors_ = 0;
  std::ptrdiff_t threads_ = 0;
};

} // namespace troupe::tests
