#include "deploy/log/write_out.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe::deploy {

namespace {

bool is_new_file(int descriptor) {
  struct stat file {};
  return ::fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode) && file.st_size == 0;
}

} // namespace

std::string_view write_out(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = ::write(descriptor, bytes.data(), bytes.size());
    if (count >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(count));
    else if (errno == EAGAIN) {
      pollfd wait{descriptor, POLLOUT, 0};
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR)
      break;
  }
  return bytes;
}

std::uint64_t whole_lines::write(std::string_view lines) {
  if (is_broken_ && !is_new_file(descriptor_)) // a file reopened meanwhile begins with a whole line
    is_broken_ = !write_out(descriptor_, "\n").empty();
  else
    is_broken_ = false;
  const auto left = is_broken_ ? lines : write_out(descriptor_, lines);
  const auto written = lines.substr(0, lines.size() - left.size());
  is_broken_ = is_broken_ || (!written.empty() && !written.ends_with('\n'));
  return static_cast<std::uint64_t>(std::ranges::count(left, '\n'));
}

} // namespace troupe::deploy
