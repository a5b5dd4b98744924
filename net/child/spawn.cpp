#include "net/child/spawn.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::net {

namespace {

constexpr std::array inherited{"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"};

/// A pipe whose ends close themselves, and never are 0, 1 or 2: the child's own would be overwritten.
class pipe_ends {
public:
  pipe_ends() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      return;
    read_ = lifted(ends[0]);
    write_ = lifted(ends[1]);
  }
  ~pipe_ends() {
    close_read();
    close_write();
  }
  pipe_ends(const pipe_ends&) = delete;
  pipe_ends& operator=(const pipe_ends&) = delete;

  bool good() const { return read_ >= 0 && write_ >= 0; }
  int read_end() const { return read_; }
  int write_end() const { return write_; }
  int release_read() { return std::exchange(read_, -1); }
  int release_write() { return std::exchange(write_, -1); }
  void close_read() { close_end(read_); }
  void close_write() { close_end(write_); }

private:
  static int lifted(int end) {
    if (end > 2)
      return end;
    auto result = ::fcntl(end, F_DUPFD_CLOEXEC, 3);
    ::close(end);
    return result;
  }
  static void close_end(int& end) {
    if (end >= 0)
      ::close(std::exchange(end, -1));
  }

  int read_ = -1;
  int write_ = -1;
};

std::vector<std::string> environment_of(const command& what) {
  std::vector<std::string> result;
  auto given = [&](std::string_view name) {
    return std::any_of(what.environment.begin(), what.environment.end(),
                       [&](auto& variable) { return variable.first == name; });
  };
  for (auto name : inherited) {
    auto value = std::getenv(name);
    // A value that begins like this is a shell function that was exported.
    if (value && !std::string_view{value}.starts_with("()") && !given(name))
      result.push_back(std::string{name} + "=" + value);
  }
  for (auto& [name, value] : what.environment)
    result.push_back(name + "=" + value);
  return result;
}

std::string search_path(const command& what) {
  for (auto& [name, value] : what.environment)
    if (name == "PATH")
      return value;
  auto path = std::getenv("PATH");
  return path ? path : "/usr/local/bin:/usr/bin:/bin";
}

bool is_program(const std::string& path) {
  struct stat what;
  return ::stat(path.c_str(), &what) == 0 && S_ISREG(what.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

/// Where the program is; empty when it is nowhere.
std::string locate(const command& what) {
  if (what.program.empty() || what.program.find('/') != what.program.npos)
    return what.program;
  auto path = search_path(what);
  for (std::size_t begin = 0; begin <= path.size();) {
    auto end = std::min(path.find(':', begin), path.size());
    auto candidate = path.substr(begin, end - begin) + "/" + what.program;
    if (is_program(candidate))
      return candidate;
    begin = end + 1;
  }
  return {};
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (auto& text : texts)
    result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// Everything the child needs, made before there is a child: afterwards it may allocate nothing.
struct plan {
  std::string path;
  std::string directory;
  std::vector<char*> arguments;
  std::vector<char*> environment;
  int in = -1, out = -1, err = -1, failure = -1;
  pid_t parent = 0;
  rlim_t descriptors = 0;
};

[[noreturn]] void fail(int to) {
  auto why = errno;
  [[maybe_unused]] auto written = ::write(to, &why, sizeof why);
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

/// A limit that the parent raised for its own sake is no use to a child, and harms programs that close all that could
/// be open.
void limit_descriptors(rlim_t soft) {
  struct rlimit limit;
  if (soft == 0 || ::getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return;
  limit.rlim_cur = std::min(soft, limit.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// The life of the child up to its program. Shares the parent's memory, so it calls the kernel and nothing else.
[[noreturn]] void become(const plan& what) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != what.parent)
    ::_exit(127);
  if (::dup2(what.in, 0) < 0 || ::dup2(what.out, 1) < 0 || ::dup2(what.err, 2) < 0)
    fail(what.failure);
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  if (!what.directory.empty() && ::chdir(what.directory.c_str()) != 0)
    fail(what.failure);
  limit_descriptors(what.descriptors);
  reset_signals();
  ::execve(what.path.c_str(), what.arguments.data(), what.environment.data());
  fail(what.failure);
}

/// Returns the child's pid, or -1.
pid_t start(const plan& what) {
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  // posix_spawn has no parent-death signal; a fork would copy the page tables of a large host.
  auto pid = ::vfork(); // NOLINT(clang-analyzer-security.insecureAPI.vfork)
  if (pid == 0)
    become(what); // NOLINT(clang-analyzer-unix.Vfork)
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return pid;
}

/// Why the child could not become its program; 0 when it could.
int failure_of(int from) {
  int why = 0;
  ssize_t size = 0;
  do
    size = ::read(from, &why, sizeof why);
  while (size < 0 && errno == EINTR);
  return size == sizeof why ? why : 0;
}

} // namespace

int spawn(const command& what, spawned& child) {
  pipe_ends in, out, err, failure;
  if (!in.good() || !out.good() || !err.good() || !failure.good())
    return errno;
  auto path = locate(what);
  if (path.empty())
    return ENOENT;
  auto arguments = what.arguments;
  arguments.insert(arguments.begin(), what.program);
  auto environment = environment_of(what);
  plan planned{path,          what.directory,  pointers_to(arguments), pointers_to(environment),
               in.read_end(), out.write_end(), err.write_end(),        failure.write_end(),
               ::getpid(),    what.descriptors};
  auto pid = start(planned);
  if (pid < 0)
    return errno;
  failure.close_write();
  if (auto why = failure_of(failure.read_end())) {
    ::waitpid(pid, nullptr, 0);
    return why;
  }
  // glibc 2.36 declares pidfd_open without C linkage.
  auto pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (pidfd < 0) {
    auto why = errno;
    ::kill(-pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return why;
  }
  child = {pid, pidfd, in.release_write(), out.release_read(), err.release_read()};
  return 0;
}

} // namespace troupe::net
