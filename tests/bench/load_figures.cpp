#include "tests/bench/load_figures.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>

namespace troupe::bench {

namespace {

namespace files = std::filesystem;

constexpr std::uint64_t told_failures = 5;

files::path folder_of(pid_t pid) { return files::path("/proc") / std::to_string(pid); }

/// Has nanosecond resolution. The fields of `stat` count hundredths of a second.
double cpu_of(pid_t pid) {
  double result = 0;
  for (const auto& task : files::directory_iterator(folder_of(pid) / "task")) {
    double nanoseconds = 0;
    std::ifstream(task.path() / "schedstat") >> nanoseconds;
    result += nanoseconds / 1e9;
  }
  return result;
}

/// Exact, while the values of `status` may lag behind.
double resident_bytes_of(pid_t pid) {
  std::ifstream rollup(folder_of(pid) / "smaps_rollup");
  for (std::string word; rollup >> word;) {
    double kibibytes = 0;
    if (word == "Rss:" && rollup >> kibibytes)
      return kibibytes * 1024;
  }
  return 0;
}

double descriptors_of(pid_t pid) {
  const files::directory_iterator begin(folder_of(pid) / "fd");
  return static_cast<double>(std::distance(begin, files::directory_iterator{}));
}

template <class Read>
double sum(const std::vector<pid_t>& pids, Read read) {
  double result = 0;
  for (auto pid : pids)
    result += read(pid);
  return result;
}

} // namespace

void figures::add(std::string_view name, double value) {
  std::array<char, 32> digits;
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::general, 9).ptr;
  text_ += text_.empty() ? "\"" : ",\"";
  text_.append(name).append("\":").append(digits.data(), end);
}

void figures::add_errors(std::uint64_t count) {
  add("errors", static_cast<double>(count));
  has_errors_ = count > 0;
}

void tally::done(clock::duration took) {
  const auto time = std::chrono::nanoseconds(took).count();
  times_.push_back(static_cast<std::uint32_t>(std::min<std::int64_t>(time, std::numeric_limits<std::uint32_t>::max())));
}

void tally::failed(std::string_view what) {
  if (++errors_ <= told_failures)
    std::cerr << "troupe_bench_load: " << what.substr(0, 400) << '\n';
}

double tally::percentile(double part) {
  const auto last = times_.size() - 1;
  return times_[static_cast<std::size_t>(std::llround(part * static_cast<double>(last)))] / 1000.0;
}

void tally::add_to(figures& line, double seconds) {
  const auto count = static_cast<double>(times_.size());
  line.add("calls", count);
  line.add("seconds", seconds);
  line.add("per_second", count / seconds);
  add_percentiles(line);
  line.add_errors(errors_);
}

void tally::add_percentiles(figures& line, std::string_view prefix) {
  std::sort(times_.begin(), times_.end());
  const auto add = [&](const char* name, double part) {
    if (!times_.empty())
      line.add(std::string(prefix) + name, percentile(part));
  };
  add("p50", 0.5);
  add("p90", 0.9);
  add("p99", 0.99);
  add("p99.9", 0.999);
  add("max", 1);
}

double observed::cpu() const { return sum(pids_, cpu_of); }
double observed::resident_bytes() const { return sum(pids_, resident_bytes_of); }
double observed::descriptors() const { return sum(pids_, descriptors_of); }

double seconds_since(clock::time_point begin) { return std::chrono::duration<double>(clock::now() - begin).count(); }

} // namespace troupe::bench
