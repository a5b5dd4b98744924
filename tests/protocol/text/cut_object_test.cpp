#include "protocol/message/skipped_message.hpp"

#include <gtest/gtest.h>

#include <string>

namespace troupe::tests::cut_object_test {

using namespace protocol;

namespace {

std::string told(const std::vector<cut_member>& members) {
  std::string result;
  for (auto& [key, value] : members)
    result += std::string{key} + "=" + std::string{value} + ";";
  return result;
}

std::string head(std::string_view text) { return told(members_of_head(text)); }
std::string tail(std::string_view text) { return told(members_of_tail(text)); }

constexpr std::string_view object =
    R"( { "a" : 1 ,"b":"x\\\"}," , "c":[{"d":"]"},[]], "e":{"f":{"g":"\"{"}},"h":null,"i":-1.5e3 } )";

} // namespace

TEST(cut_object, has_the_members_of_a_whole_object_from_both_ends) {
  EXPECT_EQ(head(object), R"(a=1;b="x\\\"},";c=[{"d":"]"},[]];e={"f":{"g":"\"{"}};h=null;i=-1.5e3;)");
  EXPECT_EQ(tail(object), R"(i=-1.5e3;h=null;e={"f":{"g":"\"{"}};c=[{"d":"]"},[]];b="x\\\"},";a=1;)");
  EXPECT_EQ(head("{}") + tail("{}"), "");
}

TEST(cut_object, has_no_value_that_its_beginning_does_not_end) {
  EXPECT_EQ(head(R"({"id":7,"result":{"content":[{"text":"abc)"), "id=7;result=;");
  EXPECT_EQ(head(R"({"id":7)"), "id=;");
  EXPECT_EQ(head(R"({"id":"7)"), "id=;");
  EXPECT_EQ(head(R"({"id":"7\")"), "id=;");
  EXPECT_EQ(head(R"({"id":)"), "id=;");
  EXPECT_EQ(head(R"({"id")"), "");
  EXPECT_EQ(head(R"({"i)"), "");
}

TEST(cut_object, has_no_member_that_began_before_its_end) {
  EXPECT_EQ(tail(R"(abc","more":[1,2]}]},"jsonrpc":"2.0","id":7})"), R"(id=7;jsonrpc="2.0";)");
  EXPECT_EQ(tail(R"(c","id":"a\\"})"), R"(id="a\\";)");
  EXPECT_EQ(tail(R"(7})"), "");
  EXPECT_EQ(tail(R"(d":7})"), "");
  EXPECT_EQ(tail(R"("id":7})"), "id=7;");
  EXPECT_EQ(tail(R"("})"), "");
  EXPECT_EQ(tail(R"(\"})"), "");
}

TEST(cut_object, does_not_take_what_is_inside_a_value_for_a_member) {
  EXPECT_EQ(head(R"({"result":{"id":1,"x":"y)"), "result=;");
  EXPECT_EQ(tail(R"(x","id":1}})"), "");
  EXPECT_EQ(tail(R"(,\"id\":1}"})"), "");
  EXPECT_EQ(tail(R"(a":"},\"id\":1}","b":2})"), R"(b=2;)");
}

/// Every prefix of an object, and of other texts, is read without a fault, and yields members only.
TEST(cut_object, reads_any_text) {
  auto members = head(object);
  auto is_member = [&](const cut_member& one) {
    return members.find(std::string{one.key} + "=" + std::string{one.value}) != members.npos;
  };
  for (std::size_t at = 0; at <= object.size(); ++at) {
    for (auto& one : members_of_head(object.substr(0, at)))
      EXPECT_TRUE(is_member(one)) << at;
    for (auto& one : members_of_tail(object.substr(at)))
      EXPECT_TRUE(is_member(one)) << at;
  }
  for (std::string_view text :
       {"", " ", "]", "}", "{", "\"", "\\", "\"\"}", "}}}", "[[[", "{:}", "{,}", "{\"a\"}", ":}"})
    EXPECT_EQ(head(text) + tail(text), "") << text;
}

} // namespace troupe::tests::cut_object_test
