#include "protocol/catalog/list_problems.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::failed_lists_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

const missing_part tools_of_1{1, list_kind::tools};
constexpr time_point start{1h};
using failures = std::vector<std::pair<missing_part, std::string>>;

} // namespace

TEST(failed_lists, report_a_cause_once_for_all_sessions) {
  failed_lists all;
  EXPECT_TRUE(all.failed(tools_of_1, "no", false, start));
  EXPECT_FALSE(all.failed(tools_of_1, "no", false, start));
  EXPECT_FALSE(all.failed({1, list_kind::prompts}, "no", false, start)) << "all lists of a server fail for one cause";
  EXPECT_TRUE(all.failed({1, list_kind::resources}, "not these", false, start));
  EXPECT_TRUE(all.failed({2, list_kind::tools}, "no", false, start));
  EXPECT_FALSE(all.failed(tools_of_1, "other", true, start));
  EXPECT_TRUE(all.failed(tools_of_1, "other", true, start + failed_lists::pause));
  EXPECT_FALSE(all.failed(tools_of_1, "other", true, start + 1h));
}

// Some messages contain the time.
TEST(failed_lists, are_reported_once_in_ten_minutes_whatever_the_causes) {
  failed_lists all;
  auto reports = 0;
  for (auto now = start; now < start + 1h; now += 1s)
    reports += all.failed(tools_of_1, std::to_string(now.time_since_epoch().count()), now != start, now);
  EXPECT_EQ(reports, 6);
}

TEST(failed_lists, are_reported_once_in_ten_minutes_however_often_they_recover) {
  failed_lists all;
  auto reports = 0;
  for (auto now = start; now < start + 1h; now += 1s) {
    reports += all.failed(tools_of_1, "no", false, now);
    all.recovered(tools_of_1);
  }
  EXPECT_EQ(reports, 6);
}

TEST(failed_lists, have_the_last_cause_as_the_problem_whatever_was_reported) {
  failed_lists all;
  all.failed(tools_of_1, "at 12:00", false, start);
  all.failed(tools_of_1, "at 12:01", true, start + 1min);
  EXPECT_EQ(all.all(), (failures{{tools_of_1, "at 12:01"}}));
}

TEST(failed_lists, keep_a_server_that_is_down_as_a_problem_until_no_session_lacks_it) {
  failed_lists all;
  const missing_part server{1, std::nullopt};
  EXPECT_TRUE(all.failed(server, "exit 1", false, start));
  EXPECT_FALSE(all.failed(server, "exit 1", false, start));
  all.recovered(server);
  EXPECT_EQ(all.all(), (failures{{server, "exit 1"}})) << "the other session reports it only once";
  all.recovered(server);
  EXPECT_EQ(all.all(), failures{});
  EXPECT_FALSE(all.failed(server, "exit 1", false, start + 1min));
  all.session_ended(server);
  EXPECT_TRUE(all.failed(server, "exit 1", false, start + failed_lists::pause));
}

TEST(failed_lists, are_a_problem_while_a_session_has_them) {
  failed_lists all;
  all.failed(tools_of_1, "no", false, start);
  all.failed(tools_of_1, "other", true, start);
  all.failed(tools_of_1, "other", false, start);
  EXPECT_EQ(all.all(), (failures{{tools_of_1, "other"}}));
  all.session_ended(tools_of_1);
  EXPECT_EQ(all.all(), (failures{{tools_of_1, "other"}}));
  all.session_ended(tools_of_1);
  EXPECT_EQ(all.all(), failures{});
  EXPECT_FALSE(all.failed(tools_of_1, "other", false, start)) << "it was reported before";
}

TEST(failed_lists, are_reported_again_once_the_server_has_recovered) {
  failed_lists all;
  all.failed(tools_of_1, "no", false, start);
  all.recovered(tools_of_1);
  EXPECT_EQ(all.all(), failures{});
  EXPECT_TRUE(all.failed(tools_of_1, "no", false, start + failed_lists::pause));
  all.recovered({7, list_kind::tools});
  all.session_ended({7, list_kind::tools});
}

TEST(failed_lists, go_with_their_servers) {
  failed_lists all;
  all.failed(tools_of_1, "no", false, start);
  all.failed({2, list_kind::tools}, "no", false, start);
  all.keep_only({2});
  EXPECT_EQ(all.all(), (failures{{{2, list_kind::tools}, "no"}}));
}

TEST(failed_lists, are_told_in_one_line) {
  auto text = failure_text({1, list_kind::resources}, "rate\nlimited\x1b[1m", "github");
  EXPECT_TRUE(text.starts_with("`resources/list` of `github` failed: rate")) << text;
  EXPECT_EQ(text.find_first_of("\n\x1b"), text.npos) << text;
}

} // namespace troupe::tests::failed_lists_test
