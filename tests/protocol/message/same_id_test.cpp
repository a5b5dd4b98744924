#include "protocol/message/same_id.hpp"

#include "protocol/message/message.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace troupe::tests::same_id_test {

using namespace protocol;

// RFC 8259, 6
TEST(same_id, is_that_of_equal_numbers) {
  for (auto other : {"7", "7.0", "7.00", "7e0", "70e-1", "0.7E1"})
    EXPECT_TRUE(same_id("7", other)) << other;
  for (auto other : {"\"7\"", "\"7.0\"", "7.5", "8", "-7", "70", ""})
    EXPECT_FALSE(same_id("7", other)) << other;
  EXPECT_TRUE(same_id("-0", "0"));
  EXPECT_TRUE(same_id("-0.0", "0"));
  EXPECT_TRUE(same_id("1.5", "1.5"));
  EXPECT_FALSE(same_id("1.5", "15e-1"));
}

TEST(same_id, is_that_of_equal_texts_beyond_what_doubles_tell_apart) {
  EXPECT_TRUE(same_id("9007199254740991", "9007199254740991.0"));
  EXPECT_TRUE(same_id("9007199254740992", "9007199254740992.0"));
  EXPECT_FALSE(same_id("9007199254740992.0", "9007199254740993"));
  EXPECT_FALSE(same_id("9007199254740993", "9007199254740993.0"));
  EXPECT_TRUE(same_id("9007199254740993", "9007199254740993"));
  EXPECT_FALSE(same_id("18446744073709551615", "18446744073709551614"));
  EXPECT_TRUE(same_id("1e400", "1e400"));
}

TEST(same_id, is_found_in_tables) {
  std::map<std::string, int, id_less> all{{"1.0", 1}, {"\"1\"", 2}, {"2", 3}};
  EXPECT_EQ(all.at("1"), 1);
  EXPECT_EQ(all.at("\"1\""), 2);
  EXPECT_EQ(all.at("2e0"), 3);
  EXPECT_FALSE(all.emplace("10e-1", 4).second);
}

TEST(names_request, takes_a_number_or_a_string_of_it_for_an_id_of_ours) {
  for (auto id : {"1", "1.0", "1e0", "\"1\"", "\"1.0\""})
    EXPECT_TRUE(names_request(id, "1")) << id;
  for (auto id : {"2", "\"2\"", "", "null", "1.5"})
    EXPECT_FALSE(names_request(id, "1")) << id;
  EXPECT_TRUE(names_request("\"a\"", "\"a\""));
  EXPECT_FALSE(names_request("1", "\"a\""));
}

} // namespace troupe::tests::same_id_test
