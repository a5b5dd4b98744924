#include "protocol/options/admin_token.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::admin_token_test {

using namespace protocol;

namespace {

using read_token = std::variant<std::string, admin_token_fault>;

constexpr auto too_short = "must have at least 16 characters, such as those of `openssl rand -hex 32`";
constexpr auto not_visible = "must be one line of visible characters of ASCII";

read_token fault(std::string why) { return admin_token_fault{std::move(why)}; }

} // namespace

TEST(admin_token, has_16_to_4096_characters) {
  EXPECT_EQ(fault_of_admin_token(""), too_short);
  EXPECT_EQ(fault_of_admin_token(std::string(15, 'x')), too_short);
  EXPECT_EQ(fault_of_admin_token(std::string(16, 'x')), "");
  EXPECT_EQ(fault_of_admin_token(std::string(17, 'x')), "");
  EXPECT_EQ(fault_of_admin_token(std::string(4095, 'x')), "");
  EXPECT_EQ(fault_of_admin_token(std::string(4096, 'x')), "");
  EXPECT_EQ(fault_of_admin_token(std::string(4097, 'x')), "must have at most 4096 characters");
}

TEST(admin_token, is_visible_ascii) {
  const std::string start(16, 'x');
  for (const char good : {'!', '~', '"', '=', '/'})
    EXPECT_EQ(fault_of_admin_token(start + good), "") << good;
  for (const char bad : {' ', '\t', '\n', '\0', '\x1f', '\x7f', '\x80', '\xff'})
    EXPECT_EQ(fault_of_admin_token(start + bad + 'x'), not_visible) << int{bad};
}

TEST(admin_token, is_the_one_line_of_its_file) {
  const std::string token(16, 'x');
  for (const auto* end : {"", "\n", "\r\n"})
    EXPECT_EQ(read_admin_token(token + end), read_token{token});
  EXPECT_EQ(read_admin_token(std::string(15, 'x') + "\r\n"), fault(too_short));
  EXPECT_EQ(read_admin_token(token + "\n\n"), fault(not_visible));
  EXPECT_EQ(read_admin_token(token + "\n" + token + "\n"), fault(not_visible));
  EXPECT_EQ(read_admin_token(""), fault(too_short));
}

TEST(admin_token, may_have_the_longest_line) {
  const auto longest = std::string(longest_admin_token, 'x') + "\r\n";
  EXPECT_EQ(longest.size(), longest_admin_token_file);
  EXPECT_EQ(read_admin_token(longest).index(), 0U);
}

TEST(admin_token, has_a_file_for_each_listener) {
  EXPECT_EQ(admin_token_name("127.0.0.1", 9464), "admin-127.0.0.1-9464.token");
  EXPECT_EQ(admin_token_name("::1", 1), "admin-::1-1.token");
}

} // namespace troupe::tests::admin_token_test
