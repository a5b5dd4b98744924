#include "protocol/text/base_encodings.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace troupe::tests::base64_test {

using troupe::protocol::base64;
using troupe::protocol::base64url;
using troupe::protocol::from_base64;

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

TEST(base64_text, is_decoded_again) {
  for (std::string bytes : {"", "f", "fo", "foo", "foob", "\xff\xfe\xfd"})
    EXPECT_EQ(from_base64(base64(bytes)), bytes);
}

TEST(base64_text, is_refused_without_its_padding_or_with_what_means_nothing) {
  for (auto text : {"Z", "Zg", "Zg=", "Zm8", "Zg===", "Zm9v====", "====", "=", "==", "Z===", "Zg==Zg==", "Zm9v\n",
                    "Zm_v", "Zh==", "Zm9=", "@@@=", "Zg= ", " Zg="})
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
}

TEST(base64url_text, has_its_own_alphabet_and_no_padding) {
  EXPECT_EQ(base64url(""), "");
  EXPECT_EQ(base64url("f"), "Zg");
  EXPECT_EQ(base64url("fo"), "Zm8");
  EXPECT_EQ(base64url("foo"), "Zm9v");
  EXPECT_EQ(base64url("\xff\xfe\xfd"), "__79");
  EXPECT_EQ(base64url("\xfb\xef\xbe"), "----");
}

} // namespace troupe::tests::base64_test
