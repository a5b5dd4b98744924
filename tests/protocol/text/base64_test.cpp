#include "protocol/text/base64.hpp"

#include <gtest/gtest.h>

using troupe::protocol::base64;
using troupe::protocol::base64url;

TEST(base64_text, is_that_of_rfc_4648_section_10) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

TEST(base64url_text, has_its_own_alphabet_and_no_padding) {
  EXPECT_EQ(base64url(""), "");
  EXPECT_EQ(base64url("f"), "Zg");
  EXPECT_EQ(base64url("fo"), "Zm8");
  EXPECT_EQ(base64url("foo"), "Zm9v");
  EXPECT_EQ(base64url("\xff\xfe\xfd"), "__79");
  EXPECT_EQ(base64url("\xfb\xef\xbe"), "----");
}
