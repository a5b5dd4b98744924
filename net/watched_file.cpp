#include "net/watched_file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sys/stat.h>
#include <utility>

namespace troupe::net {

watched_file::mark watched_file::mark_now() const {
  struct stat found {};
  if (::stat(path_.c_str(), &found) != 0)
    return {.error = errno};
  const auto changed = std::chrono::seconds{found.st_ctim.tv_sec} + std::chrono::nanoseconds{found.st_ctim.tv_nsec};
  return {changed, static_cast<std::uintmax_t>(found.st_size), found.st_ino, S_ISREG(found.st_mode)};
}

/// Takes the mark before it reads: a write during the read shows as a change the next time.
std::optional<watched_file::news> watched_file::look() {
  const auto now = mark_now();
  const auto before = std::exchange(seen_, now);
  if (before == now)
    return std::nullopt;
  if (now.error != 0)
    return news{{}, "cannot read '" + path_ + "': " + std::strerror(now.error)};
  if (before && !now.is_regular)
    return news{{}, "'" + path_ + "' is no regular file"};
  return read();
}

watched_file::news watched_file::read() const {
  std::ifstream file{path_, std::ios::binary};
  std::string text;
  std::array<char, 4096> piece;
  do {
    file.read(piece.data(), piece.size());
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
  } while (file && text.size() <= longest_);
  if (!file.is_open() || file.bad())
    return {{}, "cannot read '" + path_ + "'"};
  if (text.size() > longest_)
    return {{}, "'" + path_ + "' has more than " + std::to_string(longest_) + " bytes"};
  return {std::move(text)};
}

} // namespace troupe::net
