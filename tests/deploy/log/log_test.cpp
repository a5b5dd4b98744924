#include "deploy/log/log.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace troupe::tests::log_test {

using namespace deploy;

namespace {

/// What is written to stderr while the log lives, by lines.
template <class Say>
std::vector<std::string> lines_of(log_level threshold, log_format format, Say say) {
  testing::internal::CaptureStderr();
  say(stderr_log(threshold, format).write);
  std::istringstream written{testing::internal::GetCapturedStderr()};
  std::vector<std::string> result;
  for (std::string line; std::getline(written, line);)
    result.push_back(line);
  return result;
}

} // namespace

TEST(log, has_each_line_of_a_burst_in_order_and_the_last_one_too) {
  constexpr std::size_t count = 3000;
  auto lines = lines_of(log_level::info, log_format::json, [](const log_sink& log) {
    for (std::size_t i = 0; i < count; ++i)
      log({log_level::info, "event", {{"number", std::to_string(i)}}});
  });
  ASSERT_EQ(lines.size(), count);
  for (std::size_t i = 0; i < count; ++i)
    EXPECT_TRUE(lines[i].ends_with(R"("msg":"event","number":")" + std::to_string(i) + "\"}")) << lines[i];
}

TEST(log, leaves_out_what_is_below_its_threshold) {
  auto lines = lines_of(log_level::warning, log_format::text, [](const log_sink& log) {
    log({log_level::info, "too little", {}});
    log({log_level::error, "much", {}});
  });
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].ends_with(" error much")) << lines[0];
}

} // namespace troupe::tests::log_test
