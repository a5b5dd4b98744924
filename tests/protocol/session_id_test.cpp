#include "protocol/ids.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

namespace troupe::tests::session_id_test {

using namespace protocol;

namespace {

/// A byte source that counts, and varies each of the sixteen bytes.
random_bytes nth_bytes(std::uint64_t n) {
  random_bytes result;
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = static_cast<std::byte>((n >> (8 * (i % 8))) ^ (i < 8 ? 0 : 0xA5));
  return result;
}

} // namespace

TEST(session_id, is_32_lower_case_hexadecimal_digits) {
  random_bytes bytes{};
  bytes[0] = std::byte{0x01};
  bytes[1] = std::byte{0xAB};
  bytes[14] = std::byte{0xF0};
  bytes[15] = std::byte{0xFF};
  EXPECT_EQ(make_session_id(bytes), "01ab000000000000000000000000f0ff");
}

TEST(session_id, is_unique_and_valid_a_hundred_thousand_times) {
  std::unordered_set<std::string> seen;
  for (std::uint64_t n = 0; n < 100'000; ++n) {
    auto id = make_session_id(nth_bytes(n));
    ASSERT_TRUE(valid_session_id(id)) << id;
    ASSERT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos) << id;
    ASSERT_EQ(id.size(), 32u);
    ASSERT_TRUE(seen.insert(std::move(id)).second) << n;
  }
}

TEST(session_id, of_a_client_has_1_to_128_characters) {
  EXPECT_FALSE(valid_session_id(""));
  EXPECT_TRUE(valid_session_id("a"));
  EXPECT_TRUE(valid_session_id(std::string(127, 'a')));
  EXPECT_TRUE(valid_session_id(std::string(128, 'a')));
  EXPECT_FALSE(valid_session_id(std::string(129, 'a')));
}

TEST(session_id, of_a_client_is_visible_ASCII_without_comma) {
  for (int code = 0; code < 256; ++code) {
    auto expected = code >= 0x21 && code <= 0x7E && code != ',';
    auto c = static_cast<char>(code);
    EXPECT_EQ(valid_session_id(std::string{c}), expected) << code;
    EXPECT_EQ(valid_session_id(std::string{'a', c, 'b'}), expected) << code;
  }
}

TEST(session_id, is_shown_by_its_first_8_characters) {
  EXPECT_EQ(shown("01ab23cd45ef67890123456789abcdef"), "01ab23cd…");
  EXPECT_EQ(shown("0123456789abcdefg"), "01234567…");
  EXPECT_EQ(shown("0123456789abcdef"), "01234567…");
}

TEST(session_id, is_never_shown_whole) {
  EXPECT_EQ(shown("0123456789abcde"), "0123456…");
  EXPECT_EQ(shown("01234567"), "0123…");
  EXPECT_EQ(shown("01"), "0…");
  EXPECT_EQ(shown("0"), "…");
  EXPECT_EQ(shown(""), "…");
}

TEST(session_id, cannot_forge_a_log_line) {
  EXPECT_EQ(shown("a\r\nb\x1B[2m-and-so-on"), "a??b?[2m…");
  EXPECT_EQ(shown("\xC3\xA4\xC3\xA4"), "??…");
}

} // namespace troupe::tests::session_id_test
