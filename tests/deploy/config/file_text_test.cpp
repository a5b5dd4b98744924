#include "deploy/config/file_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>

namespace troupe::tests::file_text_test {

using namespace deploy;

namespace {

/// A directory for the files of a test.
class text_folder {
public:
  text_folder() { path_ = ::mkdtemp(path_.data()); }
  text_folder(const text_folder&) = delete;
  text_folder& operator=(const text_folder&) = delete;
  ~text_folder() { std::filesystem::remove_all(path_); }

  std::string at(const std::string& name) const { return path_ + '/' + name; }

  std::string file(std::size_t size) const {
    std::ofstream(at("file")) << std::string(size, 'x');
    return at("file");
  }

private:
  std::string path_ = testing::TempDir() + "file_text_XXXXXX";
};

} // namespace

TEST(file_texts, are_whole_or_one_byte_more_than_the_longest) {
  const text_folder folder;
  for (const std::size_t size : {0, 1, 16 * 1024 - 1, 16 * 1024, 16 * 1024 + 1, 100'000}) {
    const auto path = folder.file(size);
    EXPECT_EQ(file_text(path, 200'000), std::string(size, 'x'));
    EXPECT_EQ(file_text(path, size).value_or("none").size(), size);
    EXPECT_EQ(regular_file_text(path, 10).value_or("none").size(), std::min<std::size_t>(size, 11));
  }
}

TEST(file_texts, take_no_more_room_than_they_need) {
  const text_folder folder;
  EXPECT_LT(file_text(folder.file(10), 64 * 1024 * 1024).value_or("").capacity(), 1024u * 1024);
}

TEST(file_texts, are_not_waited_for_at_a_pipe) {
  const text_folder folder;
  ASSERT_EQ(::mkfifo(folder.at("pipe").c_str(), 0600), 0);
  EXPECT_EQ(regular_file_text(folder.at("pipe"), 10), std::nullopt);
  EXPECT_EQ(errno, ENOTSUP);
  EXPECT_EQ(regular_file_text("/dev/zero", 10), std::nullopt);
  EXPECT_EQ(regular_file_text(folder.at(""), 10), std::nullopt);
  EXPECT_EQ(errno, EISDIR);
  EXPECT_EQ(regular_file_text(folder.at("none"), 10), std::nullopt);
  EXPECT_EQ(errno, ENOENT);
}

TEST(file_texts, may_come_from_a_device) {
  EXPECT_EQ(file_text("/dev/null", 10), "");
  EXPECT_EQ(file_text("/dev/zero", 10), std::string(11, '\0'));
}

} // namespace troupe::tests::file_text_test
