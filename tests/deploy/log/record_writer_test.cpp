#include "deploy/log/record_writer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace troupe::tests {

using deploy::record_writer;

namespace {

/// All that comes out of a descriptor until its other end is closed.
std::string read_all(int descriptor) {
  std::string result;
  std::array<char, 4096> part{};
  for (ssize_t count = 0; (count = ::read(descriptor, part.data(), part.size())) > 0;)
    result.append(part.data(), static_cast<std::size_t>(count));
  return result;
}

access_record record_of(std::string_view path) { return {.path = path}; }
void append_path(std::string& to, const access_record& record) { to += record.path; }

/// A path whose line has that many bytes.
std::string path_of_size(std::size_t size) { return std::string(size - 1, 'x'); }

} // namespace

TEST(record_writer, has_written_all_lines_in_their_order_when_it_is_gone) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  std::string wanted;
  {
    record_writer lines{ends[1], append_path};
    for (int i = 0; i < 1000; ++i) {
      lines.add(record_of(std::to_string(i)));
      wanted += std::to_string(i) + '\n';
    }
    EXPECT_EQ(lines.lost(), 0U);
  }
  ::close(ends[1]);
  EXPECT_EQ(read_all(ends[0]), wanted);
  ::close(ends[0]);
}

TEST(record_writer, keeps_the_lines_of_several_threads_whole) {
  constexpr int threads = 4, each = 2000;
  char name[] = "/tmp/troupe-lines-XXXXXX";
  const int file = ::mkostemp(name, O_CLOEXEC);
  ASSERT_NE(file, -1);
  ::unlink(name);
  {
    record_writer lines{file, append_path};
    std::vector<std::jthread> all;
    for (int i = 0; i < threads; ++i)
      all.emplace_back([&lines, i] {
        const std::string line(100 + static_cast<std::size_t>(i), static_cast<char>('a' + i));
        for (int n = 0; n < each; ++n)
          lines.add(record_of(line));
      });
  }
  ::lseek(file, 0, SEEK_SET);
  std::istringstream written{read_all(file)};
  ::close(file);
  std::array<int, threads> counts{};
  for (std::string line; std::getline(written, line);) {
    const auto place = static_cast<std::size_t>(line.at(0) - 'a');
    ASSERT_EQ(line, std::string(100 + place, line[0]));
    ++counts.at(place);
  }
  EXPECT_EQ(counts, (std::array{each, each, each, each}));
}

TEST(record_writer, loses_and_counts_what_does_not_fit) {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  {
    record_writer lines{nowhere, append_path};
    lines.add(record_of(path_of_size(record_writer::most + 1)));
    EXPECT_EQ(lines.lost(), 1U);
  }
  for (const auto size : {record_writer::most - 1, record_writer::most}) {
    record_writer lines{nowhere, append_path};
    lines.add(record_of(path_of_size(size)));
    EXPECT_EQ(lines.lost(), 0U);
  }
  ::close(nowhere);
}

TEST(record_writer, counts_lines_that_cannot_be_written) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  std::uint64_t lost = 0;
  {
    record_writer lines{full, append_path};
    for (int i = 0; i < 3; ++i)
      lines.add(record_of("a line"));
    while ((lost = lines.lost()) != 3)
      std::this_thread::yield();
  }
  EXPECT_EQ(lost, 3U);
  ::close(full);
}

} // namespace troupe::tests
