#include "protocol/catalog/member_uris.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::result_uris_test {

using namespace protocol;

namespace {

std::string mapped(std::string result, result_shape shape) {
  auto text = R"({"jsonrpc":"2.0","id":1,"result":)" + result + "}";
  auto edits = result_uris(text, shape, [](std::string_view uri) { return "<" + std::string{uri} + ">"; });
  auto whole = spliced(text, edits);
  auto at = whole.find(R"("result":)") + 9;
  return whole.substr(at, whole.size() - at - 1);
}

const std::string linked = R"({ "type":"resource_link", "uri":"u","name":"n" })";
const std::string mapped_linked = R"({ "type":"resource_link", "uri":"<u>","name":"n" })";
const std::string embedded = R"({"type":"resource","uri":"no","resource":{"uri":"u","text":"\"uri\":\"t\""}})";
const std::string mapped_embedded = R"({"type":"resource","uri":"no","resource":{"uri":"<u>","text":"\"uri\":\"t\""}})";
const std::string words = R"({"type":"text","text":"u","uri":"u"})";

} // namespace

TEST(result_uris, are_links_and_embedded_resources_in_what_a_tool_says) {
  EXPECT_EQ(mapped(R"({"content":[)" + linked + "," + words + "," + embedded + R"(],"uri":"u"})", result_shape::tool),
            R"({"content":[)" + mapped_linked + "," + words + "," + mapped_embedded + R"(],"uri":"u"})");
}

TEST(result_uris, are_the_same_in_a_prompts_messages) {
  EXPECT_EQ(mapped(R"({"messages":[{"role":"user","content":)" + linked + R"(},{"content":[)" + embedded + "," + words +
                       "]}]}",
                   result_shape::prompt),
            R"({"messages":[{"role":"user","content":)" + mapped_linked + R"(},{"content":[)" + mapped_embedded + "," +
                words + "]}]}");
}

TEST(result_uris, are_those_of_contents_that_are_read) {
  EXPECT_EQ(mapped(R"({"contents":[{"uri":"a","text":""},{"text":"","uri":"b"}]})", result_shape::read),
            R"({"contents":[{"uri":"<a>","text":""},{"text":"","uri":"<b>"}]})");
}

TEST(result_uris, of_the_ui_of_a_tool_are_in_its_metadata_in_three_spellings) {
  auto tool = [](std::string uri) {
    return R"({"_meta":{ "ui":{"visibility":["app"],"resourceUri":")" + uri + R"("},"ui/resourceUri" : ")" + uri +
           R"(","openai/outputTemplate":")" + uri + R"(","other":"ui://x","uri":"u"},"name":"n","uri":"u"})";
  };
  auto map = [](std::string_view uri) { return "<" + std::string{uri} + ">"; };
  EXPECT_EQ(spliced(tool("ui://x"), tool_uris(tool("ui://x"), map)), tool("<ui://x>"));
  auto twice = [](std::string uri) {
    auto ui = R"("ui":{"resourceUri":")" + uri + R"(","resourceUri":")" + uri + "\"}";
    return R"({"_meta":{)" + ui + "," + ui + R"(},"_meta":{)" + ui + "}}";
  };
  EXPECT_EQ(spliced(twice("a"), tool_uris(twice("a"), map)), twice("<a>"));
  EXPECT_EQ(mapped(tool("ui://x"), result_shape::tool), tool("<ui://x>"));
  for (auto bad : {"{}", R"({"_meta":1})", R"({"_meta":{"ui":"ui://x","ui/resourceUri":1}})",
                   R"({"_meta":{"ui":{"resourceUri":null}}})", R"({"ui":{"resourceUri":"x"}})"})
    EXPECT_TRUE(tool_uris(bad, map).empty()) << bad;
}

TEST(result_uris, are_none_in_other_results) {
  auto all = R"({"content":[)" + linked + R"(],"contents":[{"uri":"a"}],"messages":[{"content":)" + linked + "}]}";
  EXPECT_EQ(mapped(all, result_shape::other), all);
}

TEST(result_uris, are_none_where_a_result_is_malformed) {
  for (auto shape : {result_shape::tool, result_shape::prompt, result_shape::read})
    for (auto text : {"null", "[]", "1", R"({"content":1,"contents":{},"messages":"x"})",
                      R"({"content":[1,null,[],{"type":"resource_link","uri":1},{"type":"resource","resource":[]}]})",
                      R"({"contents":[1,{},{"uri":null}],"messages":[1,{},{"content":[[]]}]})"})
      EXPECT_EQ(mapped(text, shape), text);
}

} // namespace troupe::tests::result_uris_test
