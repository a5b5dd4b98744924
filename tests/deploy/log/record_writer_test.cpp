#include "deploy/log/record_writer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace troupe::tests::record_writer_test {

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

/// A path whose record has that many bytes.
std::string path_of_size(std::size_t size) {
  deploy::packed_records empty;
  empty.append({});
  return std::string(size - empty.all().size(), 'x');
}

/// Holds the writer until it is let go: what is added meanwhile waits.
std::atomic<bool> is_held = false;
std::atomic<bool> is_writing = false;
void append_when_let_go(std::string& to, const access_record& record) {
  is_writing = true;
  is_held.wait(true);
  append_path(to, record);
}

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
  constexpr std::size_t size = 1024;
  static_assert(record_writer::most % size == 0);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  {
    is_held = true;
    is_writing = false;
    record_writer lines{nowhere, append_when_let_go};
    lines.add(record_of(""));
    while (!is_writing)
      std::this_thread::yield();
    const auto path = path_of_size(size);
    for (std::size_t left = record_writer::most / size; left != 0; --left)
      lines.add(record_of(path));
    EXPECT_EQ(lines.lost(), 0U);
    lines.add(record_of(""));
    EXPECT_EQ(lines.lost(), 1U);
    is_held = false;
    is_held.notify_all();
  }
  ::close(nowhere);
}

TEST(record_writer, keeps_the_texts_of_a_record_whose_own_are_gone) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  {
    record_writer lines{ends[1], append_path};
    std::string path = "/before";
    lines.add(record_of(path));
    path.assign(path.size(), '-');
  }
  ::close(ends[1]);
  EXPECT_EQ(read_all(ends[0]), "/before\n");
  ::close(ends[0]);
}

TEST(record_writer, writes_more_lines_than_go_in_one_write) {
  std::string wanted;
  char name[] = "/tmp/troupe-lines-XXXXXX";
  const int file = ::mkostemp(name, O_CLOEXEC);
  ASSERT_NE(file, -1);
  ::unlink(name);
  {
    record_writer lines{file, append_path};
    for (int i = 0; i < 3000; ++i) {
      const std::string path(1000, static_cast<char>('a' + i % 26));
      lines.add(record_of(path));
      wanted += path + '\n';
    }
  }
  ::lseek(file, 0, SEEK_SET);
  EXPECT_EQ(read_all(file), wanted);
  ::close(file);
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

} // namespace troupe::tests::record_writer_test
