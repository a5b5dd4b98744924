#include "net/process_resources.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <system_error>
#include <time.h>
#include <unistd.h>
#include <vector>

namespace troupe::net {

namespace {

std::chrono::microseconds time_of(const timeval& of) {
  return std::chrono::seconds{of.tv_sec} + std::chrono::microseconds{of.tv_usec};
}

/// Returns the fields of `/proc/self/stat` from the third on: the second may contain anything.
std::vector<std::uint64_t> stat_fields() {
  std::ifstream file{"/proc/self/stat"};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  std::istringstream rest{text.substr(std::min(text.rfind(')') + 1, text.size()))};
  std::vector<std::uint64_t> result;
  for (std::string field; rest >> field;)
    result.push_back(std::strtoull(field.c_str(), nullptr, 10));
  return result;
}

/// Returns when the process started, `ticks` after the system.
std::chrono::system_clock::time_point start_after(std::uint64_t ticks) {
  timespec since_start = {};
  ::clock_gettime(CLOCK_BOOTTIME, &since_start);
  const auto uptime = std::chrono::seconds{since_start.tv_sec} + std::chrono::nanoseconds{since_start.tv_nsec};
  const auto age =
      uptime - std::chrono::milliseconds{ticks * 1000 / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK))};
  return std::chrono::system_clock::now() - std::chrono::duration_cast<std::chrono::system_clock::duration>(age);
}

std::size_t count_descriptors() {
  std::error_code error;
  std::size_t result = 0;
  for (std::filesystem::directory_iterator at{"/proc/self/fd", error}, end; !error && at != end; at.increment(error))
    ++result;
  return result > 0 ? result - 1 : 0; // without the descriptor that reads the folder
}

} // namespace

process_usage current_usage() {
  process_usage result;
  rusage used = {};
  if (::getrusage(RUSAGE_SELF, &used) == 0)
    result.cpu = time_of(used.ru_utime) + time_of(used.ru_stime);
  constexpr std::size_t starttime = 19, vsize = 20, rss = 21;
  if (const auto stat = stat_fields(); stat.size() > rss) {
    result.start = start_after(stat[starttime]);
    result.virtual_bytes = stat[vsize];
    result.resident_bytes = stat[rss] * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  }
  result.descriptors = count_descriptors();
  return result;
}

int process_number() { return ::getpid(); }

std::size_t descriptor_limit() {
  struct rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return std::numeric_limits<int>::max();
  return std::min<rlim_t>(limit.rlim_cur, std::numeric_limits<int>::max());
}

} // namespace troupe::net
