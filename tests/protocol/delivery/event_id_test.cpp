#include "protocol/delivery/event_store.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace troupe::tests::event_id_test {

using namespace protocol;

namespace {

constexpr auto largest = std::numeric_limits<std::uint64_t>::max();
const std::string mine = event_tag("0123456789abcdef0123456789abcdef");
const std::string other = event_tag("1123456789abcdef0123456789abcdef");

} // namespace

// 2025-11-25, transports, "Resumability and Redelivery" 1
TEST(event_id, names_the_stream_and_the_position) {
  EXPECT_EQ(event_id_text("tag", {7, 12}), "tag-7-12");
  EXPECT_EQ(read_event_id("tag", "tag-7-12"), (event_id{7, 12}));
}

TEST(event_id, is_read_as_it_was_written) {
  for (auto stream : {std::uint64_t{0}, std::uint64_t{1}, largest - 1, largest})
    for (auto position : {std::uint64_t{0}, std::uint64_t{9}, std::uint64_t{10}, largest})
      EXPECT_EQ(read_event_id(mine, event_id_text(mine, {stream, position})), (event_id{stream, position}));
}

TEST(event_id, is_visible_ASCII) {
  for (auto c : event_id_text(mine, {largest, largest}))
    EXPECT_TRUE(c > 0x20 && c < 0x7f) << c;
}

TEST(event_id, of_another_session_is_not_read) {
  EXPECT_NE(mine, other);
  EXPECT_EQ(read_event_id(mine, event_id_text(other, {1, 1})), std::nullopt);
  EXPECT_EQ(read_event_id(mine, event_id_text(mine + "0", {1, 1})), std::nullopt);
  EXPECT_EQ(read_event_id(mine, event_id_text(mine.substr(1), {1, 1})), std::nullopt);
}

TEST(event_id, that_is_malformed_is_not_read) {
  for (auto& rest : {"",       "-",      "--",   "-1",    "-1-",   "--1",   "-1-1-",      "-1-1-1", "-1--1",
                     "--1-1",  "-a-1",   "-1-a", "-1-1a", "-1-1 ", "- 1-1", "-+1-1",      "-1-+1",  "-0x1-1",
                     "-1-1.0", "-1-1e1", "-1_1", "1-1",   " -1-1", "-1,1",  "-\xd9\xa1-1"})
    EXPECT_EQ(read_event_id(mine, mine + rest), std::nullopt) << rest;
  for (auto& text : {"", "1", "1-1", "-", "-1-1", "event", "*"})
    EXPECT_EQ(read_event_id(mine, text), std::nullopt) << text;
  EXPECT_EQ(read_event_id(mine, mine.substr(0, mine.size() - 1)), std::nullopt);
  EXPECT_EQ(read_event_id(mine, mine + "-1-1" + '\0'), std::nullopt);
}

TEST(event_id, with_a_number_that_is_too_large_is_not_read) {
  EXPECT_EQ(read_event_id("t", "t-18446744073709551615-18446744073709551615"), (event_id{largest, largest}));
  EXPECT_EQ(read_event_id("t", "t-18446744073709551616-1"), std::nullopt);
  EXPECT_EQ(read_event_id("t", "t-1-18446744073709551616"), std::nullopt);
  EXPECT_EQ(read_event_id("t", "t-1-" + std::string(10000, '9')), std::nullopt);
}

TEST(event_id, tag_is_the_same_for_the_same_session_and_does_not_show_it) {
  std::string id = "0123456789abcdef0123456789abcdef";
  EXPECT_EQ(event_tag(id), mine);
  EXPECT_LE(mine.size(), 8u);
  EXPECT_EQ(id.find(mine), id.npos);
  EXPECT_EQ(mine.find('-'), mine.npos);
}

} // namespace troupe::tests::event_id_test
