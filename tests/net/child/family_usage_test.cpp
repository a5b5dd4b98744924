#include "net/child/family_usage.hpp"

#include "tests/support/waiting.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::tests::family_usage_test {

using namespace net;

namespace {

/// Shell that waits for a child of its own. Both end with this object.
class family {
public:
  family() : root_{::fork()} {
    if (root_ != 0)
      return;
    ::setpgid(0, 0);
    ::execl("/bin/sh", "sh", "-c", "sleep 60 & wait", nullptr);
    ::_exit(1);
  }
  ~family() {
    ::kill(-root_, SIGKILL);
    ::waitpid(root_, nullptr, 0);
  }
  family(const family&) = delete;
  family& operator=(const family&) = delete;

  pid_t root() const { return root_; }

private:
  pid_t root_;
};

} // namespace

TEST(family_usage, adds_up_a_process_and_its_descendants) {
  const family one;
  ASSERT_TRUE(eventually([&] {
    const auto usage = usage_of_family(one.root());
    return usage && usage->processes == 2;
  }));
  const auto usage = usage_of_family(one.root());
  EXPECT_GT(usage->resident_bytes, 100'000U);
  EXPECT_LT(usage->resident_bytes, 100'000'000U);
}

TEST(family_usage, has_the_time_on_processors_of_this_process) {
  const auto before = usage_of_family(::getpid());
  ASSERT_TRUE(before);
  EXPECT_TRUE(eventually([&] { return usage_of_family(::getpid())->cpu > before->cpu; }));
}

TEST(family_usage, is_empty_for_a_process_that_is_gone) {
  const auto child = ::fork();
  if (child == 0)
    ::_exit(0);
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(usage_of_family(child));
}

} // namespace troupe::tests::family_usage_test
