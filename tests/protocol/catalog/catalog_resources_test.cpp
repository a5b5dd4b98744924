// Finding the server of a resource, and the names of resources for clients.

#include "tests/support/catalog_driver.hpp"

namespace troupe::tests::catalog_resources_test {

namespace {

catalog_server plain(std::uint64_t id, std::string name) {
  auto one = fresh(id, std::move(name));
  one.prefix.clear();
  return one;
}

std::string not_found(std::string id, std::string uri) { return error_text(id, -32002, "Resource not found: " + uri); }

std::string contents(std::string uri) { return R"({"contents":[{"uri":")" + uri + R"(","text":"t"}]})"; }

struct two : catalog_driver {
  two() : catalog_driver{{fresh(1, "a"), fresh(2, "b")}} { opened(); }
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
    catalog_driver other{{fresh(1, "a"), fresh(2, "b")}};
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
  catalog_driver t{{fresh(1, "a"), plain(2, "b")}};
  t.opened();
  EXPECT_EQ(t.says(request("9", "resources/read", at_uri("file:///x"))),
            (catalog_effects{to(2, request("3", "resources/read", at_uri("file:///x")))}));
  EXPECT_EQ(t.server(2, result("3", contents("file:///x"))),
            (catalog_effects{client(result("9", contents("file:///x")))}));
  EXPECT_EQ(t.says(request("10", "resources/read", at_uri("troupe://a/file:///x"))),
            (catalog_effects{to(1, request("4", "resources/read", at_uri("file:///x")))}));
}

TEST(catalog_resources, that_look_like_mapped_ones_are_mapped_again) {
  catalog_driver t{{fresh(1, "a"), plain(2, "b")}};
  t.opened().says(request("9", "resources/list"));
  t.server(1, result("3", R"({"resources":[]})"));
  EXPECT_EQ(t.server(2, result("4", R"({"resources":[)" + at_uri("troupe://a/x") + "]}")),
            (catalog_effects{client(result("9", R"({"resources":[)" + at_uri("troupe://b/troupe://a/x") + "]}"))}));
  EXPECT_EQ(t.says(request("10", "resources/read", at_uri("troupe://b/troupe://a/x"))),
            (catalog_effects{to(2, request("5", "resources/read", at_uri("troupe://a/x")))}));
}

TEST(catalog_resources, of_several_servers_without_a_prefix_are_all_mapped) {
  catalog_driver t{{plain(1, "a"), plain(2, "b")}};
  t.opened();
  EXPECT_EQ(t.server(2, note("notifications/resources/updated", at_uri("x:y"))),
            (catalog_effects{client(note("notifications/resources/updated", at_uri("troupe://b/x:y")))}));
}

TEST(catalog_resources, whose_uri_names_no_server_are_asked_of_nobody) {
  two t;
  for (auto uri : {"file:///x", "ui://x", "ui://x/y", "ui://", "", "troupe://c/x", "https://x/y"})
    EXPECT_EQ(t.says(request("9", "resources/read", at_uri(uri))), (catalog_effects{client(not_found("9", uri))}));
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

// -- the UIs of tools (MCP Apps) ---------------------------------------------------------

namespace {

std::string with_ui(std::string tool, std::string uri) {
  return R"({"tools":[{"name":")" + tool + R"(","_meta":{"ui":{"resourceUri":")" + uri + R"("},"ui/resourceUri":")" +
         uri + R"("}}]})";
}

} // namespace

TEST(catalog_uis, are_named_by_their_tools_as_they_are_listed_and_read) {
  two t;
  t.says(request("9", "tools/list"));
  t.server(1, result("3", R"({"tools":[]})"));
  EXPECT_EQ(t.server(2, result("4", with_ui("x", "ui://app/view"))),
            (catalog_effects{client(result("9", with_ui("b__x", "ui://b/app/view")))}));
  t.says(request("10", "resources/list"));
  t.server(1, result("5", R"({"resources":[]})"));
  EXPECT_EQ(t.server(2, result("6", R"({"resources":[)" + at_uri("ui://app/view") + "]}")),
            (catalog_effects{client(result("10", R"({"resources":[)" + at_uri("ui://b/app/view") + "]}"))}));
  EXPECT_EQ(t.says(request("11", "resources/read", at_uri("ui://b/app/view"))),
            (catalog_effects{to(2, request("7", "resources/read", at_uri("ui://app/view")))}));
  EXPECT_EQ(t.server(2, result("7", contents("ui://app/view"))),
            (catalog_effects{client(result("11", contents("ui://b/app/view")))}));
}

TEST(catalog_uis, are_subscribed_to_announced_and_linked_under_the_same_uri) {
  two t;
  EXPECT_EQ(t.says(request("9", "resources/subscribe", at_uri("ui://b/app/view"))),
            (catalog_effects{to(2, request("3", "resources/subscribe", at_uri("ui://app/view")))}));
  EXPECT_EQ(t.server(2, note("notifications/resources/updated", at_uri("ui://app/view"))),
            (catalog_effects{client(note("notifications/resources/updated", at_uri("ui://b/app/view")))}));
  auto linked = [](std::string uri) {
    return R"({"content":[{"type":"resource_link","uri":")" + uri + R"("},{"type":"resource","resource":{"uri":")" +
           uri + R"("}}],"_meta":{"ui":{"resourceUri":")" + uri + R"("}}})";
  };
  t.says(request("10", "tools/call", named("b__x")));
  EXPECT_EQ(t.server(2, result("4", linked("ui://app/view"))),
            (catalog_effects{client(result("10", linked("ui://b/app/view")))}));
}

TEST(catalog_uis, of_a_server_without_a_prefix_bear_its_name_unless_it_is_alone) {
  catalog_driver t{{fresh(1, "a"), plain(2, "b")}};
  t.opened();
  auto updated = [](std::string uri) { return note("notifications/resources/updated", at_uri(std::move(uri))); };
  EXPECT_EQ(t.server(2, updated("ui://a/x")), (catalog_effects{client(updated("ui://b/a/x"))}));
  EXPECT_EQ(t.server(2, updated("ui://x")), (catalog_effects{client(updated("ui://b/x"))}));
  EXPECT_EQ(t.says(request("9", "resources/read", at_uri("ui://x"))),
            (catalog_effects{client(not_found("9", "ui://x"))}));
  EXPECT_EQ(t.says(request("9", "resources/read", at_uri("ui://b/a/x"))),
            (catalog_effects{to(2, request("3", "resources/read", at_uri("ui://a/x")))}));
  catalog_driver alone{{plain(2, "b")}};
  alone.opened();
  for (auto uri : {"ui://b/x", "ui://a/x", "ui://x"}) {
    EXPECT_EQ(alone.server(2, updated(uri)), (catalog_effects{client(updated(uri))}));
    EXPECT_EQ(std::get<send_to_member>(alone.says(request("9", "resources/subscribe", at_uri(uri))).front()).what.text,
              request(uri == std::string{"ui://b/x"}   ? "2"
                      : uri == std::string{"ui://a/x"} ? "3"
                                                       : "4",
                      "resources/subscribe", at_uri(uri)));
    alone.says(cancelled("9"));
  }
}

} // namespace troupe::tests::catalog_resources_test
