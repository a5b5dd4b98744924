#include "protocol/text/json_value.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace troupe::tests::schema_check_test {

using namespace protocol;

namespace {

std::string problem(const std::string& value, const std::string& schema) {
  return schema_problem(boost::json::parse(value), boost::json::parse(schema).as_object(), "x").value_or("");
}

} // namespace

TEST(a_schema, checks_types) {
  for (auto [type, good, bad] : {std::tuple{"string", "\"a\"", "1"},
                                 {"number", "1.5", "\"1\""},
                                 {"integer", "2.0", "2.5"},
                                 {"boolean", "true", "0"},
                                 {"object", "{}", "[]"},
                                 {"array", "[]", "{}"},
                                 {"null", "null", "0"}}) {
    auto schema = std::string{R"({"type":")"} + type + "\"}";
    EXPECT_EQ(problem(good, schema), "");
    EXPECT_EQ(problem(bad, schema), std::string{"x must be of type \""} + type + "\"");
  }
  EXPECT_EQ(problem("null", R"({"type":["string","null"]})"), "");
  EXPECT_EQ(problem("1", R"({"type":["string","null"]})"), R"(x must be of type ["string","null"])");
}

TEST(a_schema, looks_into_objects_and_arrays) {
  auto schema = R"({"required":["a"],"properties":{"a":{"items":{"properties":{"b":{"type":"string"}}}}}})";
  EXPECT_EQ(problem("{}", schema), "x.a is missing");
  EXPECT_EQ(problem(R"({"a":[{"b":"s"},{"b":1}]})", schema), R"(x.a[1].b must be of type "string")");
  EXPECT_EQ(problem(R"({"a":[{"b":"s"}],"c":1})", schema), "");
  EXPECT_EQ(problem("7", schema), "");
}

TEST(a_schema, knows_choices) {
  EXPECT_EQ(problem("\"a\"", R"({"enum":["a",1]})"), "");
  EXPECT_EQ(problem("\"b\"", R"({"enum":["a",1]})"), R"(x must be one of ["a",1])");
}

TEST(a_schema, that_is_malformed_forbids_nothing) {
  for (auto odd : {R"({"type":7})", R"({"type":"thing"})", R"({"enum":"a"})", R"({"required":"a"})",
                   R"({"required":[1]})", R"({"properties":[]})", R"({"properties":{"a":true}})", R"({"items":false})"})
    for (auto value : {R"({"a":1})", "[1]"})
      EXPECT_EQ(problem(value, odd), "") << odd;
}

} // namespace troupe::tests::schema_check_test
