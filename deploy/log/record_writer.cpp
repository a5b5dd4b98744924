#include "deploy/log/record_writer.hpp"

#include "deploy/log/write_out.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace troupe::deploy {

namespace {

/// Between two writes: whoever has a record meanwhile need not wake the thread.
constexpr auto pause_between_writes = std::chrono::milliseconds{10};

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

std::size_t record_writer::size_of(const access_record& record) {
  return sizeof record + record.request.size() + record.client.size() + record.caller.size() +
         record.http_method.size() + record.path.size() + record.session.size() + record.method.size() +
         record.tool.size() + record.server.size() + record.error.size() + record.trace.size();
}

void record_writer::add(access_record&& record) {
  const auto size = size_of(record);
  bool is_first = false;
  {
    const std::lock_guard lock{mutex_};
    if (bytes_ + size > most) {
      ++lost_;
      return;
    }
    bytes_ += size;
    is_first = records_.empty();
    records_.push_back(std::move(record));
  }
  if (is_first)
    changed_.notify_one();
}

void record_writer::run() {
  std::vector<access_record> taken;
  std::unique_lock lock{mutex_};
  while (!ends_ || !records_.empty()) {
    changed_.wait(lock, [this] { return ends_ || !records_.empty(); });
    taken.swap(records_);
    bytes_ = 0;
    lock.unlock();
    write(taken);
    taken.clear();
    lock.lock();
    if (!ends_)
      changed_.wait_for(lock, pause_between_writes, [this] { return ends_; });
  }
}

void record_writer::write(const std::vector<access_record>& records) {
  std::string lines;
  for (const auto& one : records)
    lines.append(format_(one)).push_back('\n');
  const auto left = write_out(descriptor_, lines);
  lost_ += static_cast<std::uint64_t>(std::ranges::count(left, '\n'));
}

} // namespace troupe::deploy
