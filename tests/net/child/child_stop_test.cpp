#include "net/child/child_process.hpp"

#include "tests/support/child.hpp"

#include <csignal>
#include <fcntl.h>
#include <fstream>

namespace troupe::tests::child_stop_test {

using namespace net;
using namespace std::chrono_literals;

namespace {

child_limits patient_for(std::chrono::milliseconds time) {
  child_limits result;
  result.patience = time;
  return result;
}

class child_stop_test : public tidy_test {
protected:
  /// Starts a child and waits until it reports that it is ready.
  void start(const std::string& script, const child_limits& limits) {
    one = std::make_unique<child>(shell(script, {directory.path()}), limits);
    ASSERT_EQ(one->seen.wait_for("> ready"), lines{"> ready"});
  }

  /// Whether a child with that script receives SIGTERM, and has time to record it before it is killed. A busy machine
  /// needs more time.
  bool terminates(const std::string& script) {
    for (auto time : {300ms, 1500ms, 8000ms}) {
      start(script, patient_for(time));
      one->stop();
      if (directory.has("terminated"))
        return true;
    }
    return false;
  }

  scratch directory;
  std::unique_ptr<child> one;
};

} // namespace

TEST_F(child_stop_test, closes_the_stdin_first) {
  start("echo ready; cat; touch $1/ended", patient_for(1h));
  one->stop();
  EXPECT_TRUE(directory.has("ended"));
}

TEST_F(child_stop_test, terminates_a_child_that_ignores_its_closed_stdin) {
  EXPECT_TRUE(terminates("trap 'touch $1/terminated; exit' TERM; echo ready; sleep 1000 & wait"));
}

TEST_F(child_stop_test, kills_a_child_that_ignores_TERM) {
  EXPECT_TRUE(terminates("trap 'touch $1/terminated' TERM; echo ready; while :; do sleep 0.05; done"));
}

TEST_F(child_stop_test, kills_a_child_that_closes_its_pipes_and_stays) {
  start("trap '' TERM; echo ready; cat; exec >&- 2>&-; while :; do sleep 0.05; done", patient_for(700ms));
  one->stop();
}

TEST_F(child_stop_test, kills_a_child_that_closes_its_pipes_on_TERM_and_stays) {
  start("trap 'exec >&- 2>&-' TERM; echo ready; while :; do sleep 0.05; done", patient_for(700ms));
  one->stop();
}

TEST_F(child_stop_test, kills_a_child_that_had_closed_its_stdout_before) {
  start("trap '' TERM; echo ready; exec >&-; while :; do sleep 0.05; done", patient_for(50ms));
  one->seen.wait_for(2);
  one->stop();
}

TEST_F(child_stop_test, terminates_the_whole_group) {
  start("(trap 'touch $1/terminated; exit' TERM; echo ready; sleep 1000 & wait) & wait", patient_for(50ms));
  one->stop();
}

TEST_F(child_stop_test, reads_on_so_that_a_child_that_blocks_on_its_stdout_sees_the_end) { // 2.2, 2
  start("echo ready; read go; seq 1 200000; cat; touch $1/ended", patient_for(1h));
  one->write("go");
  one->stop();
  EXPECT_TRUE(directory.has("ended"));
}

TEST_F(child_stop_test, reads_on_while_a_line_is_too_long) {
  auto limits = patient_for(1h);
  limits.line = 1000;
  start("echo ready; head -c 1000000 /dev/zero; cat; touch $1/ended", limits);
  one->stop();
  EXPECT_TRUE(directory.has("ended"));
}

TEST_F(child_stop_test, stops_a_child_whose_stdin_is_full) {
  start("echo ready; exec sleep 1000", patient_for(50ms));
  for (auto i = 0; i < 100; ++i)
    one->write(std::string(99'999, 'x'));
  one->stop();
}

TEST_F(child_stop_test, kills_at_once_when_its_end_is_hurried) {
  std::atomic<bool> kill_at_once = false;
  auto limits = patient_for(1h);
  limits.kill_at_once = &kill_at_once;
  start("trap '' TERM; echo ready; while :; do sleep 1000; done", limits);
  one->seen.wait_for(1);
  one->let_go();
  EXPECT_EQ(::kill(one->pid, 0), 0);
  kill_at_once = true;
  EXPECT_TRUE(ends(one->pid));
}

TEST_F(child_stop_test, stops_a_child_that_has_ended_already) {
  start("echo ready; exit 0", patient_for(1h));
  one->seen.wait_for(2);
  one->stop();
}

TEST_F(child_stop_test, stops_a_child_that_has_barely_begun) {
  for (auto i = 0; i < 20; ++i)
    child{{"/bin/cat", {}, {}, {}}, patient_for(1h)}.stop();
}

/// The kernel takes long to free much memory, longer than the time limit of this test.
TEST_F(child_stop_test, reaps_a_child_that_dies_too_slowly) {
  start("echo ready; mkfifo $1/zeros; cat /dev/zero >$1/zeros & exec tail -c 200000000 $1/zeros", patient_for(1ms));
  ASSERT_TRUE(eventually([this] {
    std::size_t pages = 0, resident = 0;
    std::ifstream{"/proc/" + std::to_string(one->pid) + "/statm"} >> pages >> resident;
    return resident > 40'000;
  }));
  one->let_go();
  EXPECT_TRUE(eventually([this] { return ::kill(one->pid, 0) != 0; }));
  one->stop();
}

TEST_F(child_stop_test, tells_nothing_more_once_it_stopped) {
  start("echo ready; cat; echo late; echo late >&2", patient_for(1h));
  one->let_go();
  EXPECT_TRUE(ends(one->pid));
  one->stop();
  EXPECT_EQ(one->seen.all(), lines{"> ready"});
}

TEST_F(child_stop_test, dies_with_a_gateway_that_is_killed) {
  int ends_of_pipe[2];
  ASSERT_EQ(::pipe2(ends_of_pipe, O_CLOEXEC), 0);
  auto gateway = ::fork();
  if (gateway == 0) {
    child sleeps{{"sleep", {"1000"}, {}, {}}};
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

// -- a host that reaps children ------------------------------------------------------------------

namespace {

/// Ignores SIGCHLD, so that the kernel reaps the host's children.
class ignored_children {
public:
  ignored_children() : before_{std::signal(SIGCHLD, SIG_IGN)} {}
  ~ignored_children() { std::signal(SIGCHLD, before_); }
  ignored_children(const ignored_children&) = delete;
  ignored_children& operator=(const ignored_children&) = delete;

private:
  void (*before_)(int);
};

double seconds_of_this_process() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

} // namespace

TEST_F(child_stop_test, loses_a_child_that_the_kernel_reaped) {
  ignored_children ignored;
  start("echo ready; read word; exit 3", patient_for(1h));
  one->write("now");
  EXPECT_EQ(one->seen.wait_for(2),
            (lines{"> ready", "lost: the MCP server ended, and something else in this process was told how"}));
  auto used = seconds_of_this_process();
  one->stop();
  EXPECT_LT(seconds_of_this_process() - used, 0.5);
}

TEST_F(child_stop_test, stops_a_child_that_the_kernel_will_reap) {
  ignored_children ignored;
  start("trap '' TERM; echo ready; while :; do sleep 0.05; done", patient_for(50ms));
  one->stop();
}

/// The process group id of a reaped leader may already be reused.
TEST_F(child_stop_test, signals_nobody_after_the_leader_was_reaped) {
  ignored_children ignored;
  start("sleep 1000 <&- >&- 2>&- & echo $! > $1/other; echo ready; read word; exit 0", patient_for(1ms));
  one->write("now");
  one->seen.wait_for(2);
  one->stop();
  pid_t other = 0;
  std::ifstream{directory.path("other")} >> other;
  ASSERT_GT(other, 0);
  EXPECT_EQ(::kill(other, 0), 0);
  ::kill(other, SIGKILL);
  EXPECT_TRUE(ends(other));
}

TEST_F(child_stop_test, counts_a_child_until_it_is_reaped) {
  process_slots slots{1};
  child_limits limits;
  std::atomic<bool> kill_at_once = false;
  limits.slots = &slots;
  limits.patience = 1h;
  limits.kill_at_once = &kill_at_once;
  child stubborn{shell("trap '' TERM; echo ready; while :; do sleep 0.05; done"), limits};
  stubborn.seen.wait_for("> ready");
  EXPECT_EQ(child(shell("exit 0"), limits).failure,
            (start_failure{"too many processes run; gateway.limits.processes allows more", true}));
  EXPECT_EQ(slots.stopping.taken(), 0u);
  stubborn.let_go();
  EXPECT_EQ(slots.stopping.taken(), 1u);
  EXPECT_EQ(slots.living.taken(), 1u);
  kill_at_once = true;
  stubborn.stop();
  EXPECT_EQ(slots.living.taken() + slots.stopping.taken(), 0u);
}

} // namespace troupe::tests::child_stop_test
