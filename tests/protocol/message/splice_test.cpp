#include "protocol/message/splice.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::splice_test {

using namespace protocol;

namespace {

std::string_view part(std::string_view text, std::string_view what) {
  return text.substr(text.find(what), what.size());
}

} // namespace

TEST(splice, leaves_what_is_around_an_edit_as_it_was) {
  std::string_view text = R"({ "a" : 1.0e5 , "b":"x" })";
  EXPECT_EQ(spliced(text, {replacing(text, part(text, R"("x")"), R"("longer")")}), R"({ "a" : 1.0e5 , "b":"longer" })");
  EXPECT_EQ(spliced(text, {}), text);
}

TEST(splice, makes_edits_in_any_order) {
  std::string_view text = "a b c";
  EXPECT_EQ(spliced(text, {replacing(text, part(text, "c"), ""), replacing(text, part(text, "a"), "AA")}), "AA b ");
}

TEST(splice, keeps_the_id_and_the_token_of_a_message_where_they_can_be_found) {
  for (auto text : {R"({"jsonrpc":"2.0","id":7,"method":"m","params":{"name":"x","_meta":{"progressToken":8}}})",
                    R"({"params":{"_meta":{"progressToken":8},"name":"x"},"method":"m","jsonrpc":"2.0","id":7})"}) {
    auto one = gateway_message(text);
    auto edits = std::vector{replacing(one.text, part(one.text, R"("x")"), R"("somewhat longer")")};
    auto seen = relayed(spliced(one, edits), "100", "200");
    auto expected = relayed(gateway_message(spliced(one.text, edits)), "100", "200");
    EXPECT_EQ(seen.text, expected.text);
    EXPECT_NE(seen.text.find(R"("progressToken":200)"), std::string::npos);
  }
}

TEST(splice, takes_a_member_out_of_an_object) {
  EXPECT_EQ(without_member(R"({"a":1,"cursor":null,"b":[ 1 ]})", "cursor"), R"({"a":1,"b":[ 1 ]})");
  EXPECT_EQ(without_member(R"({"cursor":null})", "cursor"), "{}");
  EXPECT_EQ(without_member(R"({"a":1,"a":2,"\u0063ursor":3})", "cursor"), R"({"a":1,"a":2})");
}

TEST(splice, puts_a_member_into_an_object) {
  EXPECT_EQ(with_member("{}", "a", "[ 1 ]"), R"({"a":[ 1 ]})");
  EXPECT_EQ(with_member(R"({"b":1.0, "c":{ }})", "a", "1"), R"({"b":1.0,"c":{ },"a":1})");
  EXPECT_EQ(with_member(R"({"a":0,"b":1,"\u0061":2})", "a", "3"), R"({"b":1,"a":3})");
}

} // namespace troupe::tests::splice_test
