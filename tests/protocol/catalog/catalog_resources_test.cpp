// Whose a resource is, and what clients call it.

#include "tests/support/catalog_talk.hpp"

using namespace troupe::tests;

namespace {

catalog_server plain(std::uint64_t id, std::string name) {
  auto one = fresh(id, std::move(name));
  one.prefix.clear();
  return one;
}

std::string not_found(std::string id, std::string uri) { return error_text(id, -32002, "Resource not found: " + uri); }

std::string contents(std::string uri) { return R"({"contents":[{"uri":")" + uri + R"(","text":"t"}]})"; }

struct two : catalog_talk {
  two() : catalog_talk{{fresh(1, "a"), fresh(2, "b")}} { opened(); }
};

} // namespace

TEST(catalog_resources, are_read_from_the_server_that_their_uri_names) {
  two t;
  EXPECT_EQ(t.says(request("9", "resources/read", at_uri("troupe://b/file:///x"))),
            (catalog_effects{to(2, request("3", "resources/read", at_uri("file:///x")))}));
  EXPECT_EQ(t.server(2, result("3", contents("file:///x"))),
            (catalog_effects{client(result("9", contents("troupe://b/file:///x")))}));
}

TEST(catalog_resources, are_subscribed_to_and_completed_where_they_are) {
  two t;
  for (std::string method : {"resources/subscribe", "resources/unsubscribe"}) {
    catalog_talk other{{fresh(1, "a"), fresh(2, "b")}};
    other.opened();
    EXPECT_EQ(other.says(request("9", method, at_uri("troupe://a/x:y"))),
              (catalog_effects{to(1, request("3", method, at_uri("x:y")))}));
    EXPECT_EQ(other.server(1, result("3")), (catalog_effects{client(result("9"))}));
  }
  auto params = [](auto uri) { return R"({"ref":{"type":"ref/resource","uri":")" + std::string{uri} + "\"}}"; };
  EXPECT_EQ(t.says(request("9", "completion/complete", params("troupe://b/x://{y}"))),
            (catalog_effects{to(2, request("3", "completion/complete", params("x://{y}")))}));
}

TEST(catalog_resources, are_announced_under_the_uri_that_clients_know) {
  two t;
  EXPECT_EQ(t.server(2, note("notifications/resources/updated", at_uri("file:///x"))),
            (catalog_effects{client(note("notifications/resources/updated", at_uri("troupe://b/file:///x")))}));
  for (auto bad : {"{}", R"({"uri":1})"})
    EXPECT_EQ(t.server(2, note("notifications/resources/updated", bad)),
              (catalog_effects{client(note("notifications/resources/updated", bad))}));
}

TEST(catalog_resources, are_mapped_in_what_tools_and_prompts_say) {
  two t;
  auto tool = [](auto uri) { return R"({"content":[{"type":"resource_link","uri":")" + std::string{uri} + "\"}]}"; };
  auto prompt = [](auto uri) {
    return R"({"messages":[{"content":{"type":"resource","resource":{"uri":")" + std::string{uri} + "\"}}}]}";
  };
  t.says(request("9", "tools/call", named("a__x")));
  EXPECT_EQ(t.server(1, result("3", tool("u:v"))), (catalog_effects{client(result("9", tool("troupe://a/u:v")))}));
  t.says(request("10", "prompts/get", named("b__x")));
  EXPECT_EQ(t.server(2, result("4", prompt("u:v"))), (catalog_effects{client(result("10", prompt("troupe://b/u:v")))}));
}

TEST(catalog_resources, of_the_one_server_without_a_prefix_keep_their_uris) {
  catalog_talk t{{fresh(1, "a"), plain(2, "b")}};
  t.opened();
  EXPECT_EQ(t.says(request("9", "resources/read", at_uri("file:///x"))),
            (catalog_effects{to(2, request("3", "resources/read", at_uri("file:///x")))}));
  EXPECT_EQ(t.server(2, result("3", contents("file:///x"))),
            (catalog_effects{client(result("9", contents("file:///x")))}));
  EXPECT_EQ(t.says(request("10", "resources/read", at_uri("troupe://a/file:///x"))),
            (catalog_effects{to(1, request("4", "resources/read", at_uri("file:///x")))}));
}

TEST(catalog_resources, that_look_like_mapped_ones_are_mapped_again) {
  catalog_talk t{{fresh(1, "a"), plain(2, "b")}};
  t.opened().says(request("9", "resources/list"));
  t.server(1, result("3", R"({"resources":[]})"));
  EXPECT_EQ(t.server(2, result("4", R"({"resources":[)" + at_uri("troupe://a/x") + "]}")),
            (catalog_effects{client(result("9", R"({"resources":[)" + at_uri("troupe://b/troupe://a/x") + "]}"))}));
  EXPECT_EQ(t.says(request("10", "resources/read", at_uri("troupe://b/troupe://a/x"))),
            (catalog_effects{to(2, request("5", "resources/read", at_uri("troupe://a/x")))}));
}

TEST(catalog_resources, of_several_servers_without_a_prefix_are_all_mapped) {
  catalog_talk t{{plain(1, "a"), plain(2, "b")}};
  t.opened();
  EXPECT_EQ(t.server(2, note("notifications/resources/updated", at_uri("x:y"))),
            (catalog_effects{client(note("notifications/resources/updated", at_uri("troupe://b/x:y")))}));
}

TEST(catalog_resources, that_nobody_is_known_to_have_are_read_everywhere) {
  two t;
  EXPECT_EQ(t.says(request("9", "resources/read", at_uri("ui://x"))),
            (catalog_effects{to(1, request("3", "resources/read", at_uri("ui://x"))),
                             to(2, request("4", "resources/read", at_uri("ui://x")))}));
  EXPECT_EQ(t.server(1, error_text("3", -32002, "no")), catalog_effects{});
  EXPECT_EQ(t.server(2, result("4", contents("ui://x"))), (catalog_effects{client(result("9", contents("ui://x")))}));
}

TEST(catalog_resources, that_are_found_somewhere_are_looked_for_no_further) {
  two t;
  t.says(request("9", "resources/read", at_uri("ui://x")));
  EXPECT_EQ(
      t.server(2, result("4", contents("ui://x"))),
      (catalog_effects{to(1, cancelled_text("3", "another server has it")), client(result("9", contents("ui://x")))}));
  EXPECT_EQ(t.server(1, result("3", contents("ui://x"))), catalog_effects{});
}

TEST(catalog_resources, are_not_found_when_no_server_has_them) {
  two t;
  t.says(request("9", "resources/read", at_uri("ui://x")));
  EXPECT_EQ(t.server(1, error_text("3", -32002, "no")), catalog_effects{});
  EXPECT_EQ(t.lost(2), (catalog_effects{client(not_found("9", "ui://x"))}));
  EXPECT_EQ(catalog_talk{{}}.opened().says(request("9", "resources/read", at_uri("ui://x"))),
            (catalog_effects{client(not_found("9", "ui://x"))}));
}

TEST(catalog_resources, of_a_server_that_is_gone_are_unknown) {
  two t;
  auto unknown = error_text("9", -32602, "Unknown resource: troupe://c/x");
  EXPECT_EQ(t.says(request("9", "resources/subscribe", at_uri("troupe://c/x"))), (catalog_effects{client(unknown)}));
  EXPECT_EQ(t.says(request("9", "completion/complete", R"({"ref":{"type":"ref/resource","uri":"troupe://c/x"}})")),
            (catalog_effects{client(unknown)}));
  for (auto method : {"resources/subscribe", "resources/read"})
    EXPECT_EQ(t.says(request("9", method)), (catalog_effects{client(error_text("9", -32602, "The URI is missing"))}));
}
