#include "deploy/log/log.hpp"

#include "deploy/log/line_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace troupe::tests::log_test {

using namespace deploy;

namespace {

/// The lines written to stderr while the log exists.
template <class Say>
std::vector<std::string> lines_of(log_level threshold, log_format format, Say say) {
  testing::internal::CaptureStderr();
  say(stderr_log(threshold, format).write);
  std::istringstream written{testing::internal::GetCapturedStderr()};
  std::vector<std::string> result;
  for (std::string line; std::getline(written, line);)
    result.push_back(line);
  return result;
}

} // namespace

TEST(log, has_each_line_of_a_burst_in_order_and_the_last_one_too) {
  constexpr std::size_t count = 3000;
  auto lines = lines_of(log_level::info, log_format::json, [](const log_sink& log) {
    for (std::size_t i = 0; i < count; ++i)
      log({log_level::info, "event", {{"number", std::to_string(i)}}});
  });
  ASSERT_EQ(lines.size(), count);
  for (std::size_t i = 0; i < count; ++i)
    EXPECT_TRUE(lines[i].ends_with(R"("msg":"event","number":")" + std::to_string(i) + "\"}")) << lines[i];
}

TEST(log, leaves_out_what_is_below_its_threshold) {
  auto lines = lines_of(log_level::warning, log_format::text, [](const log_sink& log) {
    log({log_level::info, "too little", {}});
    log({log_level::error, "much", {}});
  });
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].ends_with(" error much")) << lines[0];
}

TEST(log, has_the_newest_lines_and_counts_the_others_when_its_reader_was_slow) {
  constexpr std::size_t count = line_writer::most / 24; // an entry has more bytes than its text
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const int before = ::dup(STDERR_FILENO);
  ::dup2(ends[1], STDERR_FILENO);
  ::close(ends[1]);
  std::uint64_t lost = 0;
  std::string written;
  {
    auto log = stderr_log(log_level::info, log_format::text);
    for (std::size_t left = count - 1; left != 0; --left)
      log.write({log_level::info, "old", {}});
    log.write({log_level::info, "new", {}});
    lost = log.lost();
    std::jthread reads{[&] {
      std::array<char, 4096> part{};
      for (ssize_t size = 0; (size = ::read(ends[0], part.data(), part.size())) > 0;)
        written.append(part.data(), static_cast<std::size_t>(size));
    }};
    log.write = {}; // writes the rest
    ::dup2(before, STDERR_FILENO);
  }
  ::close(before);
  ::close(ends[0]);
  EXPECT_GT(lost, 0u);
  EXPECT_EQ(static_cast<std::uint64_t>(std::ranges::count(written, '\n')) + lost, count);
  EXPECT_TRUE(written.ends_with(" info new\n"));
}

} // namespace troupe::tests::log_test
