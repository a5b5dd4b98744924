#include "protocol/admin/admin_entry.hpp"

#include <gtest/gtest.h>

#include <array>

namespace troupe::tests::console_entry_test {

using namespace protocol;

namespace {

constexpr auto here = "127.0.0.1:9464";
constexpr std::array files = {console_file{"/", "text/html; charset=utf-8", "<!doctype html>"},
                              console_file{"/console/a.js", "text/javascript; charset=utf-8", "let a;"}};

http_request asks(std::string_view target, std::vector<http_field> fields = {}, std::string_view method = "GET") {
  fields.push_back({"Host", here});
  return {.method = method, .target = target, .fields = std::move(fields), .body = {}};
}

/// The status; 0 when the request is for no file.
int status(const http_request& request) {
  const auto answer = enter_console(request, {}, files);
  return answer ? answer->status : 0;
}

std::string_view value_of(const http_response& answer, std::string_view name) {
  for (const auto& [one, value] : answer.fields)
    if (one == name)
      return value;
  return {};
}

std::string tag_of(std::string_view target) {
  return std::string{value_of(*enter_console(asks(target), {}, files), "ETag")};
}

} // namespace

TEST(console_entry, gives_each_file_with_its_type) {
  const auto page = enter_console(asks("/"), {}, files);
  EXPECT_EQ(page->status, 200);
  EXPECT_EQ(page->type, "text/html; charset=utf-8");
  EXPECT_EQ(page->body, "<!doctype html>");
  EXPECT_EQ(enter_console(asks("/console/a.js?x=1"), {}, files)->body, "let a;");
  EXPECT_EQ(enter_console(asks("http://localhost:9464/console/a.js"), {}, files)->body, "let a;");
}

TEST(console_entry, leaves_other_paths_to_others) {
  for (const auto* path : {"/metrics", "/api/node", "/console", "/console/", "/console/b.js", "/console/../", "//"})
    EXPECT_EQ(status(asks(path)), 0) << path;
}

TEST(console_entry, lets_a_page_have_nothing_but_what_is_here) {
  const auto fields = enter_console(asks("/"), {}, files)->constant_fields;
  for (const auto* one :
       {"Content-Security-Policy: default-src 'none'; script-src 'self'; ", "frame-ancestors 'none'\r\n",
        "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer\r\n",
        "Cross-Origin-Opener-Policy: same-origin\r\n", "Cross-Origin-Resource-Policy: same-origin\r\n"})
    EXPECT_NE(fields.find(one), std::string_view::npos) << one;
  EXPECT_EQ(fields.find("unsafe"), std::string_view::npos);
}

TEST(console_entry, says_304_of_what_a_browser_has) {
  const auto tag = tag_of("/");
  EXPECT_NE(tag, tag_of("/console/a.js"));
  for (const auto& known : {tag, "W/" + tag, "\"other\", " + tag, std::string{"*"}}) {
    const auto answer = enter_console(asks("/", {{"If-None-Match", known}}), {}, files);
    EXPECT_EQ(answer->status, 304) << known;
    EXPECT_EQ(answer->body, "");
    EXPECT_EQ(value_of(*answer, "ETag"), tag);
  }
  EXPECT_EQ(status(asks("/", {{"If-None-Match", "\"other\""}})), 200);
}

TEST(console_entry, takes_GET_and_HEAD_only) {
  EXPECT_EQ(status(asks("/", {}, "HEAD")), 200);
  for (const auto* method : {"POST", "OPTIONS", "DELETE"}) {
    const auto answer = enter_console(asks("/", {}, method), {}, files);
    EXPECT_EQ(answer->status, 405) << method;
    EXPECT_EQ(value_of(*answer, "Allow"), "GET, HEAD");
  }
}

TEST(console_entry, lets_a_link_of_another_site_lead_to_it) {
  const std::vector<http_field> led = {
      {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "navigate"}, {"Sec-Fetch-Dest", "document"}};
  EXPECT_EQ(status(asks("/", led)), 200);
  EXPECT_EQ(status(asks("/", led, "POST")), 403);
  EXPECT_EQ(status(asks("/", {{"Sec-Fetch-Site", "none"}, {"Sec-Fetch-Mode", "navigate"}})), 200);
}

TEST(console_entry, gives_a_page_of_another_site_nothing) {
  const http_field foreign{"Sec-Fetch-Site", "cross-site"};
  EXPECT_EQ(status(asks("/", {foreign})), 403);
  EXPECT_EQ(status(asks("/console/a.js", {foreign, {"Sec-Fetch-Mode", "no-cors"}, {"Sec-Fetch-Dest", "script"}})), 403);
  EXPECT_EQ(status(asks("/", {foreign, {"Sec-Fetch-Mode", "navigate"}, {"Sec-Fetch-Dest", "iframe"}})), 403);
  EXPECT_EQ(status(asks("/", {{"Origin", "http://evil.example"}})), 403);
  EXPECT_EQ(status(asks("/", {{"Origin", "null"}, {"Sec-Fetch-Mode", "navigate"}, {"Sec-Fetch-Dest", "document"}})),
            403);
  EXPECT_EQ(status({.method = "GET", .target = "/", .fields = {{"Host", "evil.example"}}, .body = {}}), 403);
}

} // namespace troupe::tests::console_entry_test
