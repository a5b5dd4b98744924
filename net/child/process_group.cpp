#include "net/child/process_group.hpp"

#include "net/io_thread.hpp"

#include <csignal>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::net {

namespace {

/// Interval at which a child that was given up is checked.
constexpr auto look_again = std::chrono::seconds{1};

std::string how_it_ended(const siginfo_t& end) {
  if (end.si_code == CLD_EXITED)
    return "the MCP server exited with status " + std::to_string(end.si_status);
  return "the MCP server was killed by signal " + std::to_string(end.si_status);
}

} // namespace

/// Sends signal 0 first, only to check that the leader exists. glibc 2.36 declares the function without C linkage.
void process_group::signal(int number) const {
  if (::syscall(SYS_pidfd_send_signal, pidfd_.get(), 0, nullptr, 0) == 0)
    ::kill(-leader_, number);
}

/// Kills the group while its leader is still a zombie.
std::optional<std::string> process_group::reap() const {
  auto it = static_cast<id_t>(pidfd_.get());
  siginfo_t end{};
  if (::waitid(P_PIDFD, it, &end, WEXITED | WNOWAIT | WNOHANG) != 0)
    return "the MCP server ended, and something else in this process was told how";
  if (end.si_pid == 0)
    return std::nullopt;
  ::kill(-leader_, SIGKILL);
  ::waitid(P_PIDFD, it, &end, WEXITED);
  return how_it_ended(end);
}

/// Uses a timer, which does not keep the thread running.
void reap_later(io_thread& thread, std::shared_ptr<const process_group> child) {
  if (child->reap())
    return;
  thread.at(io_thread::clock::now() + look_again,
            [&thread, child = std::move(child)]() mutable { reap_later(thread, std::move(child)); });
}

} // namespace troupe::net
