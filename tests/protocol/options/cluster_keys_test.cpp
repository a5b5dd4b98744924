#include "protocol/options/cluster_rules.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::cluster_keys_test {

using namespace protocol;

namespace {

using keys = std::vector<std::string>;

const std::string one = "the first of them";
const std::string two = "the second of them";
const std::string three = "the third of them";
const std::string four = "the fourth of them";
const std::string five = "the fifth of them";

keys keys_in(const std::string& text) {
  auto read = read_cluster_keys(text);
  if (auto* why = std::get_if<std::string>(&read))
    return {"none: " + *why};
  return std::get<keys>(read);
}

std::string fault_of(const std::string& text) {
  auto read = read_cluster_keys(text);
  auto* why = std::get_if<std::string>(&read);
  return why ? *why : "none";
}

} // namespace

TEST(cluster_keys, are_one_in_a_text_of_one_line) {
  for (const auto* end : {"", "\n", "\r\n"})
    EXPECT_EQ(keys_in(one + end), keys{one});
  const std::string binary{"\0\x01 #\xff\r\t spaces at its end  ", 27};
  EXPECT_EQ(keys_in(binary), keys{binary});
  EXPECT_EQ(keys_in(one + "\r\r\n"), keys{one + '\r'});
}

TEST(cluster_keys, are_the_lines_of_a_text_in_their_order) {
  EXPECT_EQ(keys_in(two + '\n' + one), (keys{two, one}));
  EXPECT_EQ(keys_in(one + '\n' + two + '\n'), (keys{one, two}));
  EXPECT_EQ(keys_in(one + "\r\n" + two + "\r\n"), (keys{one, two}));
}

TEST(cluster_keys, are_four_at_most) {
  EXPECT_EQ(keys_in(one + '\n' + two + '\n' + three).size(), 3u);
  EXPECT_EQ(keys_in(one + '\n' + two + '\n' + three + '\n' + four + '\n').size(), 4u);
  EXPECT_EQ(fault_of(one + '\n' + two + '\n' + three + '\n' + four + '\n' + five),
            "must have at most 4 keys, one a line");
}

TEST(cluster_keys, have_16_to_4096_bytes) {
  auto of = [](std::size_t size) { return std::string(size, 'k'); };
  const std::string too_short = "must have at least 16 bytes, such as those of `openssl rand -hex 32`";
  EXPECT_EQ(fault_of(of(15)), too_short);
  EXPECT_EQ(fault_of(of(4097)), "must have at most 4096 bytes");
  EXPECT_EQ(fault_of(one + '\n' + of(15)), "has a key a line, and line 2 " + too_short);
  EXPECT_EQ(fault_of(of(4097) + '\n' + one), "has a key a line, and line 1 must have at most 4096 bytes");
  for (std::size_t size : {16, 17, 4095, 4096}) {
    EXPECT_EQ(keys_in(of(size)), keys{of(size)});
    EXPECT_EQ(keys_in(one + '\n' + of(size)), (keys{one, of(size)}));
  }
}

TEST(cluster_keys, are_not_missing) {
  for (const auto* text : {"", "\n", "\r\n"})
    EXPECT_EQ(fault_of(text), no_cluster_key);
  EXPECT_EQ(fault_of(one + "\n\n"), "has a key a line, and line 2 is empty");
  EXPECT_EQ(fault_of('\n' + one), "has a key a line, and line 1 is empty");
}

TEST(cluster_keys, differ) {
  EXPECT_EQ(fault_of(two + '\n' + one + '\n' + two + '\n'), "has the same key in the lines 1 and 3");
}

// An overlapping or unfinished rotation still has room. A text that was cut at the limit has a line that is too long.
TEST(cluster_keys, are_no_longer_than_their_text) {
  std::string text;
  for (auto c : {'a', 'b', 'c', 'd'})
    text += std::string(longest_cluster_key, c) + "\r\n";
  EXPECT_EQ(text.size(), longest_cluster_keys);
  EXPECT_EQ(keys_in(text).size(), most_cluster_keys);
  EXPECT_EQ(fault_of(text + 'x'), "must have at most 4 keys, one a line");
}

} // namespace troupe::tests::cluster_keys_test
