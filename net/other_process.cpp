#include "net/other_process.hpp"

#include <cerrno>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace troupe::net {

other_process::other_process(pid_t number) : process_{open_process(number)} { was_gone_ = !process_ && errno == ESRCH; }

bool other_process::has_ended(std::chrono::milliseconds limit) const {
  pollfd end{process_.get(), POLLIN, 0};
  return was_gone_ || (process_ && ::poll(&end, 1, static_cast<int>(limit.count())) > 0);
}

// glibc 2.36 declares the functions of both system calls without C linkage.

owned_descriptor open_process(pid_t number) {
  return owned_descriptor{static_cast<int>(::syscall(SYS_pidfd_open, number, 0U))};
}

bool signal_process(const owned_descriptor& process, int signal) {
  return process && ::syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0U) == 0;
}

pid_t maker_of(int socket) {
  ucred who{};
  socklen_t size = sizeof who;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 ? who.pid : 0;
}

} // namespace troupe::net
