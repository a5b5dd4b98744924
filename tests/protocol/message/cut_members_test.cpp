#include "protocol/message/splice.hpp"

#include <gtest/gtest.h>

#include <string>

namespace troupe::tests::cut_members_test {

using namespace protocol;

namespace {

/// The object without its members `a` and `b`.
std::string cut(const std::string& object) {
  std::vector<edit> edits;
  cut_members(
      object, object, [](auto key, auto) { return key == "a" || key == "b"; }, edits);
  return spliced(object, std::move(edits));
}

std::string added(const std::string& object) {
  std::vector<edit> edits;
  auto has_others = cut_members(
      object, object, [](auto key, auto) { return key == "a"; }, edits);
  edits.push_back(adding(object, object, has_others, R"("n":1)"));
  return spliced(object, std::move(edits));
}

} // namespace

TEST(cut_members, leaves_all_others_byte_for_byte) {
  EXPECT_EQ(cut(R"({ "x" : 1.0 , "\u0079":[ "a" ]})"), R"({ "x" : 1.0 , "\u0079":[ "a" ]})");
  EXPECT_EQ(cut(R"({ "x" : 1.0 , "a":2, "y":{"a":3} })"), R"({ "x" : 1.0, "y":{"a":3} })");
}

TEST(cut_members, takes_one_comma_with_each_member) {
  EXPECT_EQ(cut(R"({"a":1,"x":2})"), R"({"x":2})");
  EXPECT_EQ(cut(R"({"a" : 1 , "x":2})"), R"({ "x":2})");
  EXPECT_EQ(cut(R"({"x":2,"a":1})"), R"({"x":2})");
  EXPECT_EQ(cut(R"({"x":2,"a":1,"y":3})"), R"({"x":2,"y":3})");
  EXPECT_EQ(cut(R"({"a":1,"b":2,"x":3})"), R"({"x":3})");
  EXPECT_EQ(cut(R"({"x":1,"a":2,"b":3,"y":4})"), R"({"x":1,"y":4})");
  EXPECT_EQ(cut(R"({"a":1,"x":2,"b":3})"), R"({"x":2})");
}

TEST(cut_members, takes_members_that_stand_twice_or_have_escapes) {
  EXPECT_EQ(cut(R"({"a":1,"x":2,"a":3})"), R"({"x":2})");
  EXPECT_EQ(cut(R"({"\u0061":1,"x":2})"), R"({"x":2})");
}

TEST(cut_members, may_leave_nothing) {
  EXPECT_EQ(cut(R"({"a":1})"), "{}");
  EXPECT_EQ(cut(R"({"a":1,"b":2})"), "{}");
  EXPECT_EQ(cut("{}"), "{}");
}

TEST(cut_members, makes_room_for_others) {
  EXPECT_EQ(added("{}"), R"({"n":1})");
  EXPECT_EQ(added(R"({"a":1})"), R"({"n":1})");
  EXPECT_EQ(added(R"({"x":1})"), R"({"x":1,"n":1})");
  EXPECT_EQ(added(R"({"x":1,"a":2})"), R"({"x":1,"n":1})");
}

} // namespace troupe::tests::cut_members_test
