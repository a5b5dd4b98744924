#include "net/server/listening_socket.hpp"

#include <boost/asio/local/stream_protocol.hpp>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace troupe::net {

using boost::asio::ip::tcp;

namespace {

using path_address = boost::asio::local::stream_protocol::endpoint;

constexpr int unix_kind = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;

constexpr std::size_t longest_path = sizeof(sockaddr_un::sun_path) - 1;

/// Returns 0 when a process listens there, otherwise the error.
int connect_error(const std::string& path) {
  const owned_descriptor probe{::socket(AF_UNIX, unix_kind, 0)};
  const path_address to{path};
  return probe && ::connect(probe.get(), to.data(), static_cast<socklen_t>(to.size())) == 0 ? 0 : errno;
}

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

/// Returns `unix:` and the path. A name without a file begins with a zero byte, which is shown as `@`.
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

unix_socket::unix_socket(std::string path) : path_{std::move(path)} {
  if (path_.empty() || path_.size() > longest_path)
    refuse("the path has to have 1 to " + std::to_string(longest_path) + " bytes");
  make_way();
  listen();
}

void unix_socket::refuse(const std::string& why) const {
  throw std::runtime_error("cannot listen on " + std::string{protocol::unix_prefix} + path_ + ": " + why);
}

/// Removes a file that was left over: only a socket that refuses connections. A full queue is no refusal.
void unix_socket::make_way() const {
  struct stat found {};
  if (::lstat(path_.c_str(), &found) != 0)
    return; // otherwise `bind` reports why
  if (!S_ISSOCK(found.st_mode))
    refuse("there is a file that is no socket");
  const auto error = connect_error(path_);
  if (error == 0 || error == EAGAIN)
    refuse(std::strerror(EADDRINUSE));
  if (error != ECONNREFUSED && error != ENOENT)
    refuse(std::strerror(error));
  ::unlink(path_.c_str());
}

/// Sets the mode of the socket first: it becomes that of its file, which so never has another.
void unix_socket::listen() {
  socket_ = owned_descriptor{::socket(AF_UNIX, unix_kind, 0)};
  const path_address at{path_};
  struct stat made {};
  if (!socket_ || ::fchmod(socket_.get(), S_IRUSR | S_IWUSR) != 0 ||
      ::bind(socket_.get(), at.data(), static_cast<socklen_t>(at.size())) != 0 || ::lstat(path_.c_str(), &made) != 0)
    refuse(std::strerror(errno));
  device_ = made.st_dev;
  number_ = made.st_ino;
  if (::listen(socket_.get(), SOMAXCONN) == 0)
    return;
  const auto error = errno;
  ::unlink(path_.c_str());
  refuse(std::strerror(error));
}

boost::asio::ip::tcp::acceptor unix_socket::release(boost::asio::io_context& context) {
  boost::asio::ip::tcp::acceptor result{context};
  result.assign(boost::asio::ip::tcp::v4(), socket_.get());
  socket_.release();
  return result;
}

unix_socket::~unix_socket() {
  struct stat now {};
  if (!is_kept_ && ::lstat(path_.c_str(), &now) == 0 && now.st_dev == device_ && now.st_ino == number_)
    ::unlink(path_.c_str());
}

bool is_of_unix_socket(const boost::asio::ip::tcp::endpoint& address) { return address.data()->sa_family == AF_UNIX; }

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

/// Assigns unix sockets, too: their accepted sockets are read and written like those of TCP.
tcp::acceptor take_over(boost::asio::io_context& context, int socket) {
  place_of(socket);
  const auto is_v6 = socket_fact(socket, SO_DOMAIN) == AF_INET6;
  tcp::acceptor result{context};
  result.assign(is_v6 ? tcp::v6() : tcp::v4(), socket);
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  return result;
}

} // namespace troupe::net
