#pragma once

#include "net/child/spawn.hpp"
#include "net/io_thread.hpp"
#include "net/slots.hpp"
#include "protocol/text/line_reader.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace troupe::net {

/// Limits of a child in bytes, and the time limits of stopping it.
struct child_limits {
  /// Longest line on stdout; a longer one is skipped.
  std::size_t line = 10 * 1024 * 1024;
  /// Longest line on stderr; a longer one is cut.
  std::size_t error_line = 4 * 1024;
  /// Bytes that may wait for a child that does not read its stdin.
  std::size_t unwritten = 16 * 1024 * 1024;
  /// Time from closing stdin to TERM, and from TERM to KILL.
  std::chrono::milliseconds patience = std::chrono::seconds{2};
  /// Once this is set, children that are being stopped get TERM and KILL at once. Outlives the child.
  const std::atomic<bool>* kill_at_once = nullptr;
  /// Slots that limit the number of children; null without a limit. Outlives the child.
  process_slots* slots = nullptr;
};

/// Callbacks of a child, called on its thread, never from inside a call to it.
struct child_events {
  /// Whole lines of stdout, in order.
  std::function<void(std::vector<std::string> lines)> wrote;
  std::function<void(std::vector<std::string> lines)> wrote_stderr;
  /// A line of stdout was too long.
  std::function<void(protocol::skipped_line line)> skipped;
  /// The child has exited or cannot be reached any more; called once, after all of its output.
  std::function<void(std::string why)> lost;
};

/// Child process that speaks in lines on stdin and stdout, and writes its errors to stderr.
///
/// Destroying it stops the child in the background: stdin is closed, then TERM and at last KILL go to its process
/// group. The thread waits until the child is reaped, but not much longer than KILL may take. The destructor is
/// callable from any thread; all else only on the io thread.
class child_process {
public:
  /// Starts a program. Null when it cannot start, and then `why_not` says why.
  static std::unique_ptr<child_process> start(io_thread& thread, const command& what, const child_limits& limits,
                                              child_events events, start_failure& why_not);
  ~child_process();
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;

  /// Writes a line and adds the line break. False, with nothing written, if too much waits already or the child closed
  /// its stdin.
  bool write(std::string line);
  pid_t pid() const;

private:
  class running;
  child_process(io_thread& thread, std::shared_ptr<running> child);

  io_thread& thread_;
  std::shared_ptr<running> child_;
};

} // namespace troupe::net
