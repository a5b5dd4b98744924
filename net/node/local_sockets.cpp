#include "net/node/local_sockets.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <sys/socket.h>
#include <sys/un.h>

namespace troupe::net {

namespace {

constexpr int kind = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
constexpr int most_unaccepted = 64;

struct abstract_address {
  /// Begins with a zero byte: the name is in no file system, and vanishes with its socket.
  explicit abstract_address(const std::string& name) {
    assert(name.size() < sizeof(what.sun_path));
    what.sun_family = AF_UNIX;
    std::copy(name.begin(), name.end(), what.sun_path + 1);
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&what); }

  sockaddr_un what{};
  socklen_t size;
};

} // namespace

owned_descriptor listen_locally(const std::string& name) {
  owned_descriptor result{::socket(AF_UNIX, kind, 0)};
  abstract_address at{name};
  if (!result || ::bind(result.get(), at.get(), at.size) != 0 || ::listen(result.get(), most_unaccepted) != 0)
    return {};
  return result;
}

owned_descriptor connect_locally(const std::string& name) {
  owned_descriptor result{::socket(AF_UNIX, kind, 0)};
  abstract_address to{name};
  if (!result || ::connect(result.get(), to.get(), to.size) != 0)
    return {};
  return result;
}

bool is_from_this_process(int descriptor) {
  ucred who{};
  socklen_t size = sizeof(who);
  return ::getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && who.pid == ::getpid();
}

} // namespace troupe::net
