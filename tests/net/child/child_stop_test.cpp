#include "net/child/child_process.hpp"

#include "tests/support/child.hpp"

#include <fcntl.h>

using namespace troupe::net;
using namespace troupe::tests;
using namespace std::chrono_literals;

namespace {

child_limits patient_for(std::chrono::milliseconds time) {
  child_limits result;
  result.patience = time;
  return result;
}

class child_stop_test : public tidy_test {
protected:
  /// Starts a child and waits until it says that it is ready.
  void start(const std::string& script, const child_limits& limits) {
    one = std::make_unique<child>(shell(script, {directory.path()}), limits);
    ASSERT_EQ(one->seen.wait_for("> ready"), lines{"> ready"});
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
  start("trap 'touch $1/terminated; exit' TERM; echo ready; sleep 1000 & wait", patient_for(50ms));
  one->stop();
  EXPECT_TRUE(directory.has("terminated"));
}

TEST_F(child_stop_test, kills_a_child_that_ignores_TERM) {
  start("trap 'touch $1/terminated' TERM; echo ready; while :; do sleep 0.05; done", patient_for(300ms));
  one->stop();
  EXPECT_TRUE(directory.has("terminated"));
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

TEST_F(child_stop_test, reads_on_after_a_line_that_was_too_long) {
  auto limits = patient_for(1h);
  limits.line = 1000;
  start("echo ready; head -c 1000000 /dev/zero; cat; touch $1/ended", limits);
  EXPECT_EQ(one->seen.wait_for(2), (lines{"> ready", "lost: the MCP server wrote a line that is too long"}));
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
  std::atomic<bool> hurry = false;
  auto limits = patient_for(1h);
  limits.hurry = &hurry;
  start("trap '' TERM; echo ready; while :; do sleep 1000; done", limits);
  one->seen.wait_for(1);
  one->let_go();
  EXPECT_EQ(::kill(one->pid, 0), 0);
  hurry = true;
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
