#include "net/node/local_sockets.hpp"

#include <boost/asio/local/stream_protocol.hpp>
#include <sys/socket.h>

namespace troupe::net {

namespace {

constexpr int kind = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
constexpr int most_unaccepted = 64;

using address = boost::asio::local::stream_protocol::endpoint;

/// Begins with a zero byte: the name is in no file system, and vanishes with its socket.
address abstract_address(const std::string& name) { return '\0' + name; }

} // namespace

owned_descriptor listen_locally(const std::string& name) {
  owned_descriptor result{::socket(AF_UNIX, kind, 0)};
  const auto at = abstract_address(name);
  if (!result || ::bind(result.get(), at.data(), static_cast<socklen_t>(at.size())) != 0 ||
      ::listen(result.get(), most_unaccepted) != 0)
    return {};
  return result;
}

owned_descriptor connect_locally(const std::string& name) {
  owned_descriptor result{::socket(AF_UNIX, kind, 0)};
  const auto to = abstract_address(name);
  if (!result || ::connect(result.get(), to.data(), static_cast<socklen_t>(to.size())) != 0)
    return {};
  return result;
}

bool is_from_this_process(int descriptor) {
  ucred who{};
  socklen_t size = sizeof(who);
  return ::getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && who.pid == ::getpid();
}

} // namespace troupe::net
