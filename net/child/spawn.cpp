#include "net/child/spawn.hpp"

#include "net/child/child_plan.hpp"
#include "net/other_process.hpp"
#include "net/owned_descriptor.hpp"
#include "net/process_resources.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <grp.h>
#include <pwd.h>
#include <string_view>
#include <sys/stat.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace troupe::net {

namespace {

constexpr std::array<const char*, 6> inherited{"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"};

/// Returns the value that a child inherits for a variable.
const char* value_of(std::string_view name, const child_user* user) {
  if (user && name == "HOME")
    return user->home.c_str();
  if (user && (name == "LOGNAME" || name == "USER"))
    return user->name.c_str();
  return std::getenv(name.data());
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

// Returns the variables of a child, as `NAME=value`; those of its user when it runs as another one.
std::vector<std::string> environment_of(const command& what, const child_user* user) {
  std::vector<std::string> result;
  auto given = [&](std::string_view name) {
    return std::ranges::any_of(what.environment, [&](auto& variable) { return variable.first == name; });
  };
  for (auto name : inherited) {
    auto value = value_of(name, user);
    // A value that begins like this is an exported shell function.
    if (value && !std::string_view{value}.starts_with("()") && !given(name))
      result.push_back(std::string{name} + "=" + value);
  }
  for (auto& [name, value] : what.environment)
    result.push_back(name + "=" + value);
  return result;
}

// Returns the path of the program; empty when it is not found.
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

std::optional<uid_t> number_in(const std::string& text) {
  uid_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional{number} : std::nullopt;
}

std::vector<gid_t> groups_of(const passwd& entry) {
  int count = 64;
  std::vector<gid_t> result(static_cast<std::size_t>(count));
  if (::getgrouplist(entry.pw_name, entry.pw_gid, result.data(), &count) < 0) {
    result.resize(static_cast<std::size_t>(count));
    ::getgrouplist(entry.pw_name, entry.pw_gid, result.data(), &count);
  }
  result.resize(static_cast<std::size_t>(std::max(count, 0)));
  return result;
}

owned_descriptor lifted(int end) {
  owned_descriptor result{end};
  return end > 2 ? std::move(result) : owned_descriptor{::fcntl(end, F_DUPFD_CLOEXEC, 3)};
}

/// Pipe whose ends never are 0, 1 or 2, which would be overwritten by the child's own.
struct pipe_ends {
  pipe_ends() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      return;
    read_end = lifted(ends[0]);
    write_end = lifted(ends[1]);
  }

  bool good() const { return read_end && write_end; }

  owned_descriptor read_end;
  owned_descriptor write_end;
};

// -- why not -------------------------------------------------------------------------------

start_failure shortage(int why) {
  return {std::string{"the gateway is out of descriptors, memory or processes: "} + std::strerror(why), true};
}

start_failure no_start(const command& what, const std::string& why) {
  return {"its program \"" + (what.shown.empty() ? what.program : what.shown) + "\" cannot be started: " + why};
}

/// Explains ENOENT, which the kernel returns for a script whose interpreter is missing, too.
std::string why_no_program(const std::string& path, int why) {
  struct stat is;
  if (why == ENOENT && ::stat(path.c_str(), &is) == 0)
    return "the interpreter that its first line names is not found";
  return std::strerror(why);
}

const char* name_of(child_step step) {
  switch (step) {
  case child_step::memory:
    return "limits.memory";
  case child_step::files:
    return "limits.files";
  case child_step::processes:
    return "limits.processes";
  case child_step::cpu:
    return "limits.cpu";
  case child_step::user:
    return "user";
  case child_step::privileges:
    return "noNewPrivileges";
  case child_step::directory:
    return "cwd";
  default:
    return "its descriptors";
  }
}

/// Explains a failure. A failure by a server's own limits is no shortage of the gateway.
start_failure explained(const child_failure& failure, const command& what, const std::string& path) {
  if (is_shortage(failure.why) && what.limits == child_resources{})
    return shortage(failure.why);
  if (failure.at == child_step::program)
    return no_start(what, why_no_program(path, failure.why));
  return no_start(what, std::string{name_of(failure.at)} + ": " + std::strerror(failure.why));
}

// -- the child -----------------------------------------------------------------------------

/// Starts the child. Returns its pid, or -1.
///
/// posix_spawn has no parent-death signal, and a fork copies the page tables of a large host. But a change of user in
/// shared memory (vfork) makes the host process undumpable.
pid_t start(const child_plan& what) {
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  // The child may assign the pid, and nothing else.
  // NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.vfork,clang-analyzer-unix.Vfork)
  auto pid = what.is_other_user ? ::fork() : ::vfork();
  if (pid == 0)
    become(what); // NOLINT(clang-analyzer-unix.Vfork)
  auto why = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = why;
  return pid;
}

/// Returns why the child could not become its program; nullopt when it could.
std::optional<child_failure> failure_of(int from) {
  child_failure result;
  ssize_t size = 0;
  do
    size = ::read(from, &result, sizeof result);
  while (size < 0 && errno == EINTR);
  return size == sizeof result ? std::optional{result} : std::nullopt;
}

/// Opens the pidfd of a running child. Without it the child cannot be watched, and so is killed; but if it has exited
/// already, its number may have been reused.
std::optional<start_failure> watch(pid_t pid, spawned& child) {
  child.pidfd = open_process(pid).release();
  if (child.pidfd >= 0) {
    child.pid = pid;
    return std::nullopt;
  }
  auto why = errno;
  if (why == ESRCH)
    return start_failure{"it ended at once"};
  ::kill(-pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  return shortage(why);
}

} // namespace

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (auto& text : texts)
    result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::optional<child_user> find_user(const std::string& name_or_number) {
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> buffer(16 * 1024);
  if (auto number = number_in(name_or_number))
    ::getpwuid_r(*number, &entry, buffer.data(), buffer.size(), &found);
  else
    ::getpwnam_r(name_or_number.c_str(), &entry, buffer.data(), buffer.size(), &found);
  if (!found)
    return std::nullopt;
  return child_user{entry.pw_uid, entry.pw_gid, groups_of(entry), entry.pw_name, entry.pw_dir};
}

std::optional<start_failure> find_obstacle(const command& what) {
  std::error_code error;
  if (!what.directory.empty() && !std::filesystem::is_directory(what.directory, error))
    return no_start(what, "cwd: " + (error ? error.message() : "it is no directory"));
  const auto path = locate(what);
  if (path.empty())
    return no_start(what, "it is not found in PATH");
  // A relative path is one in the working directory.
  if (!std::filesystem::exists(std::filesystem::path{what.directory} / path, error))
    return no_start(what, error ? error.message() : "there is no such file");
  return std::nullopt;
}

std::optional<start_failure> spawn(const command& what, spawned& child) {
  pipe_ends in, out, err, failure;
  if (!in.good() || !out.good() || !err.good() || !failure.good())
    return shortage(errno);
  auto path = locate(what);
  if (path.empty())
    return no_start(what, "it is not found in PATH");
  auto user = what.user.empty() ? std::nullopt : find_user(what.user);
  if (!what.user.empty() && !user)
    return no_start(what, "user: no such user");
  auto arguments = what.arguments;
  arguments.insert(arguments.begin(), what.program);
  auto environment = environment_of(what, user ? &*user : nullptr);
  child_plan planned{.path = path,
                     .directory = what.directory,
                     .arguments = pointers_to(arguments),
                     .environment = pointers_to(environment),
                     .limits = what.limits,
                     .descriptors = what.descriptors,
                     .no_new_privileges = what.no_new_privileges,
                     .in = in.read_end.get(),
                     .out = out.write_end.get(),
                     .err = err.write_end.get(),
                     .failure = failure.write_end.get(),
                     .parent = ::getpid()};
  if (user && user->id != ::geteuid()) {
    planned.is_other_user = true;
    planned.user = user->id;
    planned.group = user->group;
    planned.groups = user->groups;
  }
  auto pid = start(planned);
  if (pid < 0)
    return shortage(errno);
  failure.write_end = {};
  if (auto why = failure_of(failure.read_end.get())) {
    ::waitpid(pid, nullptr, 0);
    return explained(*why, what, path);
  }
  if (auto why = watch(pid, child))
    return why;
  child.to_stdin = in.write_end.release();
  child.from_stdout = out.read_end.release();
  child.from_stderr = err.read_end.release();
  return std::nullopt;
}

} // namespace troupe::net
