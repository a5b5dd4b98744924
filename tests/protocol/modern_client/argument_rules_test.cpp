#include "protocol/modern_client/known_tools.hpp"

#include "tests/support/protocol_effects.hpp"
#include "tests/support/session_driver.hpp"

#include <ctime>

namespace troupe::tests::argument_rules_test {

namespace {

using fields = std::vector<std::pair<std::string, std::string>>;
using rule_list = std::vector<argument_rule>;

std::string annotated(const std::string& type, const std::string& header) {
  return R"({"type":")" + type + R"(","x-mcp-header":)" + troupe::protocol::quoted(header) + "}";
}
std::string schema_of(const std::string& properties) {
  return R"({"type":"object","properties":{)" + properties + "}}";
}
std::string tool(const std::string& name, const std::string& schema) {
  return R"({"name":)" + troupe::protocol::quoted(name) + R"(,"inputSchema":)" + schema + "}";
}
std::string tools(const std::string& all) { return R"({"tools":[)" + all + "]}"; }

/// A tool `t` with an argument of each type, one of them in an object.
const std::string typed_tool = tool("t", schema_of(R"("region":)" + annotated("string", "Region") + R"(,"count":)" +
                                                   annotated("integer", "Count") + R"(,"in":)" +
                                                   schema_of(R"("dry":)" + annotated("boolean", "Dry-Run"))));

/// Rules of the tools of a list.
struct rules_for : argument_rules {
  explicit rules_for(const std::string& all) { learn(tools(all)); }
};

/// The reason why a call of `t` with those arguments is refused; empty when it is valid.
std::string complaint(const argument_rules& rules, const std::string& arguments, const fields& sent) {
  auto call = gateway_message(request("7", "tools/call", R"({"name":"t","arguments":)" + arguments + "}"));
  auto why = rules.refuse(call, sent);
  return why ? why->text : "";
}
std::string complaint(const std::string& arguments, const fields& sent) {
  return complaint(rules_for(typed_tool), arguments, sent);
}

const std::string differs = " is not what its argument is";

} // namespace

// -- schemas ---------------------------------------------------------------------------

// A schema has no length limit. The time limit suits sanitizers on a busy machine, where this takes a second, and a
// minute if each annotation is compared with all others.
TEST(argument_rules, are_read_once_however_many_annotations_there_are) {
  std::string same, others;
  for (int i = 0; same.size() < std::size_t{1} << 20; ++i) {
    same += R"("x-mcp-header":"A",)";
    others += R"("x-mcp-header":"A)" + std::to_string(i) + R"(",)";
  }
  const auto begun = std::clock();
  for (auto& all : {same, others}) {
    const auto schema = schema_of(R"("a":{)" + all + R"("type":"string"})");
    EXPECT_TRUE(read_argument_rules(schema).empty());
    EXPECT_TRUE(has_invalid_annotation(schema));
  }
  EXPECT_LT((std::clock() - begun) / CLOCKS_PER_SEC, 20);
  EXPECT_TRUE(has_invalid_annotation(schema_of(R"("a":{"x-mcp-header":"A","x-mcp-header":"B","type":"string"})")));
}

TEST(argument_rules, are_read_from_properties_at_any_depth) {
  EXPECT_EQ(read_argument_rules(schema_of(R"("a":)" + annotated("integer", "A") + R"(,"plain":{"type":"string"},"o":)" +
                                          schema_of(R"("x/y":)" + annotated("boolean", "b-~")))),
            (rule_list{{"A", {"a"}}, {"b-~", {"o", "x/y"}}}));
  EXPECT_EQ(read_argument_rules(schema_of(R"("x-mcp-header":{"type":"string"},"a":)" + annotated("string", "A"))),
            (rule_list{{"A", {"a"}}}));
  EXPECT_EQ(read_argument_rules(schema_of(R"("a":{"type":"string","default":{"x-mcp-header":1},"x-mcp-header":"A"})")),
            (rule_list{{"A", {"a"}}}));
  EXPECT_EQ(read_argument_rules(schema_of(R"("a":{"type":"string"})")), rule_list{});
  EXPECT_EQ(read_argument_rules("true"), rule_list{});
}

TEST(argument_rules, are_none_when_an_annotation_is_not_valid) {
  auto good = R"("good":)" + annotated("string", "Good");
  EXPECT_EQ(read_argument_rules(schema_of(good)).size(), 1U);
  for (auto& bad :
       {annotated("string", ""), annotated("string", "A B"), annotated("string", "A:"), annotated("string", "Ä"),
        annotated("number", "A"), annotated("object", "A"), annotated("string", "gOOD"),
        std::string{R"({"x-mcp-header":"A"})"}, std::string{R"({"type":["string"],"x-mcp-header":"A"})"},
        std::string{R"({"type":"string","x-mcp-header":7})"}}) {
    EXPECT_EQ(read_argument_rules(schema_of(good + R"(,"bad":)" + bad)), rule_list{}) << bad;
    EXPECT_EQ(read_argument_rules(schema_of(R"("bad":)" + bad + "," + good)), rule_list{}) << bad;
  }
  EXPECT_EQ(read_argument_rules(R"({"type":"string","x-mcp-header":"A"})"), rule_list{});
}

TEST(argument_rules, are_none_when_an_annotation_is_reached_otherwise) {
  auto inner = annotated("string", "A");
  auto properties = schema_of(R"("in":)" + inner);
  for (auto& bad : {R"({"items":)" + inner + "}", R"({"items":[)" + inner + "]}", R"({"oneOf":[true,)" + inner + "]}",
                    R"({"anyOf":[)" + properties + "]}", R"({"not":)" + inner + "}", R"({"then":)" + properties + "}",
                    R"({"$defs":{"d":)" + inner + "}}", R"({"patternProperties":{"^a":)" + inner + "}}",
                    R"({"additionalProperties":)" + inner + "}"})
    EXPECT_EQ(read_argument_rules(schema_of(R"("good":)" + annotated("string", "Good") + R"(,"bad":)" + bad)),
              rule_list{})
        << bad;
}

// -- calls -----------------------------------------------------------------------------

TEST(argument_rules, let_calls_pass_whose_fields_say_what_their_arguments_say) {
  EXPECT_EQ(complaint(R"({"region":"eu","count":42,"in":{"dry":true}})",
                      {{"Region", "eu"}, {"COUNT", "42"}, {"dry-run", "true"}}),
            "");
  EXPECT_EQ(complaint(R"({"region":"e\u0075"})", {{"Region", "eu"}}), "");
  EXPECT_EQ(complaint("{}", {}), "");
  EXPECT_EQ(complaint(R"({"region":"","other":1})", {{"Region", ""}}), "");
}

TEST(argument_rules, refuse_with_the_id_and_the_name_of_the_field) {
  auto call = gateway_message(request(R"("7")", "tools/call", R"({"name":"t","arguments":{"region":"eu"}})"));
  EXPECT_EQ(rules_for(typed_tool).refuse(call, {}),
            (rejection{.status = 400,
                       .code = -32020,
                       .text = "Header mismatch: Mcp-Param-Region is missing; it repeats an argument that is there",
                       .id = R"("7")"}));
}

TEST(argument_rules, refuse_a_field_without_its_argument) {
  auto why = "Header mismatch: Mcp-Param-Dry-Run is there, but the argument that it repeats is not";
  for (auto arguments :
       {"{}", R"({"in":{}})", R"({"in":null})", R"({"in":{"dry":null}})", R"({"in":[true]})", R"({"dry":true})"})
    EXPECT_EQ(complaint(arguments, {{"Dry-Run", "true"}}), why) << arguments;
  auto call = gateway_message(request("7", "tools/call", R"({"name":"t"})"));
  EXPECT_EQ(rules_for(typed_tool).refuse(call, {{"Dry-Run", "true"}}).value_or(rejection{}).text, why);
}

TEST(argument_rules, take_null_for_an_absent_argument) {
  EXPECT_EQ(complaint(R"({"region":null,"count":null,"in":null})", {}), "");
  EXPECT_NE(complaint(R"({"region":"null"})", {}), "");
}

TEST(argument_rules, compare_integers_by_what_they_are) {
  auto count = [](const std::string& token, const std::string& field) {
    return complaint(R"({"count":)" + token + "}", {{"Count", field}}).empty();
  };
  for (auto same : {"42", "42.0", "4.2e1", "042"})
    EXPECT_TRUE(count("42", same)) << same;
  EXPECT_TRUE(count("42.0", "42"));
  EXPECT_TRUE(count("-0", "0"));
  EXPECT_TRUE(count("9007199254740991", "9007199254740991.0"));
  EXPECT_TRUE(count("9007199254740993", "9007199254740993"));
  EXPECT_TRUE(count("1e999", "1e999"));
  for (auto other : {"43", "-42", "", " 42", "42 ", "42x", "+42", "0x2a", "nan", "inf", "true", "4 2"})
    EXPECT_FALSE(count("42", other)) << other;
  EXPECT_FALSE(count("9007199254740993", "9007199254740992"));
  EXPECT_FALSE(count("1e999", "inf"));
  EXPECT_FALSE(count("1e999", "2e999"));
}

TEST(argument_rules, compare_booleans_and_strings_byte_by_byte) {
  for (auto other : {"True", "1", "", "false", " true"})
    EXPECT_EQ(complaint(R"({"in":{"dry":true}})", {{"Dry-Run", other}}),
              "Header mismatch: Mcp-Param-Dry-Run" + differs);
  for (auto other : {"EU", "eu ", "", "e", "\"eu\""})
    EXPECT_EQ(complaint(R"({"region":"eu"})", {{"Region", other}}), "Header mismatch: Mcp-Param-Region" + differs);
  EXPECT_NE(complaint(R"({"region":"42"})", {{"Region", "42.0"}}), "");
}

TEST(argument_rules, decode_what_a_field_cannot_say_as_it_is) {
  EXPECT_EQ(complaint(R"({"region":"é"})", {{"Region", "=?base64?w6k=?="}}), "");
  EXPECT_EQ(complaint(R"({"region":" eu"})", {{"Region", "=?base64?IGV1?="}}), "");
  EXPECT_EQ(complaint(R"({"count":42})", {{"Count", "=?base64?NDI=?="}}), "");
  EXPECT_EQ(complaint(R"({"region":""})", {{"Region", "=?base64?"
                                                      "?="}}),
            "");
  EXPECT_EQ(complaint(R"({"region":"=?BASE64?w6k=?="})", {{"Region", "=?BASE64?w6k=?="}}), "");
  for (auto bad : {"=?base64?@@@?=", "=?base64?w6k?=", "=?base64?/w==?="})
    EXPECT_EQ(complaint(R"({"region":"eu"})", {{"Region", bad}}),
              "Header mismatch: Mcp-Param-Region has the marks of base64, but no base64 of UTF-8 between them");
}

TEST(argument_rules, refuse_a_field_that_is_there_twice) {
  EXPECT_EQ(complaint(R"({"region":"eu"})", {{"Region", "eu"}, {"Other", "x"}, {"region", "eu"}}),
            "Header mismatch: Mcp-Param-Region may come once");
}

TEST(argument_rules, refuse_an_argument_that_is_there_twice_unless_both_say_the_same) {
  EXPECT_EQ(complaint(R"({"region":"eu","region":"e\u0075"})", {{"Region", "eu"}}), "");
  for (auto two :
       {R"("region":"eu","region":"us")", R"("region":"us","region":"eu")", R"("region":"eu","region":null)"})
    EXPECT_EQ(complaint("{" + std::string{two} + "}", {{"Region", "eu"}}),
              "Header mismatch: Mcp-Param-Region" + differs)
        << two;
  EXPECT_EQ(complaint(R"({"in":{"dry":true},"in":{"dry":false}})", {{"Dry-Run", "true"}}),
            "Header mismatch: Mcp-Param-Dry-Run" + differs);
  EXPECT_EQ(complaint(R"({"region":"eu"},"arguments":{"region":"us"})", {{"Region", "eu"}}),
            "Header mismatch: Mcp-Param-Region" + differs);
}

TEST(argument_rules, refuse_an_argument_that_no_field_can_repeat) {
  for (auto value : {R"({"a":1})", "[1]", "{}"})
    EXPECT_EQ(complaint(R"({"region":)" + std::string{value} + "}", {{"Region", value}}),
              "Header mismatch: Mcp-Param-Region" + differs);
}

TEST(argument_rules, ignore_fields_that_no_rule_is_about) {
  EXPECT_EQ(complaint("{}", {{"Other", "x"}, {"Other", "=?base64?@@@?="}}), "");
  auto rules = rules_for(typed_tool);
  auto call = gateway_message(request("7", "tools/call", R"({"name":"u","arguments":{"region":"eu"}})"));
  EXPECT_EQ(rules.refuse(call, {{"Region", "us"}}), std::nullopt);
}

// -- learned state ---------------------------------------------------------------------

TEST(argument_rules, are_those_of_the_last_list_that_named_a_tool) {
  auto rules = rules_for(typed_tool);
  rules.learn(tools(tool("u", schema_of(R"("a":)" + annotated("string", "A")))));
  rules.learn(tools(tool("t", schema_of(R"("a":)" + annotated("string", "A")))));
  EXPECT_EQ(complaint(rules, R"({"region":"eu"})", {}), "");
  EXPECT_NE(complaint(rules, R"({"a":"x"})", {}), "");
  rules.learn(tools(tool("t", "{}") + "," + R"({"name":"u"})"));
  EXPECT_EQ(complaint(rules, R"({"a":"x"})", {}), "");
}

TEST(argument_rules, are_not_kept_for_names_that_are_too_long) {
  for (auto size : {most_tool_name - 1, most_tool_name, most_tool_name + 1}) {
    auto name = std::string(size, 'n');
    auto rules = rules_for(tool(name, schema_of(R"("a":)" + annotated("string", "A"))));
    auto call = gateway_message(request("7", "tools/call", R"({"name":")" + name + R"(","arguments":{"a":"x"}})"));
    EXPECT_EQ(rules.refuse(call, {}).has_value(), size <= most_tool_name);
  }
}

TEST(argument_rules, are_not_learnt_from_what_is_no_list) {
  for (auto text : {"{}", "[]", R"({"tools":7})", R"({"tools":[7,"t",{},{"name":7},{"name":"t","inputSchema":7}]})"}) {
    argument_rules rules;
    rules.learn(text);
    EXPECT_EQ(complaint(rules, R"({"region":"eu"})", {}), "") << text;
  }
}

std::string many_properties(std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i)
    result += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":" + annotated("string", std::to_string(i));
  return result;
}

/// Tools with so many rules together, up to 100 each.
std::string many_tools(std::size_t rules) {
  std::string result;
  for (auto i = 0; rules > 0; ++i) {
    auto here = std::min<std::size_t>(rules, 100);
    result += tool("many" + std::to_string(i), schema_of(many_properties(here))) + ",";
    rules -= here;
  }
  return result;
}

/// A tool whose names all belong to one argument, nested that deep.
std::string deep_schema(std::size_t depth, const std::string& properties) {
  return depth == 0 ? schema_of(properties) : schema_of(R"("d":)" + deep_schema(depth - 1, properties));
}

TEST(argument_rules, are_so_many_of_one_tool_or_none) {
  for (auto count : {most_rules_of_tool - 1, most_rules_of_tool, most_rules_of_tool + 1})
    EXPECT_EQ(read_argument_rules(schema_of(many_properties(count))).size(), count <= most_rules_of_tool ? count : 0);
}

TEST(argument_rules, have_so_many_bytes_of_names_in_one_tool_or_none) {
  for (auto size : {most_names_of_tool - 1, most_names_of_tool, most_names_of_tool + 1}) {
    auto schema = schema_of("\"" + std::string(size - 1, 'n') + "\":" + annotated("string", "A"));
    EXPECT_EQ(read_argument_rules(schema).size(), size <= most_names_of_tool ? 1U : 0U);
  }
}

TEST(argument_rules, count_a_long_name_for_each_argument_below_it) {
  auto below = [](std::size_t count) {
    return schema_of("\"" + std::string(most_names_of_tool / 10, 'n') + "\":" + schema_of(many_properties(count)));
  };
  EXPECT_EQ(read_argument_rules(below(9)).size(), 9U);
  EXPECT_EQ(read_argument_rules(below(10)).size(), 0U);
}

TEST(argument_rules, are_checked_in_one_walk_however_many_they_are) {
  auto rules = rules_for(tool("t", deep_schema(3, many_properties(100))));
  fields sent;
  std::string arguments;
  for (auto i = 0; i < 100; ++i) {
    sent.emplace_back(std::to_string(i), "x");
    arguments += (i == 0 ? "\"" : ",\"") + std::to_string(i) + R"(":"x")";
  }
  auto at = [](const std::string& inner) { return R"({"d":{"d":{"d":{)" + inner + "}}}}"; };
  EXPECT_EQ(complaint(rules, at(arguments), sent), "");
  EXPECT_EQ(complaint(rules, at(arguments + R"(,"99":"y")"), sent), "Header mismatch: Mcp-Param-99" + differs);
}

TEST(argument_rules, are_bounded_in_number) {
  for (auto more : {-1, 0, 1}) {
    auto rules = rules_for(many_tools(most_argument_rules - 1 + static_cast<std::size_t>(more)) +
                           tool("t", schema_of(R"("a":)" + annotated("string", "A"))));
    EXPECT_EQ(complaint(rules, R"({"a":"x"})", {}).empty(), more > 0) << more;
    rules.learn(tools(tool("many0", "{}") + "," + typed_tool));
    EXPECT_NE(complaint(rules, R"({"region":"x"})", {}), "");
  }
}

TEST(argument_rules, are_bounded_in_their_names) {
  for (auto more : {-1, 0, 1}) {
    // The names of `t` have 4 bytes, those of the others 64 KiB each, and the last one exceeds the limit.
    std::string all;
    for (auto i = 10; i < 26; ++i) {
      auto rest = i < 25 ? 0 : 4 - more;
      auto name = std::string(most_names_of_tool - 4 - static_cast<std::size_t>(rest), 'n');
      all +=
          tool("l" + std::to_string(i).substr(0, 2), schema_of("\"" + name + "\":" + annotated("string", "A"))) + ",";
    }
    auto rules = rules_for(all + tool("t", schema_of(R"("aa":)" + annotated("string", "A"))));
    EXPECT_EQ(complaint(rules, R"({"aa":"x"})", {}).empty(), more > 0) << more;
    rules.learn(tools(tool("l10", "{}") + "," + typed_tool));
    EXPECT_NE(complaint(rules, R"({"region":"x"})", {}), "");
  }
}

} // namespace troupe::tests::argument_rules_test
