#include "net/child/child_plan.hpp"

#include "net/child/server_mark.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace troupe::net {

namespace {

/// Most descriptors to close one by one.
constexpr rlim_t most_descriptors = 1 << 20;

[[noreturn]] void fail(const child_plan& what, child_step at) {
  child_failure failure{errno, at};
  [[maybe_unused]] auto written = ::write(what.failure, &failure, sizeof failure);
  ::_exit(127);
}

void check(long result, const child_plan& what, child_step at) {
  if (result < 0)
    fail(what, at);
}

/// Closes descriptors where `close_range` is refused: a container's sandbox may be older than that call.
void close_others_one_by_one(const child_plan& what) {
  rlimit open{};
  check(::getrlimit(RLIMIT_NOFILE, &open), what, child_step::descriptors);
  auto end = static_cast<int>(std::min(open.rlim_max, most_descriptors));
  for (int descriptor = 3; descriptor < end; ++descriptor)
    if (::fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0 && errno != EBADF)
      fail(what, child_step::descriptors);
}

void take_descriptors(const child_plan& what) {
  if (::dup2(what.in, 0) < 0 || ::dup2(what.out, 1) < 0 || ::dup2(what.err, 2) < 0)
    fail(what, child_step::descriptors);
  if (::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0)
    close_others_one_by_one(what);
}

/// Sets a limit, but never above the child's present hard limit.
void limit(int resource, rlim_t soft, rlim_t hard, const child_plan& what, child_step at) {
  rlimit now{};
  check(::getrlimit(static_cast<__rlimit_resource>(resource), &now), what, at);
  hard = std::min(hard, now.rlim_max);
  rlimit wanted{std::min(soft, hard), hard};
  check(::setrlimit(static_cast<__rlimit_resource>(resource), &wanted), what, at);
}

/// Sets the soft limit of descriptors. A limit that the parent raised for itself is no use to a child, and harms
/// programs that close all possible descriptors.
void take_soft_limit(const child_plan& what) {
  rlimit now{};
  if (what.descriptors == 0 || ::getrlimit(RLIMIT_NOFILE, &now) != 0)
    return;
  now.rlim_cur = std::min<rlim_t>(what.descriptors, now.rlim_max);
  check(::setrlimit(RLIMIT_NOFILE, &now), what, child_step::files);
}

/// Leaves one more second of CPU time between SIGXCPU, which says why the child ends, and SIGKILL.
void take_limits(const child_plan& what) {
  auto& limits = what.limits;
  if (limits.memory != 0)
    limit(RLIMIT_AS, limits.memory, limits.memory, what, child_step::memory);
  if (limits.files != 0)
    limit(RLIMIT_NOFILE, limits.files, limits.files, what, child_step::files);
  if (limits.processes != 0)
    limit(RLIMIT_NPROC, limits.processes, limits.processes, what, child_step::processes);
  if (auto cpu = static_cast<rlim_t>(limits.cpu.count()); cpu != 0)
    limit(RLIMIT_CPU, cpu, cpu + 1, what, child_step::cpu);
}

/// Changes the user by raw system calls: those of the C library notify all threads, of which there are none here.
void take_user(const child_plan& what) {
  if (!what.is_other_user)
    return;
  check(::syscall(SYS_setgroups, what.groups.size(), what.groups.data()), what, child_step::user);
  check(::syscall(SYS_setresgid, what.group, what.group, what.group), what, child_step::user);
  check(::syscall(SYS_setresuid, what.user, what.user, what.user), what, child_step::user);
}

/// Clears ambient capabilities, so that children lack the rights of a parent that is not root. Neither another user nor
/// `execve` clears them. Older kernels have none.
void drop_capabilities() { ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); }

/// Requests SIGKILL at the parent's end. A change of user cancels that, so this comes after it.
void die_with_parent(const child_plan& what) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != what.parent)
    ::_exit(127);
}

void reset_signals() {
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number)
    ::sigaction(number, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

} // namespace

void become(const child_plan& what) {
  ::setsid();
  take_descriptors(what);
  take_soft_limit(what);
  take_limits(what);
  take_server_mark();
  take_user(what);
  drop_capabilities();
  die_with_parent(what);
  if (what.no_new_privileges)
    check(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), what, child_step::privileges);
  if (!what.directory.empty())
    check(::chdir(what.directory.c_str()), what, child_step::directory);
  reset_signals();
  ::execve(what.path.c_str(), what.arguments.data(), what.environment.data());
  fail(what, child_step::program);
}

} // namespace troupe::net
