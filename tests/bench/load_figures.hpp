#pragma once

#include "tests/bench/load_socket.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace troupe::bench {

/// A line of JSON, built member by member.
class figures {
public:
  void add(std::string_view name, double value);
  void add_errors(std::uint64_t count);
  bool has_errors() const { return has_errors_; }
  std::string line() const { return "{" + text_ + "}"; }

private:
  bool has_errors_ = false;
  std::string text_;
};

/// Counts operations, their latencies and their failures.
class tally {
public:
  void done(clock::duration took);
  /// The first few failures are printed to stderr.
  void failed(std::string_view what);
  void clear() { times_.clear(); }

  std::uint64_t errors() const { return errors_; }
  /// `calls`, `per_second`, percentiles, and `errors`.
  void add_to(figures& line, double seconds);
  /// `<prefix>p50` and so on, in microseconds.
  void add_percentiles(figures& line, std::string_view prefix = "");

private:
  double percentile(double part);

  std::vector<std::uint32_t> times_; // nanoseconds
  std::uint64_t errors_ = 0;
};

/// The measured processes.
class observed {
public:
  explicit observed(std::vector<pid_t> pids) : pids_(std::move(pids)) {}

  bool any() const { return !pids_.empty(); }
  /// Processor seconds since the start of the measurement.
  double cpu() const;
  double resident_bytes() const;
  double descriptors() const;

private:
  std::vector<pid_t> pids_;
};

double seconds_since(clock::time_point begin);

} // namespace troupe::bench
