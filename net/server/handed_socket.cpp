#include "net/server/handed_socket.hpp"

#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>

namespace troupe::net {

using boost::asio::ip::tcp;

namespace {

int socket_fact(int socket, int which) {
  int value = 0;
  socklen_t size = sizeof value;
  return ::getsockopt(socket, SOL_SOCKET, which, &value, &size) == 0 ? value : -1;
}

bool is_listening_stream(int socket) {
  return socket_fact(socket, SO_TYPE) == SOCK_STREAM && socket_fact(socket, SO_ACCEPTCONN) == 1;
}

[[noreturn]] void refuse_socket(int socket) {
  throw std::runtime_error("cannot listen on descriptor " + std::to_string(socket) +
                           ": it is no socket of TCP, or of unix, that listens");
}

/// A name without a file begins with a zero byte, which is shown as `@`.
std::string unix_place(const sockaddr_storage& name, std::size_t size) {
  const auto& address = reinterpret_cast<const sockaddr_un&>(name);
  std::string path{address.sun_path, size - offsetof(sockaddr_un, sun_path)};
  if (path.starts_with('\0'))
    path.front() = '@';
  return std::string{protocol::unix_prefix} + path.substr(0, path.find('\0'));
}

protocol::host_port tcp_place(const sockaddr_storage& name, std::size_t size) {
  tcp::endpoint at;
  at.resize(size);
  std::memcpy(at.data(), &name, size);
  return {at.address().to_string(), at.port()};
}

} // namespace

protocol::host_port place_of(int socket) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (!is_listening_stream(socket) || ::getsockname(socket, reinterpret_cast<sockaddr*>(&name), &size) != 0)
    refuse_socket(socket);
  if (name.ss_family == AF_UNIX)
    return {unix_place(name, size), 0};
  if (name.ss_family != AF_INET && name.ss_family != AF_INET6)
    refuse_socket(socket);
  return tcp_place(name, size);
}

/// What a unix socket accepts is the same to who reads and writes.
tcp::acceptor take_over(boost::asio::io_context& context, int socket) {
  place_of(socket);
  const auto is_v6 = socket_fact(socket, SO_DOMAIN) == AF_INET6;
  tcp::acceptor result{context};
  result.assign(is_v6 ? tcp::v6() : tcp::v4(), socket);
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  return result;
}

} // namespace troupe::net
