#include "deploy/log/write_out.hpp"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <string>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace troupe::tests::write_out_test {

using deploy::whole_lines;

namespace {

/// A file with a size limit, like one on a disk that is nearly full.
class small_file {
public:
  small_file() {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, SIG_IGN);
  }
  ~small_file() {
    has_room_for(before_.rlim_cur);
    ::close(number_);
    ::unlink(name_.data());
  }
  int number() const { return number_; }
  void has_room_for(rlim_t bytes) const {
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  std::string text() const {
    std::string result(1024, '\0');
    const auto size = ::pread(number_, result.data(), result.size(), 0);
    result.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    return result;
  }

private:
  std::array<char, 32> name_{"/tmp/troupe-lines-XXXXXX"};
  int number_ = ::mkstemp(name_.data());
  rlimit before_{};
};

} // namespace

TEST(whole_lines, begin_on_a_line_of_their_own_behind_one_that_had_no_room) {
  const small_file file;
  whole_lines to{file.number()};
  file.has_room_for(6);
  EXPECT_EQ(to.write("one\ntwo\nthree\n"), 2u);
  EXPECT_EQ(to.write("four\n"), 1u);
  EXPECT_EQ(file.text(), "one\ntw");
  file.has_room_for(1024);
  EXPECT_EQ(to.write("five\n"), 0u);
  EXPECT_EQ(to.write("six\n"), 0u);
  EXPECT_EQ(file.text(), "one\ntw\nfive\nsix\n");
}

TEST(whole_lines, have_nothing_before_them_in_a_file_that_is_new) {
  const small_file file;
  whole_lines to{file.number()};
  file.has_room_for(2);
  EXPECT_EQ(to.write("one\n"), 1u);
  ASSERT_EQ(::ftruncate(file.number(), 0), 0);
  ASSERT_EQ(::lseek(file.number(), 0, SEEK_SET), 0);
  file.has_room_for(1024);
  EXPECT_EQ(to.write("two\n"), 0u);
  EXPECT_EQ(file.text(), "two\n");
}

} // namespace troupe::tests::write_out_test
