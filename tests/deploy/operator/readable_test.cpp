#include "deploy/operator/readable.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::readable_test {

using namespace deploy;
using namespace std::chrono_literals;

TEST(readable, durations_have_the_unit_that_fits) {
  const std::pair<std::chrono::milliseconds, const char*> durations[] = {
      {0ms, "0 ms"},         {999ms, "999 ms"}, {1s, "1.0 s"},   {1299ms, "1.2 s"}, {9999ms, "9.9 s"},
      {10s, "10 s"},         {59999ms, "59 s"}, {1min, "1 min"}, {59min, "59 min"}, {60min, "1 h"},
      {23h + 59min, "23 h"}, {24h, "1 d"},      {2400h, "100 d"}};
  for (const auto& [time, text] : durations)
    EXPECT_EQ(readable_duration(time), text);
}

TEST(readable, rates_have_the_digits_that_count) {
  EXPECT_EQ(readable_rate(0), "0");
  EXPECT_EQ(readable_rate(-1), "0");
  EXPECT_EQ(readable_rate(0.041), "0.04");
  EXPECT_EQ(readable_rate(0.999), "1.0");
  EXPECT_EQ(readable_rate(3.21), "3.2");
  EXPECT_EQ(readable_rate(9.99), "10");
  EXPECT_EQ(readable_rate(128.4), "128");
}

TEST(readable, columns_are_those_that_a_terminal_takes) {
  EXPECT_EQ(columns_of(""), 0U);
  EXPECT_EQ(columns_of("abc"), 3U);
  EXPECT_EQ(columns_of("é€…"), 3U);
  EXPECT_EQ(columns_of("日本😀"), 6U);
  EXPECT_EQ(columns_of("e\u0301"), 1U);
}

TEST(readable, a_text_is_cut_where_it_has_no_more_room) {
  EXPECT_EQ(cut_to("abcd", 4), "abcd");
  EXPECT_EQ(cut_to("abcd", 3), "ab…");
  EXPECT_EQ(cut_to("abcd", 1), "…");
  EXPECT_EQ(cut_to("abcd", 0), "");
  EXPECT_EQ(cut_to("", 0), "");
  EXPECT_EQ(cut_to("日本語", 6), "日本語");
  EXPECT_EQ(cut_to("日本語", 5), "日本…");
  EXPECT_EQ(cut_to("日本語", 4), "日…");
}

TEST(readable, json_says_nothing_to_a_terminal) {
  EXPECT_EQ(safe_json("{\"a\":\n\"é\xc2\x9b\x7f\"}"), "{\"a\": \"é\\u009b\\u007f\"}");
  EXPECT_EQ(safe_json("[\r\n\t\"\\\"\\\\\\u001b\",1]"), "[   \"\\\"\\\\\\u001b\",1]");
  EXPECT_EQ(safe_json(""), "");
}

TEST(readable, json_is_read_in_the_order_that_it_has) {
  EXPECT_EQ(safe_json("\"\u2027\u2028\u202a\u202e\u202f\""), "\"\u2027\\u2028\\u202a\\u202e\u202f\"");
  EXPECT_EQ(safe_json("\"\u2065\u2066\u2069\u206a\""), "\"\u2065\\u2066\\u2069\u206a\"");
}

} // namespace troupe::tests::readable_test
