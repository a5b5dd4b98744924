#include "protocol/message/client_profile.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace troupe::tests::client_profile_test {

using namespace protocol;

namespace {

const client_profile everything{true, true, true, true, true, true};

std::string lacks(const client_profile& profile, const std::string& method, const std::string& params = "{}") {
  auto needed = profile_needed_for(
      gateway_message(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" + params + "}"));
  return covers(profile, needed) ? "" : declared_capabilities(needed);
}

} // namespace

// 2026-07-28, schema, "ClientCapabilities"
TEST(client_profile, is_what_the_capabilities_name) {
  for (auto& [text, expected] : std::vector<std::pair<std::string, client_profile>>{
           {"{}", {}},
           {R"({"elicitation":{"form":{}}})", {.form = true}},
           {R"({"elicitation":{"url":{}}})", {.url = true}},
           {R"({"elicitation":{"form":{},"url":{}}})", {.form = true, .url = true}},
           {R"({"sampling":{}})", {.sampling = true}},
           {R"({"sampling":{"tools":{}}})", {.sampling = true, .sampling_tools = true}},
           {R"({"sampling":{"context":{}}})", {.sampling = true, .sampling_context = true}},
           {R"({"roots":{"listChanged":true}})", {.roots = true}},
           {R"({"experimental":{"x":{}},"extensions":{}})", {}}})
    EXPECT_EQ(read_profile(text), expected) << text;
}

// 2025-11-25, elicitation, "Capabilities": an empty object declares forms
TEST(client_profile, has_forms_when_elicitation_names_no_kind) {
  EXPECT_EQ(read_profile(R"({"elicitation":{}})"), (client_profile{.form = true}));
  EXPECT_EQ(read_profile(R"({"elicitation":{"later":{}}})"), (client_profile{.form = true}));
}

TEST(client_profile, lacks_what_is_no_object) {
  for (auto text :
       {"", "null", "[]", "\"{}\"", R"({"elicitation":true,"sampling":[],"roots":null})", R"({"sampling":"tools"})"})
    EXPECT_EQ(read_profile(text), client_profile{}) << text;
  EXPECT_EQ(read_profile(R"({"sampling":{"tools":true}})"), (client_profile{.sampling = true}));
}

TEST(client_profile, is_empty_when_nothing_can_be_asked) {
  EXPECT_TRUE(client_profile{}.is_empty());
  for (auto& one : {client_profile{.form = true}, client_profile{.url = true}, client_profile{.sampling = true},
                    client_profile{.roots = true}})
    EXPECT_FALSE(one.is_empty());
}

TEST(client_profile, is_declared_with_what_is_there_only) {
  EXPECT_EQ(declared_capabilities({}), "{}");
  EXPECT_EQ(declared_capabilities(everything),
            R"({"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}},"roots":{}})");
  EXPECT_EQ(declared_capabilities({.form = true}), R"({"elicitation":{"form":{}}})");
  EXPECT_EQ(declared_capabilities({.url = true, .roots = true}), R"({"elicitation":{"url":{}},"roots":{}})");
  EXPECT_EQ(declared_capabilities({.sampling = true}), R"({"sampling":{}})");
}

TEST(client_profile, is_the_same_after_it_was_declared) {
  for (auto& one : {everything, client_profile{}, client_profile{.url = true},
                    client_profile{.sampling = true, .sampling_context = true}})
    EXPECT_EQ(read_profile(declared_capabilities(one)), one);
}

// 2026-07-28, elicitation, "Capabilities"
TEST(client_profile, lacks_the_kind_of_elicitation_that_it_did_not_declare) {
  const auto form = R"({"elicitation":{"form":{}}})", url = R"({"elicitation":{"url":{}}})";
  for (auto params : {"{}", R"({"mode":"form"})", R"({"mode":7})"}) {
    EXPECT_EQ(lacks({.form = true}, "elicitation/create", params), "") << params;
    EXPECT_EQ(lacks({.url = true}, "elicitation/create", params), form) << params;
  }
  EXPECT_EQ(lacks({.url = true}, "elicitation/create", R"({"mode":"url"})"), "");
  EXPECT_EQ(lacks({.form = true}, "elicitation/create", R"({"mode":"url"})"), url);
}

// 2026-07-28, sampling, "Capabilities"
TEST(client_profile, lacks_sampling_and_sampling_with_tools) {
  const auto plain = R"({"sampling":{}})", tools = R"({"sampling":{"tools":{}}})";
  const auto method = "sampling/createMessage";
  EXPECT_EQ(lacks({}, method), plain);
  EXPECT_EQ(lacks({.sampling = true}, method), "");
  EXPECT_EQ(lacks({.sampling = true}, method, R"({"includeContext":"allServers"})"), "");
  for (auto params : {R"({"tools":[]})", R"({"toolChoice":{"mode":"auto"}})"}) {
    EXPECT_EQ(lacks({.sampling = true}, method, params), tools) << params;
    EXPECT_EQ(lacks({.sampling = true, .sampling_tools = true}, method, params), "") << params;
  }
}

TEST(client_profile, lacks_roots) {
  EXPECT_EQ(lacks({.form = true, .url = true, .sampling = true}, "roots/list"), R"({"roots":{}})");
  EXPECT_EQ(lacks({.roots = true}, "roots/list"), "");
}

TEST(client_profile, lacks_nothing_for_other_questions) {
  for (auto method : {"ping", "custom/thing", "elicitation/other", "sampling/other"})
    EXPECT_EQ(lacks({}, method), "") << method;
}

TEST(client_profile, has_a_key_of_its_own_for_each_of_all_profiles) {
  std::set<std::string> keys;
  for (unsigned bits = 0; bits < 64; ++bits) {
    auto has = [&](unsigned bit) { return (bits >> bit & 1U) != 0; };
    auto key = profile_key({has(0), has(1), has(2), has(3), has(4), has(5)});
    EXPECT_EQ(key.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), key.npos) << key;
    keys.insert(key);
  }
  EXPECT_EQ(keys.size(), 64U);
}

} // namespace troupe::tests::client_profile_test
