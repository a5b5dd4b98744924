#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Line that a process of a server wrote to stderr.
struct stderr_line {
  std::chrono::system_clock::time_point at;
  /// Id of the process.
  int pid = 0;
  std::string text;

  friend bool operator==(const stderr_line&, const stderr_line&) = default;
};

/// Failure of a server: a process or connection of it that ended by itself, or that could not be started.
struct server_failure {
  std::chrono::system_clock::time_point at;
  std::string why;
  /// Time since the start.
  std::chrono::milliseconds after{};
  /// Id of the process; 0 for a connection, and if no process could be started.
  int pid = 0;
  /// Shortened id of the session that was its only user; empty if there was none, or several.
  std::string session = {};
  /// Last lines that the process wrote to stderr.
  std::vector<std::string> lines = {};

  /// Returns the line that most likely names the cause: the last one that mentions an error, or else the last one;
  /// empty if there is none. A stack trace follows the error that it belongs to.
  std::string telling_line() const;

  friend bool operator==(const server_failure&, const server_failure&) = default;
};

/// Last lines that the processes of a server wrote to stderr, and its last failures: operators find the causes there.
class server_diagnostics {
public:
  static constexpr std::size_t most_lines = 50;
  static constexpr std::size_t most_failures = 3;
  /// Most lines of one failure.
  static constexpr std::size_t most_failure_lines = 20;
  /// Longest line that is not cut, in bytes.
  static constexpr std::size_t longest_line = 500;

  /// Adds a line without secrets. Removes control characters from it.
  void wrote(int pid, std::string_view line, std::chrono::system_clock::time_point at);
  /// Adds a failure, with the last lines of its process. Returns it.
  const server_failure& failed(server_failure one);

  /// Lines and failures, the oldest first.
  const std::deque<stderr_line>& lines() const { return lines_; }
  const std::deque<server_failure>& failures() const { return failures_; }
  /// Number of all failures, also of those that are forgotten.
  std::uint64_t failure_count() const { return failure_count_; }

private:
  std::vector<std::string> lines_of(int pid) const;

  std::deque<stderr_line> lines_;
  std::deque<server_failure> failures_;
  std::uint64_t failure_count_ = 0;
};

} // namespace troupe::protocol
