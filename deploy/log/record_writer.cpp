#include "deploy/log/record_writer.hpp"

#include "deploy/log/log_line.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>

namespace troupe::deploy {

namespace {

/// Texts of a record, in the order in which they are packed.
constexpr std::string_view access_record::*packed_texts[] = {
    &access_record::request,     &access_record::client, &access_record::caller,  &access_record::issuer,
    &access_record::http_method, &access_record::path,   &access_record::session, &access_record::method,
    &access_record::tool,        &access_record::server, &access_record::error,   &access_record::trace};

/// Fixed part of a packed record, before its texts: all other fields, and the sizes of the texts.
struct packed_head {
  std::chrono::system_clock::time_point at;
  std::chrono::microseconds total, in_server;
  std::uint64_t bytes_in, bytes_out;
  int status;
  std::array<std::uint16_t, std::size(packed_texts)> sizes;
};

/// Fails when `access_record` gets another field, which has to be packed, too.
static_assert(sizeof(access_record) == 6 * sizeof(std::uint64_t) + std::size(packed_texts) * sizeof(std::string_view));

/// Limit of a packed text, in bytes; clients choose some texts. The extra byte lets the formatter see a text too long.
constexpr std::size_t longest_packed = longest_access_value + 1;
/// Upper bound of a packed record, in bytes.
constexpr std::size_t largest = sizeof(packed_head) + std::size(packed_texts) * longest_packed;

/// Pause between two writes: callers that add records meanwhile need not wake the thread.
constexpr auto pause_between_writes = std::chrono::milliseconds{50};
/// Limit of the lines formatted before a write, in bytes; the last line may exceed it.
constexpr std::size_t longest_write = 64 * 1024;

} // namespace

bool packed_records::append(const access_record& record, std::size_t most) {
  packed_head head{record.at, record.total, record.in_server, record.bytes_in, record.bytes_out, record.status, {}};
  if (room_.size() - used_ < largest)
    room_.resize(std::min(2 * room_.size(), most) + largest);
  char* const start = room_.data() + used_;
  auto* to = start + sizeof head;
  for (std::size_t i = 0; i < std::size(packed_texts); ++i) {
    const auto text = (record.*packed_texts[i]).substr(0, longest_packed);
    head.sizes[i] = static_cast<std::uint16_t>(text.size());
    to = std::copy_n(text.data(), text.size(), to);
  }
  std::memcpy(start, &head, sizeof head);
  const auto used = static_cast<std::size_t>(to - room_.data());
  if (used > most)
    return false;
  used_ = used;
  return true;
}

void packed_records::swap(packed_records& other) noexcept {
  room_.swap(other.room_);
  std::swap(used_, other.used_);
}

access_record take_packed(std::string_view& from) {
  packed_head head;
  std::memcpy(&head, from.data(), sizeof head);
  from.remove_prefix(sizeof head);
  access_record result{.at = head.at,
                       .status = head.status,
                       .total = head.total,
                       .in_server = head.in_server,
                       .bytes_in = head.bytes_in,
                       .bytes_out = head.bytes_out};
  for (std::size_t i = 0; i < std::size(packed_texts); ++i) {
    result.*packed_texts[i] = from.substr(0, head.sizes[i]);
    from.remove_prefix(head.sizes[i]);
  }
  return result;
}

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

/// Writes the lines of a batch. After a failed write the rest is counted as lost: the disk is full.
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
    std::this_thread::yield(); // lets threads that answer calls run before all lines are done
  }
}

} // namespace troupe::deploy
