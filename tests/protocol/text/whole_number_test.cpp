#include "protocol/text/number.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace troupe::tests::whole_number_test {

using namespace protocol;

// RFC 8259, 6
TEST(whole_number, is_the_same_however_it_is_written) {
  for (auto text : {"10", "10.0", "10.00", "1e1", "1E+1", "1.0e1", "100e-1", "0.1e2", "0.010e3", "1000.0e-2"})
    EXPECT_EQ(whole_number(text), 10) << text;
  for (auto text : {"0", "-0", "0.0", "-0.0", "0e5", "0e-5", "0.000e-7", "0e999999999999999999999"})
    EXPECT_EQ(whole_number(text), 0) << text;
  EXPECT_EQ(whole_number("-32601.0"), -32601);
  EXPECT_EQ(whole_number("-3.2601e4"), -32601);
  EXPECT_EQ(whole_number("1" + std::string(1000, '0') + "e-1000"), 1);
  EXPECT_EQ(whole_number("0." + std::string(999, '0') + "1e1000"), 1);
}

TEST(whole_number, is_none_with_a_fraction_or_where_the_text_is_no_number) {
  for (auto text :
       {"1.5",  "1e-1", "0.1", "15e-1", "1e-400", "",      "-",   "+1",  ".5",   "1.",    "1e",  "1e+",
        "1.e1", "1 ",   " 1",  "1x",    "0x1",    "1e1.0", "1_0", "--1", "true", "\"1\"", "NaN", "Infinity"})
    EXPECT_EQ(whole_number(text), std::nullopt) << text;
}

TEST(whole_number, is_exact_up_to_2_to_the_53rd_and_none_beyond) {
  EXPECT_EQ(whole_number("9007199254740991"), 9007199254740991);
  EXPECT_EQ(whole_number("9007199254740991.0"), 9007199254740991);
  EXPECT_EQ(whole_number("9007199254740992"), 9007199254740992);
  EXPECT_EQ(whole_number("9.007199254740992e15"), 9007199254740992);
  EXPECT_EQ(whole_number("-9007199254740992.0"), -9007199254740992);
  for (auto text : {"9007199254740993", "9007199254740993.0", "9.007199254740993e15", "-9007199254740993.0",
                    "9007199254740992.5", "1e16", "1e400", "1e99999999999999999999", "90071992547409920"})
    EXPECT_EQ(whole_number(text), std::nullopt) << text;
}

TEST(unsigned_number, has_64_bits_where_it_is_plain) {
  EXPECT_EQ(unsigned_number("18446744073709551615"), 18446744073709551615u);
  EXPECT_EQ(unsigned_number("60000.0"), 60000u);
  EXPECT_EQ(unsigned_number("6e4"), 60000u);
  EXPECT_EQ(unsigned_number("-0.0"), 0u);
  for (auto text : {"18446744073709551616", "18446744073709551615.0", "-1", "-1.0", "0.5", ""})
    EXPECT_EQ(unsigned_number(text), std::nullopt) << text;
}

} // namespace troupe::tests::whole_number_test
