#include "deploy/log/write_out.hpp"

#include <cerrno>
#include <cstddef>

#include <poll.h>
#include <unistd.h>

namespace troupe::deploy {

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

} // namespace troupe::deploy
