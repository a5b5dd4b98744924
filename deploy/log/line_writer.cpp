#include "deploy/log/line_writer.hpp"

#include <algorithm>

namespace troupe::deploy {

namespace {

/// Size of a chunk, in bytes, unless an entry needs more.
constexpr std::size_t chunk_size = 64 * 1024;
/// Limit of the lines formatted before a write, in bytes; the last line may exceed it.
constexpr std::size_t longest_write = 64 * 1024;

} // namespace

std::string_view line_queue::first() const {
  const auto& oldest = chunks_.front();
  const char* const start = oldest.room.data() + oldest.first;
  std::size_t size = 0;
  std::memcpy(&size, start, sizeof size);
  return {start + sizeof size, size};
}

void line_queue::remove_first() {
  auto& oldest = chunks_.front();
  const auto size = sizeof(std::size_t) + first().size();
  oldest.first += size;
  size_ -= size;
  if (oldest.first != oldest.used)
    return;
  oldest.first = oldest.used = 0;
  spare_.splice(spare_.begin(), chunks_, chunks_.begin());
}

line_queue::chunk& line_queue::with_room_for(std::size_t size) {
  if (chunks_.empty() || chunks_.back().room.size() - chunks_.back().used < size) {
    if (spare_.empty())
      spare_.emplace_back();
    if (auto& room = spare_.front().room; room.size() < size)
      room.resize(std::max(size, chunk_size));
    chunks_.splice(chunks_.end(), spare_, spare_.begin());
  }
  return chunks_.back();
}

std::size_t line_queue::drop_surplus() {
  std::size_t result = 0;
  for (; size_ > most_; ++result)
    remove_first();
  return result;
}

line_writer::line_writer(int descriptor, std::chrono::milliseconds pause, formatter format)
    : pause_(pause), to_(descriptor), format_(std::move(format)), thread_([this] { run(); }) {}

line_writer::~line_writer() {
  {
    const std::lock_guard lock{mutex_};
    ends_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void line_writer::run() {
  line_queue taken{most};
  std::unique_lock lock{mutex_};
  while (!ends_ || !waiting_.is_empty()) {
    while (!ends_ && waiting_.is_empty()) {
      is_idle_ = true;
      changed_.wait(lock);
    }
    is_idle_ = false;
    std::swap(taken, waiting_);
    lock.unlock();
    write(taken);
    lock.lock();
    changed_.wait_for(lock, pause_, [this] { return ends_; });
  }
}

/// Writes the lines of a batch. After a failed write the rest is counted as lost: the disk is full.
void line_writer::write(line_queue& taken) {
  bool fails = false;
  while (!taken.is_empty()) {
    lines_.clear();
    for (; !taken.is_empty() && lines_.size() < longest_write; taken.remove_first()) {
      format_(lines_, taken.first());
      lines_ += '\n';
    }
    const auto left = fails ? static_cast<std::uint64_t>(std::ranges::count(lines_, '\n')) : to_.write(lines_);
    fails = left != 0;
    lost_ += left;
    std::this_thread::yield(); // lets threads that answer calls run before all lines are done
  }
}

} // namespace troupe::deploy
