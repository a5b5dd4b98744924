#include "net/private_folder.hpp"

#include "tests/support/scratch.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/stat.h>

namespace troupe::tests::replace_file_test {

namespace {

std::string text_of(const std::string& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

std::ptrdiff_t files_in(const std::string& path) {
  return std::distance(std::filesystem::directory_iterator{path}, std::filesystem::directory_iterator{});
}

} // namespace

TEST(replace_file, makes_it_for_its_owner_alone_and_then_replaces_it_as_a_whole) {
  scratch folder;
  const auto path = folder.path("file");
  EXPECT_EQ(net::replace_file(path, "a long first text"), "");
  std::ifstream before{path};
  EXPECT_EQ(net::replace_file(path, "short"), "");
  EXPECT_EQ(text_of(path), "short");
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>{before}, {}}), "a long first text");
  struct stat found {};
  ASSERT_EQ(::stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777, mode_t{0600});
  EXPECT_EQ(files_in(folder.path()), 1);
}

TEST(replace_file, leaves_nothing_beside_a_file_that_cannot_be_replaced) {
  scratch folder;
  std::filesystem::create_directory(folder.path("file"));
  EXPECT_NE(net::replace_file(folder.path("file"), "text"), "");
  EXPECT_EQ(files_in(folder.path()), 1);
  EXPECT_EQ(net::replace_file(folder.path("none/file"), "text"), "No such file or directory");
}

} // namespace troupe::tests::replace_file_test
