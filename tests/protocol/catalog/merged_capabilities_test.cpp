#include "protocol/catalog/catalog_members.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::merged_capabilities_test {

using namespace protocol;

namespace {

server_capabilities read(std::string_view capabilities) {
  return read_server_capabilities(R"({"capabilities":)" + std::string{capabilities} + "}");
}

} // namespace

TEST(merged_capabilities, are_read_from_what_a_server_declares) {
  EXPECT_EQ(read("{}"), server_capabilities{});
  EXPECT_EQ(read(R"({"tools":{},"logging":{}})"), (server_capabilities{.tools = true, .logging = true}));
  EXPECT_EQ(read(R"({"resources":{"subscribe":true},"prompts":{},"completions":{},"tools":{},"logging":{}})"),
            every_capability);
  EXPECT_EQ(read(R"({"resources":{"subscribe":false}})"), server_capabilities{.resources = true});
}

TEST(merged_capabilities, are_none_where_they_are_malformed) {
  for (auto text : {"null", "[]", "1", R"({"tools":true,"prompts":null,"resources":[],"logging":1})"})
    EXPECT_EQ(read(text), server_capabilities{}) << text;
  EXPECT_EQ(read_server_capabilities("{}"), server_capabilities{});
}

TEST(merged_capabilities, are_those_that_any_server_has) {
  EXPECT_EQ(merged({.tools = true}, {.prompts = true, .completions = true}),
            (server_capabilities{.tools = true, .prompts = true, .completions = true}));
  EXPECT_EQ(merged(every_capability, {}), every_capability);
}

TEST(merged_capabilities, always_say_that_lists_change) {
  EXPECT_EQ(capabilities_text({}), "{}");
  EXPECT_EQ(capabilities_text(read(R"({"resources":{},"tasks":{},"experimental":{},"tools":{}})")),
            R"({"tools":{"listChanged":true},"resources":{"listChanged":true}})");
  EXPECT_EQ(capabilities_text(every_capability),
            R"({"tools":{"listChanged":true},"prompts":{"listChanged":true},)"
            R"("resources":{"subscribe":true,"listChanged":true},"logging":{},"completions":{}})");
}

} // namespace troupe::tests::merged_capabilities_test
