#include "protocol/http/known_paths.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::known_paths_test {

using namespace protocol;

namespace {

known_paths some_paths() {
  known_paths result;
  result.add(endpoint::mcp, "/tools");
  result.add(endpoint::sse, "/events");
  result.add(endpoint::sse, "/more");
  result.add(endpoint::messages, "/post");
  result.add(endpoint::health, "/up");
  return result;
}

} // namespace

TEST(known_paths, are_those_of_the_gateway_without_further_ones) {
  known_paths own;
  for (auto* text : {"/mcp", "/sse?a", "/messages?sessionId=1", "/servers/a/mcp", "/healthz", "/x", "/", ""})
    EXPECT_EQ(own.read(text), read_path(text)) << text;
  EXPECT_EQ(own.messages("", "1"), "/messages?sessionId=1");
}

TEST(known_paths, lead_to_the_same_endpoints_besides) {
  auto paths = some_paths();
  EXPECT_EQ(paths.read("/tools").to, endpoint::mcp);
  EXPECT_EQ(paths.read("/tools/?a=b").to, endpoint::mcp);
  EXPECT_EQ(paths.read("/events").to, endpoint::sse);
  EXPECT_EQ(paths.read("/more").to, endpoint::sse);
  EXPECT_EQ(paths.read("/post?sessionId=1").to, endpoint::messages);
  EXPECT_EQ(paths.read("/up").to, endpoint::health);
  EXPECT_EQ(paths.read("/mcp"), read_path("/mcp"));
  EXPECT_EQ(paths.read("/tool").to, endpoint::none);
  EXPECT_EQ(paths.read("/servers/a/tools").to, endpoint::none);
}

TEST(known_paths, are_shown_as_a_client_knows_them) {
  auto paths = some_paths();
  EXPECT_EQ(endpoint_path(paths.read("/tools")), "/tools");
  EXPECT_EQ(endpoint_path(paths.read("/more")), "/more");
  EXPECT_EQ(endpoint_path(paths.read("/post")), "/events");
  EXPECT_EQ(endpoint_path(paths.read("/mcp")), "/mcp");
}

TEST(known_paths, tell_where_to_post_where_all_are_merged) {
  EXPECT_EQ(some_paths().messages("", "1"), "/post?sessionId=1");
  EXPECT_EQ(some_paths().messages("a", "1"), "/servers/a/messages?sessionId=1");
}

TEST(known_paths, are_none_of_the_gateways_own) {
  for (auto* text : {"/mcp", "/sse", "/messages", "/healthz", "/health", "/readyz", "/debug/state", "/servers/a/b"})
    EXPECT_EQ(fault_of_path(text), "is a path of the gateway's own") << text;
}

TEST(known_paths, are_plain) {
  for (auto* text : {"", "/", "a", "/a/", "/a b", "/a?b", "/a#b", "/a%20", "/\xc3\xa4", "/a\\b", "//a.example/b",
                     "/a//b", "/a/../b", "/.well-known/x"})
    EXPECT_NE(fault_of_path(text), "") << text;
  for (auto* text : {"/a", "/a/b.c", "/~x@y:z", "/MCP"})
    EXPECT_EQ(fault_of_path(text), "") << text;
  EXPECT_EQ(fault_of_path("/" + std::string(255, 'a')), "");
  EXPECT_NE(fault_of_path("/" + std::string(256, 'a')), "");
}

TEST(known_paths, are_found_behind_a_prefix_and_without_it) {
  auto paths = some_paths();
  paths.set_prefix("/troupe");
  for (std::string text :
       {"/mcp", "/sse?a", "/messages?sessionId=1", "/servers/a/mcp", "/healthz", "/tools", "/post"}) {
    EXPECT_EQ(paths.read("/troupe" + text), paths.read(text)) << text;
    EXPECT_NE(paths.read(text).to, endpoint::none) << text;
  }
  for (auto* text : {"/troupe", "/troupe/", "/troupemcp", "/troupe/troupe/mcp", "/other/mcp"})
    EXPECT_EQ(paths.read(text).to, endpoint::none) << text;
  EXPECT_EQ(paths.without_prefix("/troupe/mcp"), "/mcp");
  EXPECT_EQ(paths.without_prefix("/mcp"), "/mcp");
  known_paths doubled;
  doubled.set_prefix("/servers/a");
  EXPECT_EQ(doubled.read("/servers/a/mcp"), read_path("/servers/a/mcp")) << "what is ours is not behind it";
}

} // namespace troupe::tests::known_paths_test
