#include "deploy/log/line_buffer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace troupe::tests {

using deploy::line_buffer;

namespace {

/// All that comes out of a descriptor until its other end is closed.
std::string read_all(int descriptor) {
  std::string result;
  std::array<char, 4096> part{};
  for (ssize_t count = 0; (count = ::read(descriptor, part.data(), part.size())) > 0;)
    result.append(part.data(), static_cast<std::size_t>(count));
  return result;
}

} // namespace

TEST(line_buffer, has_written_all_lines_in_their_order_when_it_is_gone) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  std::string wanted;
  {
    line_buffer lines{ends[1]};
    for (int i = 0; i < 1000; ++i) {
      lines.add(std::to_string(i));
      wanted += std::to_string(i) + '\n';
    }
    EXPECT_EQ(lines.lost(), 0U);
  }
  ::close(ends[1]);
  EXPECT_EQ(read_all(ends[0]), wanted);
  ::close(ends[0]);
}

TEST(line_buffer, loses_and_counts_what_does_not_fit) {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  {
    line_buffer lines{nowhere};
    lines.add(std::string(line_buffer::most, 'x'));
    EXPECT_EQ(lines.lost(), 1U);
  }
  {
    line_buffer lines{nowhere};
    lines.add(std::string(line_buffer::most - 1, 'x'));
    EXPECT_EQ(lines.lost(), 0U);
  }
  ::close(nowhere);
}

TEST(line_buffer, counts_lines_that_cannot_be_written) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  std::uint64_t lost = 0;
  {
    line_buffer lines{full};
    for (int i = 0; i < 3; ++i)
      lines.add("a line");
    while ((lost = lines.lost()) != 3)
      std::this_thread::yield();
  }
  EXPECT_EQ(lost, 3U);
  ::close(full);
}

} // namespace troupe::tests
