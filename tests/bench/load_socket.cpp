#include "tests/bench/load_socket.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <system_error>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace troupe::bench {

namespace {

constexpr std::size_t least_room = 4096;

void require(bool good, const char* what) {
  if (!good)
    throw std::system_error(errno, std::generic_category(), what);
}

bool only_later() { return errno == EAGAIN || errno == EINTR; }

int milliseconds_until(clock::time_point when) {
  const auto time = std::chrono::ceil<std::chrono::milliseconds>(when - clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(time.count(), 0, 1000));
}

} // namespace

// -- the poller ------------------------------------------------------------------

poller::poller() : fd_(::epoll_create1(EPOLL_CLOEXEC)) { require(fd_ >= 0, "epoll"); }
poller::~poller() { ::close(fd_); }

void poller::watch(int fd, socket& of) {
  epoll_event event{EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, {.ptr = &of}};
  require(::epoll_ctl(fd_, EPOLL_CTL_ADD, fd, &event) == 0, "epoll");
}

bool poller::run(const std::function<bool()>& done, clock::time_point until) {
  std::array<epoll_event, 256> events;
  while (!done()) {
    if (clock::now() >= until)
      return false;
    const auto count = ::epoll_wait(fd_, events.data(), events.size(), milliseconds_until(until));
    for (int i = 0; i < count; ++i)
      static_cast<socket*>(events[static_cast<std::size_t>(i)].data.ptr)->ready();
  }
  return true;
}

void poller::run_for(std::chrono::duration<double> time) {
  run([] { return false; }, clock::now() + std::chrono::duration_cast<clock::duration>(time));
}

// -- a socket --------------------------------------------------------------------

socket::socket(poller& all, std::uint16_t port) : all_(all), port_(port) { reopen(); }

void socket::reopen() {
  fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  require(fd_ >= 0, "socket");
  const sockaddr_in to{AF_INET, htons(port_), {htonl(INADDR_LOOPBACK)}, {}};
  require(::connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0, "connect");
  const int yes = 1;
  ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  unsent_.clear();
  reply_.clear();
  all_.watch(fd_, *this);
}

void socket::ask(std::string_view request, told then) {
  streams_ = false;
  then_ = std::move(then);
  send(request);
}

void socket::listen(std::string_view request, told part) {
  streams_ = true;
  then_ = std::move(part);
  send(request);
}

void socket::send(std::string_view bytes) {
  if (unsent_.empty()) {
    const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
  }
  unsent_ += bytes;
}

void socket::flush() {
  if (unsent_.empty())
    return;
  const auto sent = ::send(fd_, unsent_.data(), unsent_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  unsent_.erase(0, static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
}

void socket::ready() {
  if (is_open())
    flush();
  while (is_open() && receive()) {
  }
}

/// False when no more data is available yet.
bool socket::receive() {
  auto* const to = reply_.room(least_room);
  const auto room = reply_.room_size();
  const auto size = ::recv(fd_, to, room, MSG_DONTWAIT);
  if (size > 0) {
    arrived(reply_.wrote(static_cast<std::size_t>(size)));
    return static_cast<std::size_t>(size) == room;
  }
  if (size == 0 || !only_later())
    lost();
  return false;
}

void socket::arrived(bool whole) {
  if (streams_ && !whole) {
    if (reply_.status() != 0)
      then_(reply_);
    return;
  }
  if (!whole)
    return;
  if (auto then = std::exchange(then_, {}))
    then(reply_);
  reply_.clear();
}

void socket::lost() {
  close();
  reply_.clear();
  if (auto then = std::exchange(then_, {}))
    then(reply_);
}

void socket::close() {
  if (is_open())
    ::close(std::exchange(fd_, -1));
}

void socket::reset() {
  const linger at_once{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

} // namespace troupe::bench
