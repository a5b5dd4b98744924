#include "net/private_folder.hpp"

#include "tests/support/scratch.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe::tests::private_folder_test {

using namespace net;

namespace {

mode_t mode_of(const std::string& path) {
  struct stat found {};
  EXPECT_EQ(::lstat(path.c_str(), &found), 0) << path;
  return found.st_mode & 07777;
}

/// A parent directory, a folder in it, and the reason why it could not be opened or created.
class private_folder_test : public testing::Test {
protected:
  std::optional<private_folder> make() { return private_folder::make(path(), why_not_); }
  std::optional<private_folder> open(private_folder::owner of = private_folder::owner::self) {
    return private_folder::open(path(), why_not_, of);
  }
  std::string path(const std::string& file = "") const {
    return parent_.path("a/b") + (file.empty() ? "" : '/' + file);
  }
  std::string place() const { return parent_.path(); }
  /// The reason without the leading path.
  std::string why_not() const { return why_not_.substr(path().size()); }

private:
  troupe::tests::scratch parent_;
  std::string why_not_;
};

} // namespace

TEST_F(private_folder_test, is_made_for_its_user_alone) {
  EXPECT_FALSE(open());
  EXPECT_EQ(why_not(), ": No such file or directory");
  ASSERT_TRUE(make());
  for (const auto& one : {place() + "/a", path()})
    EXPECT_EQ(mode_of(one), 0700U);
  EXPECT_TRUE(make()) << "again";
}

TEST_F(private_folder_test, keeps_a_file_that_others_cannot_read) {
  auto folder = make();
  EXPECT_EQ(folder->write("f", "one"), "");
  EXPECT_EQ(mode_of(path("f")), 0600U);
  EXPECT_EQ(folder->read("f", 3), "one");
  EXPECT_EQ(folder->read("f", 2), std::nullopt);
  EXPECT_EQ(folder->write("f", "two"), "");
  EXPECT_EQ(folder->read("f", 3), "two");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator{path()}, {}), 1) << "nothing is left beside it";
  folder->remove("f");
  EXPECT_EQ(folder->read("f", 3), std::nullopt);
}

TEST_F(private_folder_test, tells_why_it_cannot_write) {
  auto folder = make();
  std::filesystem::create_directory(path("f"));
  EXPECT_EQ(folder->write("f", "text"), path("f") + ": Is a directory");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator{path()}, {}), 1);
}

TEST_F(private_folder_test, reads_no_file_that_another_could_have_put_there_or_read) {
  auto folder = make();
  std::ofstream{path("readable")} << "text";
  ::chmod(path("readable").c_str(), 0640);
  folder->write("private", "text");
  std::filesystem::create_symlink("private", path("link"));
  std::filesystem::create_directory(path("folder"));
  for (const auto* name : {"readable", "link", "folder", "none"})
    EXPECT_EQ(folder->read(name, 10), std::nullopt) << name;
  std::filesystem::create_hard_link(path("private"), path("second name"));
  EXPECT_EQ(folder->read("private", 10), std::nullopt);
}

TEST_F(private_folder_test, is_no_link_and_nothing_that_others_can_write_to) {
  make();
  ::chmod(path().c_str(), 0755);
  EXPECT_TRUE(open()) << "others may see what files there are";
  for (const mode_t mode : {0720, 0702}) {
    ::chmod(path().c_str(), mode);
    EXPECT_FALSE(open());
    EXPECT_EQ(why_not(), ": other users can write to it: chmod go-w");
  }
  std::filesystem::rename(path(), path() + "-moved");
  std::filesystem::create_symlink(path() + "-moved", path());
  EXPECT_FALSE(make());
  EXPECT_EQ(why_not(), ": it is a symbolic link");
}

TEST_F(private_folder_test, of_another_user_is_read_only_where_that_is_asked_for) {
  auto folder = make();
  folder->write("f", "text");
  if (::chown(path().c_str(), 12'345, 12'345) != 0)
    GTEST_SKIP() << "only root can give a folder away";
  EXPECT_FALSE(open());
  EXPECT_EQ(why_not(), ": it belongs to the user 12345");
  auto service = open(private_folder::owner::anyone);
  ASSERT_TRUE(service);
  EXPECT_EQ(service->read("f", 10), std::nullopt) << "a file of root's own that the user has moved there";
  ASSERT_EQ(::chown(path("f").c_str(), 12'345, 12'345), 0);
  EXPECT_EQ(service->read("f", 10), "text");
}

TEST_F(private_folder_test, stays_the_one_that_was_opened) {
  auto folder = make();
  std::filesystem::rename(path(), path() + "-moved");
  std::filesystem::create_directory(path());
  EXPECT_EQ(folder->write("f", "text"), "");
  EXPECT_TRUE(std::filesystem::exists(path() + "-moved/f"));
  EXPECT_FALSE(std::filesystem::exists(path("f")));
}

TEST(a_private_folder, has_an_absolute_path) {
  std::string why_not;
  EXPECT_FALSE(private_folder::make("relative/path", why_not));
  EXPECT_EQ(why_not, "relative/path: it is no absolute path: set HOME");
}

} // namespace troupe::tests::private_folder_test
