#include "net/child/server_mark.hpp"
#include "net/child/spawn.hpp"

#include "tests/support/child.hpp"

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace troupe::tests::spawn_test {

using namespace net;
using namespace std::chrono_literals;

namespace {

/// The stdout of a command, sorted if its order is arbitrary.
lines printed_by(const command& what) {
  child one{what};
  EXPECT_EQ(one.why_not, "");
  lines told;
  for (auto& line : one.seen.wait_for("lost: the MCP server exited with status 0"))
    if (line.starts_with("> "))
      told.push_back(line.substr(2));
  return told;
}

std::string why_not(const command& what) {
  child one{what};
  return one.why_not;
}

/// Sets an environment variable for the duration of the test.
class variable {
public:
  variable(const char* name, const char* value) : name_{name} {
    if (auto before = ::getenv(name))
      before_ = before;
    value ? ::setenv(name, value, 1) : ::unsetenv(name);
  }
  ~variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;

private:
  const char* name_;
  std::optional<std::string> before_;
};

/// The value of a line of /proc/self/status of a child.
std::string status_of_child(const std::string& name) {
  for (auto& line : printed_by({"/bin/cat", {"/proc/self/status"}, {}, {}}))
    if (line.starts_with(name + ":\t"))
      return line.substr(name.size() + 2);
  return "missing";
}

void write_file(const std::string& path, const std::string& text, mode_t mode) {
  std::ofstream{path} << text;
  ::chmod(path.c_str(), mode);
}

using spawn_test = tidy_test;

} // namespace

// -- started processes ---------------------------------------------------------------------

TEST_F(spawn_test, gives_the_arguments_as_they_are) {
  EXPECT_EQ(printed_by({"/usr/bin/printf", {"[%s]\\n", "$HOME", "a b", "*", "", "'\"; exit 1"}, {}, {}}),
            (lines{"[$HOME]", "[a b]", "[*]", "[]", "['\"; exit 1]"}));
}

TEST_F(spawn_test, gives_the_name_of_the_program_as_it_was_said) {
  EXPECT_EQ(printed_by({"sh", {"-c", "tr '\\0' '\\n' </proc/$$/cmdline | head -n 1"}, {}, {}}), lines{"sh"});
}

TEST_F(spawn_test, looks_a_name_up_in_PATH) {
  scratch directory;
  write_file(directory.path("speaks"), "#!/bin/sh\necho hi\n", 0755);
  variable path{"PATH", ("/nowhere::" + directory.path() + ":/usr/bin:/bin").c_str()};
  EXPECT_EQ(printed_by({"speaks", {}, {}, {}}), lines{"hi"});
}

TEST_F(spawn_test, looks_a_name_up_in_the_PATH_that_the_child_is_given) {
  scratch directory;
  write_file(directory.path("speaks"), "#!/bin/sh\necho hi\n", 0755);
  EXPECT_EQ(printed_by({"speaks", {}, {{"PATH", directory.path() + ":/usr/bin:/bin"}}, {}}), lines{"hi"});
}

TEST_F(spawn_test, passes_over_what_is_in_PATH_and_no_program) {
  scratch directory, other;
  std::filesystem::create_directory(directory.path("speaks"));
  write_file(other.path("speaks"), "#!/bin/sh\necho hi\n", 0755);
  variable path{"PATH", (directory.path() + ":" + other.path() + ":/usr/bin:/bin").c_str()};
  EXPECT_EQ(printed_by({"speaks", {}, {}, {}}), lines{"hi"});
}

TEST_F(spawn_test, inherits_a_few_variables_and_no_others) {
  variable home{"HOME", "/h"}, name{"LOGNAME", "l"}, path{"PATH", "/usr/bin:/bin"}, shell{"SHELL", "() { :; }"},
      term{"TERM", nullptr}, user{"USER", "u"}, secret{"SECRET", "s"};
  auto told = printed_by({"/usr/bin/env", {}, {{"EXTRA", "1"}, {"USER", "given"}, {"ODD", "() x"}}, {}});
  std::sort(told.begin(), told.end());
  EXPECT_EQ(told, (lines{"EXTRA=1", "HOME=/h", "LOGNAME=l", "ODD=() x", "PATH=/usr/bin:/bin", "USER=given"}));
}

TEST_F(spawn_test, runs_the_child_where_it_is_told_to) {
  scratch directory;
  auto where = std::filesystem::canonical(directory.path()).string();
  EXPECT_EQ(printed_by({"/bin/pwd", {}, {}, where}), lines{where});
  EXPECT_EQ(printed_by({"/bin/pwd", {}, {}, {}}), lines{std::filesystem::current_path().string()});
}

TEST_F(spawn_test, marks_the_child_and_all_that_it_starts) {
  const auto own = lock_limit();
  EXPECT_EQ(lock_limit_of(::getpid()), own);
  child one{shell("setsid sh -c 'echo $$; exec sleep 60' & read line; kill $!")};
  const auto written = one.seen.wait_for(1);
  const auto below = static_cast<pid_t>(std::stoi(written.back().substr(2)));
  EXPECT_EQ(lock_limit_of(one.pid), own - 1);
  EXPECT_EQ(lock_limit_of(below), own - 1);
  one.write("end");
  one.seen.wait_for(2);
  EXPECT_EQ(lock_limit_of(-1), std::nullopt);
}

TEST_F(spawn_test, gives_the_child_three_descriptors_and_no_others) {
  auto leaky = ::dup(0); // without CLOEXEC
  EXPECT_EQ(printed_by(shell("ls /proc/$$/fd; exit 0")), (lines{"0", "1", "2"}));
  ::close(leaky);
}

/// Sandboxes of some containers behave like this.
TEST_F(spawn_test, gives_the_child_no_other_descriptors_where_close_range_is_forbidden) {
  auto pid = ::fork();
  if (pid == 0) {
    sock_filter steps[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                           BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    sock_fprog program{std::size(steps), steps};
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0 || ::close_range(1000, 1001, 0) == 0)
      ::_exit(2);
    ::dup(0);
    ::_exit(printed_by(shell("ls /proc/$$/fd; exit 0")) == lines{"0", "1", "2"} ? 0 : 1);
  }
  int status = -1;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(spawn_test, gives_the_child_pipes_that_block) {
  auto told = printed_by(shell("for i in 0 1 2; do grep flags /proc/$$/fdinfo/$i; done"));
  ASSERT_EQ(told.size(), 3u);
  for (auto& line : told)
    EXPECT_EQ(std::stoul(line.substr(6), nullptr, 8) & O_NONBLOCK, 0u) << line;
}

TEST_F(spawn_test, starts_a_child_although_its_own_stdin_is_closed) {
  auto pid = ::fork();
  if (pid == 0) {
    for (auto fd : {0, 1, 2})
      ::close(fd);
    ::_exit(printed_by({"/bin/echo", {"hi"}, {}, {}}) == lines{"hi"} ? 0 : 1);
  }
  int status = -1;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(spawn_test, resets_signals) {
  auto before = std::signal(SIGPIPE, SIG_IGN);
  auto before_usr = std::signal(SIGUSR1, SIG_IGN);
  EXPECT_EQ(status_of_child("SigBlk"), "0000000000000000");
  EXPECT_EQ(status_of_child("SigIgn"), "0000000000000000");
  std::signal(SIGPIPE, before);
  std::signal(SIGUSR1, before_usr);
}

TEST_F(spawn_test, gives_the_child_a_session_and_a_group_of_its_own) {
  child one{{"/bin/cat", {}, {}, {}}};
  EXPECT_EQ(::getpgid(one.pid), one.pid);
  EXPECT_EQ(::getsid(one.pid), one.pid);
}

TEST_F(spawn_test, gives_a_child_the_limit_of_descriptors_that_it_is_told) {
  struct rlimit ours;
  ::getrlimit(RLIMIT_NOFILE, &ours);
  auto limit_of = [](std::size_t told) {
    command what{"sh", {"-c", "ulimit -Sn; ulimit -Hn"}, {}, {}};
    what.descriptors = told;
    return printed_by(what);
  };
  const auto hard = std::to_string(ours.rlim_max);
  EXPECT_EQ(limit_of(100), (lines{"100", hard}));
  EXPECT_EQ(limit_of(0), (lines{std::to_string(ours.rlim_cur), hard}));
  EXPECT_EQ(limit_of(ours.rlim_max + 1), (lines{hard, hard}));
}

// -- failed starts ---------------------------------------------------------------------------

TEST_F(spawn_test, says_why_it_cannot_start) {
  scratch directory;
  write_file(directory.path("plain"), "echo hi\n", 0644);
  write_file(directory.path("no-shebang"), "echo hi\n", 0755);
  auto plain = directory.path("plain"), odd = directory.path("no-shebang");
  write_file(directory.path("no-interpreter"), "#!/no/such\n", 0755);
  auto no_start = [](const std::string& program, const std::string& why) {
    EXPECT_EQ(why_not({program, {}, {}, {}}), "its program \"" + program + "\" cannot be started: " + why);
  };
  no_start("no-such-program", "it is not found in PATH");
  no_start("/no/such", "No such file or directory");
  no_start(plain, "Permission denied");
  no_start(odd, "Exec format error");
  no_start(directory.path("no-interpreter"), "the interpreter that its first line names is not found");
  no_start(directory.path(), "Permission denied");
  no_start("", "it is not found in PATH");
}

TEST_F(spawn_test, says_that_a_directory_is_missing) {
  EXPECT_EQ(why_not({"/bin/cat", {}, {}, "/no/such"}),
            "its program \"/bin/cat\" cannot be started: cwd: No such file or directory");
}

TEST_F(spawn_test, finds_what_is_in_the_way_of_a_start_without_one) {
  auto obstacle = [](const command& what) {
    const auto found = find_obstacle(what);
    return found ? found->text : std::string{};
  };
  const std::string cat = "its program \"/bin/cat\" cannot be started: ";
  EXPECT_EQ(obstacle({"cat", {}, {}, {}}), "");
  EXPECT_EQ(obstacle({"./cat", {}, {}, "/bin"}), "");
  EXPECT_EQ(obstacle({"no-such-program", {}, {}, {}}),
            "its program \"no-such-program\" cannot be started: it is not found in PATH");
  EXPECT_EQ(obstacle({"./cat", {}, {}, "/etc"}), "its program \"./cat\" cannot be started: there is no such file");
  EXPECT_EQ(obstacle({"/bin/cat", {}, {}, "/no/such"}), cat + "cwd: No such file or directory");
  EXPECT_EQ(obstacle({"/bin/cat", {}, {}, "/bin/cat"}), cat + "cwd: it is no directory");
}

TEST_F(spawn_test, gives_back_what_it_had_opened_when_it_cannot_start) {
  for (auto i = 0; i < 20; ++i) {
    spawned none;
    EXPECT_TRUE(spawn({"/no/such", {}, {}, {}}, none));
    EXPECT_EQ(none.pid, -1);
  }
}

/// With any number of free descriptors, from none to enough, a start fails for no other reason, and a failed start
/// leaves nothing behind.
TEST_F(spawn_test, does_not_blame_the_program_for_a_lack_of_descriptors) {
  auto lowest_free = [] {
    auto one = ::dup(0);
    ::close(one);
    return static_cast<rlim_t>(one);
  };
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  auto used = lowest_free();
  auto failed = 0;
  for (rlim_t free = 0; free < 12; ++free) {
    rlimit few{used + free, before.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
    spawned one;
    auto why = spawn({"/bin/true", {}, {}, {}}, one);
    ::setrlimit(RLIMIT_NOFILE, &before);
    failed += why ? 1 : 0;
    if (why)
      EXPECT_EQ(*why,
                (start_failure{"the gateway is out of descriptors, memory or processes: Too many open files", true}));
    else
      ::waitpid(one.pid, nullptr, 0);
    for (auto descriptor : {one.pidfd, one.to_stdin, one.from_stdout, one.from_stderr})
      if (descriptor >= 0)
        ::close(descriptor);
    EXPECT_EQ(lowest_free(), used);
  }
  EXPECT_GE(failed, 8);
  EXPECT_LT(failed, 12);
}

// -- users and limits ----------------------------------------------------------------------------

TEST_F(spawn_test, gives_the_child_no_more_privileges_unless_told) {
  EXPECT_EQ(status_of_child("NoNewPrivs"), "1");
  EXPECT_EQ(printed_by({.program = "/bin/grep",
                        .arguments = {"NoNewPrivs", "/proc/self/status"},
                        .environment = {},
                        .directory = {},
                        .no_new_privileges = false}),
            lines{"NoNewPrivs:\t0"});
}

TEST_F(spawn_test, limits_what_the_child_may_use) {
  auto limits = shell("ulimit -v; ulimit -n; ulimit -t; awk '/Max processes/ {print $3}' /proc/self/limits");
  limits.limits = {.memory = 1024 * 1024 * 1024, .files = 100, .processes = 5000, .cpu = 7s};
  EXPECT_EQ(printed_by(limits), (lines{"1048576", "100", "7", "5000"}));
}

TEST_F(spawn_test, ends_a_child_that_takes_too_much_time) {
  auto busy = shell("while :; do :; done");
  busy.limits.cpu = 1s;
  child one{busy};
  EXPECT_EQ(one.seen.wait_for(1), lines{"lost: the MCP server was killed by signal " + std::to_string(SIGXCPU)});
}

TEST_F(spawn_test, runs_the_child_as_another_user) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can";
  auto nobody = find_user("nobody");
  ASSERT_TRUE(nobody);
  for (auto& user : {std::string{"nobody"}, std::to_string(nobody->id)}) {
    auto asks = shell("id -u; id -g; id -G; echo $HOME; echo $USER; echo $LOGNAME");
    asks.user = user;
    asks.directory = "/";
    std::string groups;
    for (auto group : nobody->groups)
      groups += (groups.empty() ? "" : " ") + std::to_string(group);
    EXPECT_EQ(printed_by(asks), (lines{std::to_string(nobody->id), std::to_string(nobody->group), groups, nobody->home,
                                       "nobody", "nobody"}));
  }
}

/// Changing the user clears the signal that ends a child with its parent.
TEST_F(spawn_test, ends_a_child_of_another_user_with_its_parent) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can";
  int ends_of_pipe[2];
  ASSERT_EQ(::pipe2(ends_of_pipe, O_CLOEXEC), 0);
  auto gateway = ::fork();
  if (gateway == 0) {
    child sleeps{{.program = "sleep", .arguments = {"1000"}, .environment = {}, .directory = "/", .user = "nobody"}};
    if (::write(ends_of_pipe[1], &sleeps.pid, sizeof sleeps.pid) < 0)
      ::_exit(1);
    for (;;)
      ::pause();
  }
  pid_t pid = -1;
  ASSERT_EQ(::read(ends_of_pipe[0], &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
  EXPECT_EQ(::kill(pid, 0), 0);
  ::kill(gateway, SIGKILL);
  ::waitpid(gateway, nullptr, 0);
  EXPECT_TRUE(ends(pid));
  ::close(ends_of_pipe[0]);
  ::close(ends_of_pipe[1]);
}

TEST_F(spawn_test, leaves_it_to_the_host_whether_it_can_be_dumped) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can";
  auto before = ::prctl(PR_GET_DUMPABLE);
  EXPECT_EQ(printed_by({.program = "id", .arguments = {"-un"}, .environment = {}, .directory = "/", .user = "nobody"}),
            lines{"nobody"});
  EXPECT_EQ(::prctl(PR_GET_DUMPABLE), before);
}

TEST_F(spawn_test, says_which_wish_it_cannot_grant) {
  auto asks = [](auto change) {
    command one{"/bin/true", {}, {}, {}};
    change(one);
    return why_not(one);
  };
  const std::string no = "its program \"/bin/true\" cannot be started: ";
  EXPECT_EQ(asks([](auto& one) { one.user = "no-such-user"; }), no + "user: no such user");
  EXPECT_EQ(asks([](auto& one) { one.user = "4294967294"; }), no + "user: no such user");
}

} // namespace troupe::tests::spawn_test
