#include "deploy/program/watch.hpp"

#include "tests/support/waiting.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace troupe::tests::watch_test {

using namespace deploy;

namespace {

using std::chrono::milliseconds;

const debounce::time_point start{};

/// A watched file in a directory of its own, with a clock that the test advances.
class watch_test : public tests::tidy_test {
protected:
  watch_test() { write(path_, "one"); }
  ~watch_test() override { std::filesystem::remove_all(directory_); }

  static std::string new_directory() {
    std::string result = testing::TempDir() + "troupe-XXXXXX";
    return ::mkdtemp(result.data());
  }

  static void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

  /// Whether the kernel reports an event.
  static bool is_told(const file_watch& watch) {
    pollfd wait{watch.descriptor(), POLLIN, 0};
    return ::poll(&wait, 1, static_cast<int>(milliseconds(tests::patience).count())) == 1;
  }

  /// Whether a change is detected after the kernel's event and the debounce time.
  static bool sees(file_watch& watch, debounce::time_point now) {
    return is_told(watch) && !watch.changed(now) && watch.changed(now + debounce::rest);
  }

  std::string directory_ = new_directory();
  std::string path_ = directory_ + "/f";
};

} // namespace

// -- debounce --------------------------------------------------------------------

TEST(debounce, is_not_stirred_by_nothing) {
  debounce one;
  EXPECT_EQ(one.due(), std::nullopt);
  EXPECT_FALSE(one.settled(start + std::chrono::hours{1}));
}

TEST(debounce, waits_for_rest) {
  debounce one;
  one.touched(start);
  one.touched(start + milliseconds{100});
  EXPECT_EQ(one.due(), start + milliseconds{300});
  EXPECT_FALSE(one.settled(start + milliseconds{299}));
  EXPECT_TRUE(one.settled(start + milliseconds{300}));
  EXPECT_FALSE(one.settled(start + milliseconds{300}));
  EXPECT_EQ(one.due(), std::nullopt);
}

TEST(debounce, does_not_wait_for_ever) {
  debounce one;
  for (auto time = milliseconds{0}; time < debounce::longest; time += milliseconds{100})
    one.touched(start + time);
  EXPECT_FALSE(one.settled(start + debounce::longest - milliseconds{1}));
  EXPECT_TRUE(one.settled(start + debounce::longest));
}

// -- file_watch --------------------------------------------------------------------

TEST_F(watch_test, sees_a_file_that_is_written) {
  file_watch watch{path_, start};
  write(path_, "other");
  EXPECT_TRUE(sees(watch, start));
  EXPECT_FALSE(watch.changed(start + std::chrono::seconds{1}));
}

TEST_F(watch_test, sees_a_file_that_is_replaced) {
  file_watch watch{path_, start};
  write(directory_ + "/new", "two");
  std::filesystem::rename(directory_ + "/new", path_);
  EXPECT_TRUE(sees(watch, start));
  write(directory_ + "/new", "six");
  std::filesystem::rename(directory_ + "/new", path_);
  EXPECT_TRUE(sees(watch, start + std::chrono::seconds{1}));
}

TEST_F(watch_test, sees_a_link_that_is_swapped_as_kubernetes_does) {
  namespace fs = std::filesystem;
  fs::remove(path_);
  for (const auto* version : {"/..1", "/..2", "/..3"}) {
    fs::create_directory(directory_ + version);
    write(directory_ + version + "/f", "same");
  }
  fs::create_directory_symlink("..1", directory_ + "/..data");
  fs::create_symlink("..data/f", path_);
  file_watch watch{path_, start};
  auto now = start;
  for (const auto* version : {"..2", "..3"}) {
    fs::create_directory_symlink(version, directory_ + "/..data_tmp");
    fs::rename(directory_ + "/..data_tmp", directory_ + "/..data");
    EXPECT_TRUE(sees(watch, now)) << version;
    now += std::chrono::seconds{1};
  }
}

TEST_F(watch_test, sees_a_write_to_where_a_link_leads) {
  const auto elsewhere = new_directory();
  write(elsewhere + "/target", "one");
  std::filesystem::remove(path_);
  std::filesystem::create_symlink(elsewhere + "/target", path_);
  {
    file_watch watch{path_, start};
    write(elsewhere + "/target", "other");
    EXPECT_TRUE(sees(watch, start));
  }
  std::filesystem::remove_all(elsewhere);
}

TEST_F(watch_test, does_not_mind_the_neighbours) {
  file_watch watch{path_, start};
  write(directory_ + "/other", "x");
  EXPECT_TRUE(is_told(watch));
  EXPECT_FALSE(watch.changed(start));
  EXPECT_FALSE(watch.changed(start + debounce::rest));
}

TEST_F(watch_test, sees_a_file_go_and_come_back) {
  file_watch watch{path_, start};
  std::filesystem::remove(path_);
  EXPECT_TRUE(sees(watch, start));
  write(path_, "two");
  EXPECT_TRUE(sees(watch, start + std::chrono::seconds{1}));
}

TEST_F(watch_test, looks_for_itself_when_the_kernel_tells_nothing) {
  file_watch watch{path_, start};
  std::filesystem::remove_all(directory_);
  std::filesystem::create_directory(directory_);
  EXPECT_TRUE(watch.changed(start) || watch.changed(start + debounce::rest)); // the file is gone
  write(path_, "two");
  const auto later = start + file_watch::look_interval;
  EXPECT_EQ(watch.due(), later);
  EXPECT_FALSE(watch.changed(later));
  EXPECT_TRUE(watch.changed(later + debounce::rest));
  write(path_, "other"); // the next change is reported again
  EXPECT_TRUE(sees(watch, later + std::chrono::seconds{1}));
}

} // namespace troupe::tests::watch_test
