#include "protocol/access/token_claims.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::audience_test {

using namespace protocol;

namespace {

const audience_rules rules{"https://gw.example", {"api://troupe"}};

} // namespace

TEST(audience, is_the_endpoint_the_gateway_or_a_name_of_it) {
  for (auto good : {"https://gw.example/mcp", "https://gw.example", "api://troupe"})
    EXPECT_TRUE(is_meant_for({"x", good}, rules, "/mcp")) << good;
  for (auto bad : {"https://gw.example/servers/a/mcp", "https://gw.example/mcp//", "https://gw.example/mcpx",
                   "https://gw.example.evil/mcp", "http://gw.example/mcp", "api://troupe/mcp", ""})
    EXPECT_FALSE(is_meant_for({bad}, rules, "/mcp")) << bad;
  EXPECT_FALSE(is_meant_for({}, rules, "/mcp"));
}

TEST(audience, may_have_a_slash_behind_the_path_of_an_endpoint) {
  for (auto good : {"https://gw.example/mcp", "https://gw.example/mcp/", "https://gw.example"})
    for (auto path : {"/mcp", "/mcp/"})
      EXPECT_TRUE(is_meant_for({good}, rules, path)) << good << path;
  for (auto bad : {"https://gw.example/mcp//", "https://gw.example/", "https://gw.example/servers/a/mcp/",
                   "https://gw.example:8443/mcp/", "http://gw.example/mcp/", "https://other.example/mcp/"})
    EXPECT_FALSE(is_meant_for({bad}, rules, "/mcp/")) << bad;
}

TEST(audience, may_be_some_endpoint) {
  for (auto good : {"https://gw.example/servers/a/mcp", "https://gw.example", "api://troupe"})
    EXPECT_TRUE(is_meant_for_some({good}, rules)) << good;
  for (auto bad : {"https://gw.examplex/mcp", "https://gw.example.evil", ""})
    EXPECT_FALSE(is_meant_for_some({bad}, rules)) << bad;
}

TEST(audience, is_a_name_alone_where_the_url_is_not_known) {
  const audience_rules names_only{{}, {"api"}};
  EXPECT_TRUE(is_meant_for({"api"}, names_only, "/mcp"));
  for (auto bad : {"", "/mcp", "https://gw.example/mcp"})
    EXPECT_FALSE(is_meant_for({bad}, names_only, "/mcp")) << bad;
}

TEST(audience, may_be_the_gateway_behind_a_path) {
  const audience_rules behind{"https://gw.example/troupe", {}};
  EXPECT_EQ(behind.path(), "/troupe");
  EXPECT_EQ(rules.path(), "");
  for (auto good : {"https://gw.example/troupe", "https://gw.example/troupe/", "https://gw.example/troupe/mcp",
                    "https://gw.example/troupe/mcp/"})
    EXPECT_TRUE(is_meant_for({good}, behind, "/mcp")) << good;
  for (auto bad : {"https://gw.example", "https://gw.example/mcp", "https://gw.example/troupemcp",
                   "https://gw.example/troupe/sse", "https://gw.example/troupe/troupe/mcp", "/troupe/mcp"})
    EXPECT_FALSE(is_meant_for({bad}, behind, "/mcp")) << bad;
}

} // namespace troupe::tests::audience_test
