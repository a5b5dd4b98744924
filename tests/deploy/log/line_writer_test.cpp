#include "deploy/log/line_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace troupe::tests::line_writer_test {

using deploy::line_writer;

namespace {

/// Reads a descriptor until its other end is closed.
std::string read_all(int descriptor) {
  std::string result;
  std::array<char, 4096> part{};
  for (ssize_t count = 0; (count = ::read(descriptor, part.data(), part.size())) > 0;)
    result.append(part.data(), static_cast<std::size_t>(count));
  return result;
}

constexpr std::chrono::milliseconds pause{2};

void append_text(std::string& to, std::string_view text) { to += text; }

void add(line_writer& to, std::string_view text) {
  to.add(text.size(), [text](char* at) { return std::ranges::copy(text, at).out; });
}

/// Returns a text whose entry has that many bytes.
std::string text_of_size(std::size_t size) { return std::string(size - sizeof(std::size_t), 'x'); }

/// Blocks the writer while set, so that added lines queue up.
std::atomic<bool> is_held = false;
std::atomic<bool> is_writing = false;
void append_when_let_go(std::string& to, std::string_view text) {
  is_writing = true;
  is_held.wait(true);
  append_text(to, text);
}

} // namespace

TEST(line_writer, has_written_all_lines_in_their_order_when_it_is_gone) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  std::string wanted;
  {
    line_writer lines{ends[1], pause, append_text};
    for (int i = 0; i < 1000; ++i) {
      add(lines, std::to_string(i));
      wanted += std::to_string(i) + '\n';
    }
    EXPECT_EQ(lines.lost(), 0U);
  }
  ::close(ends[1]);
  EXPECT_EQ(read_all(ends[0]), wanted);
  ::close(ends[0]);
}

TEST(line_writer, keeps_the_lines_of_several_threads_whole) {
  constexpr int threads = 4, each = 2000;
  char name[] = "/tmp/troupe-lines-XXXXXX";
  const int file = ::mkostemp(name, O_CLOEXEC);
  ASSERT_NE(file, -1);
  ::unlink(name);
  {
    line_writer lines{file, pause, append_text};
    std::vector<std::jthread> all;
    for (int i = 0; i < threads; ++i)
      all.emplace_back([&lines, i] {
        const std::string line(100 + static_cast<std::size_t>(i), static_cast<char>('a' + i));
        for (int n = 0; n < each; ++n)
          add(lines, line);
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

TEST(line_writer, loses_and_counts_the_oldest_of_what_does_not_fit) {
  constexpr std::size_t size = 1024;
  static_assert(line_writer::most % size == 0);
  const int file = ::memfd_create("lines", MFD_CLOEXEC);
  ASSERT_NE(file, -1);
  const auto text = text_of_size(size);
  std::string wanted = "\n";
  {
    is_held = true;
    is_writing = false;
    line_writer lines{file, pause, append_when_let_go};
    add(lines, "");
    while (!is_writing)
      std::this_thread::yield();
    add(lines, "the oldest" + text.substr(10));
    for (std::size_t left = line_writer::most / size - 1; left != 0; --left) {
      add(lines, text);
      wanted += text + '\n';
    }
    EXPECT_EQ(lines.lost(), 0U);
    add(lines, "");
    EXPECT_EQ(lines.lost(), 1U);
    is_held = false;
    is_held.notify_all();
  }
  ::lseek(file, 0, SEEK_SET);
  EXPECT_TRUE(read_all(file) == wanted + '\n');
  ::close(file);
}

TEST(line_writer, keeps_a_text_whose_own_is_gone) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  {
    line_writer lines{ends[1], pause, append_text};
    std::string text = "/before";
    add(lines, text);
    text.assign(text.size(), '-');
  }
  ::close(ends[1]);
  EXPECT_EQ(read_all(ends[0]), "/before\n");
  ::close(ends[0]);
}

TEST(line_writer, writes_more_lines_than_go_in_one_write) {
  std::string wanted;
  char name[] = "/tmp/troupe-lines-XXXXXX";
  const int file = ::mkostemp(name, O_CLOEXEC);
  ASSERT_NE(file, -1);
  ::unlink(name);
  {
    line_writer lines{file, pause, append_text};
    for (int i = 0; i < 3000; ++i) {
      const std::string path(1000, static_cast<char>('a' + i % 26));
      add(lines, path);
      wanted += path + '\n';
    }
  }
  ::lseek(file, 0, SEEK_SET);
  EXPECT_EQ(read_all(file), wanted);
  ::close(file);
}

TEST(line_writer, counts_lines_that_cannot_be_written) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  std::uint64_t lost = 0;
  {
    line_writer lines{full, pause, append_text};
    for (int i = 0; i < 3; ++i)
      add(lines, "a line");
    while ((lost = lines.lost()) != 3)
      std::this_thread::yield();
  }
  EXPECT_EQ(lost, 3U);
  ::close(full);
}

} // namespace troupe::tests::line_writer_test
