#include "net/child/child_process.hpp"

#include "tests/support/child.hpp"

namespace troupe::tests::child_process_test {

using namespace net;
using namespace std::chrono_literals;

namespace {

constexpr auto ended_well = "lost: the MCP server exited with status 0";

child_limits with(auto change) {
  child_limits result;
  change(result);
  return result;
}

/// The output of a child until it ends.
lines said(const command& what, const child_limits& limits = {}) {
  child one{what, limits};
  lines lines_seen;
  while (lines_seen.empty() || !lines_seen.back().starts_with("lost: ")) {
    auto more = one.seen.wait_for(lines_seen.size() + 1);
    if (more.size() == lines_seen.size())
      break;
    lines_seen = std::move(more);
  }
  return lines_seen;
}

command prints(const std::string& text) { return {"/usr/bin/printf", {"%b", text}, {}, {}}; }

using child_process_test = tidy_test;

} // namespace

// -- lines -----------------------------------------------------------------------------

TEST_F(child_process_test, speaks_with_its_child_in_lines) {
  child cat{{"/bin/cat", {}, {}, {}}};
  EXPECT_TRUE(cat.write("one"));
  EXPECT_EQ(cat.seen.wait_for(1), lines{"> one"});
  EXPECT_TRUE(cat.write("two"));
  EXPECT_TRUE(cat.write("three"));
  EXPECT_EQ(cat.seen.wait_for(3), (lines{"> one", "> two", "> three"}));
}

TEST_F(child_process_test, tells_lines_that_come_together_at_once) {
  child one{prints("a\\nb\\nc\\n")};
  one.seen.wait_for(4);
  EXPECT_EQ(one.batches, std::vector<std::size_t>{3});
}

// 2025-11-25, transports, "stdio"
TEST_F(child_process_test, takes_CRLF_and_skips_blank_lines) {
  EXPECT_EQ(said(prints("a\\r\\n\\n\\r\\nb\\n")), (lines{"> a", "> b", ended_well}));
}

TEST_F(child_process_test, joins_a_line_that_comes_in_parts) {
  child one{shell("printf one; read x; printf ' line\\n'")};
  one.write("go");
  EXPECT_EQ(one.seen.wait_for(2), (lines{"> one line", ended_well}));
}

TEST_F(child_process_test, discards_the_line_that_is_half_written_at_the_end) { // 2.3
  EXPECT_EQ(said(prints("whole\\nhalf")), (lines{"> whole", ended_well}));
}

TEST_F(child_process_test, takes_lines_up_to_their_limit) {
  auto limits = with([](auto& x) { x.line = 10; });
  EXPECT_EQ(said(prints("123456789\\n"), limits), (lines{"> 123456789", ended_well}));
  EXPECT_EQ(said(prints("1234567890\\n"), limits), (lines{"> 1234567890", ended_well}));
  child one{shell("printf '1\\n12345678901\\n'; read go; printf '2\\n'"), limits};
  EXPECT_EQ(one.seen.wait_for(2), (lines{"> 1", "skipped 11"}));
  one.write("go");
  EXPECT_EQ(one.seen.wait_for(4), (lines{"> 1", "skipped 11", "> 2", ended_well}));
}

TEST_F(child_process_test, goes_on_after_a_line_of_any_length) {
  child one{{"/bin/cat", {}, {}, {}}, with([](auto& x) { x.line = 1000; })};
  one.write(std::string(5'000'000, 'x'));
  EXPECT_EQ(one.seen.wait_for(1), lines{"skipped 5000000"});
  one.write("next");
  EXPECT_EQ(one.seen.wait_for(2), (lines{"skipped 5000000", "> next"}));
}

TEST_F(child_process_test, tells_everything_that_was_written_before_the_end) {
  auto lines_seen = said(shell("seq 1 100000; exit 3"));
  ASSERT_EQ(lines_seen.size(), 100'001u);
  EXPECT_EQ(lines_seen[99'999], "> 100000");
  EXPECT_EQ(lines_seen.back(), "lost: the MCP server exited with status 3");
}

TEST_F(child_process_test, tells_what_its_child_complains_about) {
  EXPECT_EQ(said(shell("echo one >&2; printf two >&2")), (lines{"! one", "! two", ended_well}));
}

TEST_F(child_process_test, cuts_long_complaints) {
  EXPECT_EQ(said(shell("echo 12345678901 >&2; echo two >&2"), with([](auto& x) { x.error_line = 10; })),
            (lines{"! 1234567890", "! two", ended_well}));
}

// 2025-11-25, transports, "stdio"
TEST_F(child_process_test, keeps_reading_stderr_when_much_is_written_to_it) {
  auto lines_seen = said(shell("seq 1 100000 >&2; echo done"));
  EXPECT_EQ(lines_seen.size(), 100'002u);
  EXPECT_NE(std::find(lines_seen.begin(), lines_seen.end(), "> done"), lines_seen.end());
}

TEST_F(child_process_test, tells_all_that_was_said_before_the_end_however_late_it_is_read) {
  child one{shell("read go; setsid sleep 1000 & echo $!; seq 1 10000 >&2")};
  auto was_late = false;
  one.on_complaint = [&] {
    ends(one.pid);
    auto is_reaped = ::kill(one.pid, 0) != 0;
    if (is_reaped && !std::exchange(was_late, true))
      std::this_thread::sleep_for(600ms); // simulates a slow machine
  };
  one.write("go");
  auto lines_seen = one.seen.wait_for(ended_well);
  one.settle();
  EXPECT_TRUE(was_late);
  EXPECT_EQ(lines_seen.size(), 10'002u);
  EXPECT_EQ(lines_seen.back(), ended_well);
  auto stranger = std::find_if(lines_seen.begin(), lines_seen.end(), [](auto& line) { return line.starts_with("> "); });
  ASSERT_NE(stranger, lines_seen.end());
  ::kill(std::stoi(stranger->substr(2)), SIGKILL);
}

// -- a child that does not read -----------------------------------------------------------

TEST_F(child_process_test, refuses_to_write_when_too_much_waits) {
  child one{shell("echo ready; exec sleep 1000"), with([](auto& x) { x.unwritten = 100'000, x.patience = 500ms; })};
  one.seen.wait_for(1);
  auto written = 0;
  while (written < 100 && one.write(std::string(9'999, 'x')))
    ++written;
  // The pipe buffers some bytes. The waiting ones may exceed their limit by one line.
  EXPECT_GE(written, 11);
  EXPECT_LE(written, 11 + 7 + 1);
  EXPECT_FALSE(one.write("more"));
}

TEST_F(child_process_test, writes_again_once_its_child_has_read) {
  child one{shell("echo ready; read go <$1; exec cat", {"/dev/stdin"}), with([](auto& x) { x.unwritten = 100'000; })};
  one.seen.wait_for(1);
  std::size_t written = 1;
  one.write("go");
  while (written < 5000 && one.write(std::string(9'999, 'x')))
    ++written;
  EXPECT_EQ(one.seen.wait_for(written).size(), written);
  EXPECT_TRUE(one.write("again"));
  EXPECT_EQ(one.seen.wait_for(written + 1).back(), "> again");
}

TEST_F(child_process_test, bears_both_pipes_being_full) {
  child cat{{"/bin/cat", {}, {}, {}}};
  std::string line(99'999, 'x');
  run_on(cat.thread(), [] {});
  for (auto i = 0; i < 100; ++i)
    ASSERT_TRUE(cat.write(line));
  EXPECT_EQ(cat.seen.wait_for(100).size(), 100u);
}

// -- end ---------------------------------------------------------------------------------

TEST_F(child_process_test, tells_how_its_child_ended) {
  EXPECT_EQ(said(shell("exit 0")), lines{ended_well});
  EXPECT_EQ(said(shell("exit 42")), lines{"lost: the MCP server exited with status 42"});
  EXPECT_EQ(said(shell("kill -KILL $$")), lines{"lost: the MCP server was killed by signal 9"});
  EXPECT_EQ(said(shell("kill -TERM $$")), lines{"lost: the MCP server was killed by signal 15"});
}

TEST_F(child_process_test, is_lost_when_it_is_killed) {
  child cat{{"/bin/cat", {}, {}, {}}};
  ::kill(cat.pid, SIGKILL);
  EXPECT_EQ(cat.seen.wait_for(1), lines{"lost: the MCP server was killed by signal 9"});
}

TEST_F(child_process_test, is_lost_when_it_closes_its_stdout) {
  child one{shell("echo last; exec >&-; exec sleep 1000"), with([](auto& x) { x.patience = 500ms; })};
  EXPECT_EQ(one.seen.wait_for(2), (lines{"> last", "lost: the MCP server closed its stdout"}));
}

TEST_F(child_process_test, is_lost_when_it_closes_its_stdin) {
  child one{shell("exec <&-; echo ready; exec sleep 1000"), with([](auto& x) { x.patience = 500ms; })};
  one.seen.wait_for(1);
  one.write("hello");
  EXPECT_EQ(one.seen.wait_for(2), (lines{"> ready", "lost: the MCP server closed its stdin"}));
  EXPECT_FALSE(one.write("hello"));
}

TEST_F(child_process_test, bears_writes_after_the_end) {
  child one{shell("exit 0")};
  EXPECT_EQ(one.seen.wait_for(1), lines{ended_well});
  for (auto i = 0; i < 10; ++i)
    one.write("hello");
  run_on(one.thread(), [] {});
  EXPECT_EQ(one.seen.all(), lines{ended_well});
}

TEST_F(child_process_test, is_lost_although_a_stranger_holds_its_pipes) {
  child one{shell("setsid sleep 1000 & echo $!; exit 0")};
  auto lines_seen = one.seen.wait_for(2);
  ASSERT_EQ(lines_seen.size(), 2u);
  EXPECT_EQ(lines_seen[1], ended_well);
  ::kill(std::stoi(lines_seen[0].substr(2)), SIGKILL);
}

TEST_F(child_process_test, takes_its_grandchildren_with_it) {
  child one{shell("sleep 1000 & echo $!; exit 0")};
  auto lines_seen = one.seen.wait_for(2);
  ASSERT_EQ(lines_seen.size(), 2u);
  EXPECT_TRUE(ends(std::stoi(lines_seen[0].substr(2))));
}

TEST_F(child_process_test, lets_its_holder_go_when_it_is_lost) {
  io_thread thread;
  std::unique_ptr<child_process> held;
  journal seen;
  run_on(thread, [&] {
    start_failure why_not;
    held = child_process::start(thread, shell("echo hi; exit 0"), {},
                                {[&](auto) {},
                                 {},
                                 {},
                                 [&](auto why) {
                                   held.reset();
                                   seen.note(why);
                                 }},
                                why_not);
  });
  EXPECT_EQ(seen.wait_for(1), lines{"the MCP server exited with status 0"});
}

TEST_F(child_process_test, lets_its_holder_go_when_it_speaks) {
  io_thread thread;
  std::unique_ptr<child_process> held;
  journal seen;
  run_on(thread, [&] {
    start_failure why_not;
    held = child_process::start(thread, shell("echo hi; cat"), {},
                                {[&](auto) {
                                   held.reset();
                                   seen.note("let go");
                                 },
                                 {},
                                 {},
                                 {}},
                                why_not);
  });
  EXPECT_EQ(seen.wait_for(1), lines{"let go"});
}

// -- many objects --------------------------------------------------------------------------

TEST_F(child_process_test, leaves_nothing_behind) {
  io_thread thread;
  auto before = entries_of("/proc/self/fd");
  for (auto i = 0; i < 50; ++i) {
    journal seen;
    std::unique_ptr<child_process> one;
    pid_t pid = -1;
    run_on(thread, [&] {
      start_failure why_not;
      one = child_process::start(thread, {"/bin/cat", {}, {}, {}}, {},
                                 {[&](auto lines_seen) { seen.note(lines_seen.front()); }, {}, {}, {}}, why_not);
      one->write("hi");
      pid = one->pid();
    });
    EXPECT_EQ(seen.wait_for(1), lines{"hi"});
    run_on(thread, [&] { one.reset(); });
    run_on(thread, [] {}); // the stop is complete
    EXPECT_TRUE(ends(pid));
  }
  EXPECT_TRUE(eventually([before] { return entries_of("/proc/self/fd") == before; }));
}

} // namespace troupe::tests::child_process_test
