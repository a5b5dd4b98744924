#include "protocol/catalog/failed_lists.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::failed_lists_test {

using namespace protocol;

namespace {

constexpr member_list tools_of_1{1, list_kind::tools};
using failures = std::vector<std::pair<member_list, std::string>>;

} // namespace

TEST(failed_lists, report_a_cause_once_for_all_sessions) {
  failed_lists all;
  EXPECT_TRUE(all.failed(tools_of_1, "no", false));
  EXPECT_FALSE(all.failed(tools_of_1, "no", false));
  EXPECT_TRUE(all.failed({1, list_kind::prompts}, "no", false));
  EXPECT_TRUE(all.failed({2, list_kind::tools}, "no", false));
  EXPECT_TRUE(all.failed(tools_of_1, "other", true));
}

TEST(failed_lists, are_a_problem_while_a_session_has_them) {
  failed_lists all;
  all.failed(tools_of_1, "no", false);
  all.failed(tools_of_1, "other", true);
  all.failed(tools_of_1, "other", false);
  EXPECT_EQ(all.all(), (failures{{tools_of_1, "other"}}));
  all.session_ended(tools_of_1);
  EXPECT_EQ(all.all(), (failures{{tools_of_1, "other"}}));
  all.session_ended(tools_of_1);
  EXPECT_EQ(all.all(), failures{});
  EXPECT_FALSE(all.failed(tools_of_1, "other", false)) << "it was reported before";
}

TEST(failed_lists, are_reported_again_once_the_server_has_recovered) {
  failed_lists all;
  all.failed(tools_of_1, "no", false);
  all.recovered(tools_of_1);
  EXPECT_EQ(all.all(), failures{});
  EXPECT_TRUE(all.failed(tools_of_1, "no", false));
  all.recovered({7, list_kind::tools});
  all.session_ended({7, list_kind::tools});
}

TEST(failed_lists, go_with_their_servers) {
  failed_lists all;
  all.failed(tools_of_1, "no", false);
  all.failed({2, list_kind::tools}, "no", false);
  all.keep_only({2});
  EXPECT_EQ(all.all(), (failures{{{2, list_kind::tools}, "no"}}));
}

TEST(failed_lists, are_told_in_one_line) {
  auto text = failure_text({1, list_kind::resources}, "rate\nlimited\x1b[1m", "github");
  EXPECT_TRUE(text.starts_with("`resources/list` of `github` failed: rate")) << text;
  EXPECT_EQ(text.find_first_of("\n\x1b"), text.npos) << text;
}

} // namespace troupe::tests::failed_lists_test
