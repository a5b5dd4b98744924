#include "net/watched_file.hpp"

#include "tests/support/scratch.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sys/stat.h>

namespace troupe::tests::watched_file_test {

using namespace net;

namespace {

/// A file in a directory of its own.
class watched_file_test : public testing::Test {
protected:
  void write(const std::string& text) const { write(text, path_); }
  /// Replaces the file atomically, as many tools do.
  void replace(const std::string& text) const {
    write(text, path_ + ".new");
    std::filesystem::rename(path_ + ".new", path_);
  }
  const std::string& path() const { return path_; }

private:
  static void write(const std::string& text, const std::string& path) { std::ofstream(path, std::ios::binary) << text; }

  troupe::tests::scratch directory_;
  std::string path_ = directory_.path("file");
};

} // namespace

TEST_F(watched_file_test, tells_its_text_once) {
  write("a");
  watched_file file{path(), 100};
  EXPECT_EQ(file.look()->text, "a");
  EXPECT_FALSE(file.look());
}

TEST_F(watched_file_test, tells_what_was_written_and_what_took_its_place) {
  write("a");
  watched_file file{path(), 100};
  file.look();
  write("longer");
  EXPECT_EQ(file.look()->text, "longer");
  replace("other!");
  EXPECT_EQ(file.look()->text, "other!");
  EXPECT_FALSE(file.look());
}

TEST_F(watched_file_test, tells_once_that_it_is_gone_and_that_it_is_back) {
  write("a");
  watched_file file{path(), 100};
  file.look();
  std::filesystem::remove(path());
  EXPECT_EQ(file.look()->why_not, "cannot read '" + path() + "': No such file or directory");
  EXPECT_FALSE(file.look());
  write("b");
  auto news = file.look();
  EXPECT_EQ(news->text, "b");
  EXPECT_EQ(news->why_not, "");
}

TEST_F(watched_file_test, is_read_again_when_others_may_read_it) {
  write("a");
  watched_file file{path(), 100};
  file.look();
  std::filesystem::permissions(path(), std::filesystem::perms::owner_read);
  EXPECT_EQ(file.look()->text, "a");
  EXPECT_FALSE(file.look());
}

TEST_F(watched_file_test, is_not_waited_for_when_it_becomes_a_pipe) {
  write("a");
  watched_file file{path(), 100};
  file.look();
  std::filesystem::remove(path());
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  EXPECT_EQ(file.look()->why_not, "'" + path() + "' is no regular file");
  EXPECT_FALSE(file.look());
}

TEST_F(watched_file_test, has_a_longest_length) {
  for (auto size : {9U, 10U, 11U}) {
    write(std::string(size, 'x'));
    auto news = watched_file{path(), 10}.look();
    EXPECT_EQ(news->text.size(), size > 10 ? 0 : size);
    EXPECT_EQ(news->why_not, size > 10 ? "'" + path() + "' has more than 10 bytes" : "");
  }
}

TEST_F(watched_file_test, cannot_be_a_directory) {
  EXPECT_NE(watched_file(std::filesystem::path(path()).parent_path(), 10).look()->why_not, "");
}

} // namespace troupe::tests::watched_file_test
