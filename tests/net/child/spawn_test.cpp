#include "net/child/spawn.hpp"

#include "tests/support/child.hpp"

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace troupe::net;
using namespace troupe::tests;

namespace {

/// What a command prints on stdout, sorted when its order means nothing.
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

/// Sets a variable for as long as the test runs.
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

// -- what it starts ------------------------------------------------------------------------

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

TEST_F(spawn_test, gives_the_child_three_descriptors_and_no_others) {
  auto leaky = ::dup(0); // without CLOEXEC
  EXPECT_EQ(printed_by(shell("ls /proc/$$/fd; exit 0")), (lines{"0", "1", "2"}));
  ::close(leaky);
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
  auto limit_of = [](std::size_t told) { return printed_by({"sh", {"-c", "ulimit -Sn; ulimit -Hn"}, {}, {}, told}); };
  const auto hard = std::to_string(ours.rlim_max);
  EXPECT_EQ(limit_of(100), (lines{"100", hard}));
  EXPECT_EQ(limit_of(0), (lines{std::to_string(ours.rlim_cur), hard}));
  EXPECT_EQ(limit_of(ours.rlim_max + 1), (lines{hard, hard}));
}

// -- what it cannot start --------------------------------------------------------------------

TEST_F(spawn_test, says_why_it_cannot_start) {
  scratch directory;
  write_file(directory.path("plain"), "echo hi\n", 0644);
  write_file(directory.path("no-shebang"), "echo hi\n", 0755);
  auto plain = directory.path("plain"), odd = directory.path("no-shebang");
  EXPECT_EQ(why_not({"no-such-program", {}, {}, {}}), "its program cannot be started: No such file or directory");
  EXPECT_EQ(why_not({"/no/such", {}, {}, {}}), "its program cannot be started: No such file or directory");
  EXPECT_EQ(why_not({plain, {}, {}, {}}), "its program cannot be started: Permission denied");
  EXPECT_EQ(why_not({odd, {}, {}, {}}), "its program cannot be started: Exec format error");
  EXPECT_EQ(why_not({directory.path(), {}, {}, {}}), "its program cannot be started: Permission denied");
  EXPECT_EQ(why_not({"", {}, {}, {}}), "its program cannot be started: No such file or directory");
}

TEST_F(spawn_test, says_that_a_directory_is_missing) {
  EXPECT_EQ(why_not({"/bin/cat", {}, {}, "/no/such"}),
            "its program cannot be started in its directory: No such file or directory");
}

TEST_F(spawn_test, gives_back_what_it_had_opened_when_it_cannot_start) {
  for (auto i = 0; i < 20; ++i) {
    spawned none;
    EXPECT_EQ(spawn({"/no/such", {}, {}, {}}, none), ENOENT);
    EXPECT_EQ(none.pid, -1);
  }
}
