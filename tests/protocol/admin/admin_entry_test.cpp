#include "protocol/admin/admin_entry.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::admin_entry_test {

using namespace protocol;

namespace {

constexpr std::string_view secret = "0123456789abcdef";
constexpr auto here = "127.0.0.1:9464";

/// A request with these fields, which include `Host`.
http_request asks(std::vector<http_field> fields, std::string_view target = "/metrics",
                  std::string_view method = "GET") {
  return {.method = method, .target = target, .fields = std::move(fields), .body = {}};
}

/// The status of an immediate answer; 0 when the request is allowed.
int status(const http_request& request, const std::string& host = "127.0.0.1", std::string_view token = {}) {
  const auto entered = enter_admin(request, {host}, token);
  const auto* answer = std::get_if<http_response>(&entered);
  return answer ? answer->status : 0;
}

int status_at(const std::string& bound_to, std::string_view host) { return status(asks({{"Host", host}}), bound_to); }

int status_of_origin(std::string_view origin, std::string_view host = here) {
  return status(asks({{"Host", host}, {"Origin", origin}}));
}

int status_with(std::string_view authorization) {
  return status(asks({{"Host", here}, {"Authorization", authorization}}), "127.0.0.1", secret);
}

http_response answer_to(const http_request& request, std::string_view token = {}) {
  return std::get<http_response>(enter_admin(request, {}, token));
}

std::string_view value_of(const http_response& answer, std::string_view name) {
  for (const auto& [one, value] : answer.fields)
    if (one == name)
      return value;
  return {};
}

} // namespace

// -- Host ----------------------------------------------------------------------------------

TEST(admin_entry, takes_the_names_of_this_machine) {
  for (const auto* host : {"127.0.0.1:9464", "127.0.0.1", "127.8.7.6:1", "localhost", "LocalHost:9464", "[::1]:9464"})
    EXPECT_EQ(status_at("127.0.0.1", host), 0) << host;
}

TEST(admin_entry, refuses_a_foreign_host) {
  for (const auto* host : {"evil.example", "evil.example:9464", "10.0.0.5:9464", "localhost.evil.example", "localhost.",
                           "127.0.0.1.evil.example:9464", "127.0.0.256", "0.0.0.0:9464", "", ":9464",
                           "localhost:9464:9464", "user@localhost", "localhost/", "[::2]", "127.0.0.1:99999"})
    EXPECT_EQ(status_at("127.0.0.1", host), 403) << host;
}

TEST(admin_entry, refuses_a_request_without_host_or_with_two) {
  EXPECT_EQ(status(asks({})), 403);
  EXPECT_EQ(status(asks({{"Host", here}, {"host", here}})), 403);
  EXPECT_EQ(status(asks({{"Host", here}, {"Host", "evil.example"}})), 403);
}

TEST(admin_entry, takes_where_it_listens_as_its_host) {
  EXPECT_EQ(status_at("10.0.0.5", "10.0.0.5:9464"), 0);
  EXPECT_EQ(status_at("10.0.0.5", "localhost"), 0);
  EXPECT_EQ(status_at("10.0.0.5", "10.0.0.6:9464"), 403);
  EXPECT_EQ(status_at("10.0.0.5", "evil.example"), 403);
  EXPECT_EQ(status_at("node-1.internal", "Node-1.internal:9464"), 0);
  EXPECT_EQ(status_at("fd00::5", "[fd00::5]:9464"), 0);
  EXPECT_EQ(status_at("[fd00::5]", "[fd00::5]"), 0);
  EXPECT_EQ(status_at("fd00::5", "[fd00::6]"), 403);
}

TEST(admin_entry, goes_by_any_name_at_all_addresses_and_on_a_socket_of_unix) {
  for (const auto* bound_to : {"0.0.0.0", "::"}) {
    EXPECT_EQ(status_at(bound_to, "node-1.internal:9464"), 0) << bound_to;
    EXPECT_EQ(status_at(bound_to, "10.0.0.5"), 0) << bound_to;
    EXPECT_EQ(status_at(bound_to, "no host"), 403) << bound_to;
  }
  EXPECT_EQ(status_at("unix:/run/troupe.sock", "anything"), 0);
}

TEST(admin_entry, looks_at_the_host_in_the_target_too) {
  EXPECT_EQ(status(asks({{"Host", here}}, "http://127.0.0.1:9464/metrics")), 0);
  EXPECT_EQ(status(asks({{"Host", here}}, "http://evil.example/metrics")), 403);
}

// -- Origin ----------------------------------------------------------------------------------

TEST(admin_entry, takes_a_page_of_its_own_origin) {
  EXPECT_EQ(status_of_origin("http://127.0.0.1:9464"), 0);
  EXPECT_EQ(status_of_origin("http://localhost:9464", "localhost:9464"), 0);
  EXPECT_EQ(status_of_origin("http://localhost", "localhost"), 0);
}

TEST(admin_entry, refuses_a_page_of_another_origin) {
  for (const auto* origin :
       {"http://evil.example", "https://127.0.0.1:9464", "http://127.0.0.1", "http://127.0.0.1:8080",
        "http://localhost:9464", "http://127.0.0.1:9464/", "http://127.0.0.1:94640", "null", "", "127.0.0.1:9464"})
    EXPECT_EQ(status_of_origin(origin), 403) << origin;
  EXPECT_EQ(status(asks({{"Host", here}, {"Origin", "http://127.0.0.1:9464"}, {"Origin", "http://evil.example"}})),
            403);
}

TEST(admin_entry, refuses_what_a_page_of_another_site_embeds) {
  auto status_of_site = [](std::string_view site) { return status(asks({{"Host", here}, {"Sec-Fetch-Site", site}})); };
  EXPECT_EQ(status_of_site("cross-site"), 403);
  EXPECT_EQ(status_of_site("same-site"), 403);
  EXPECT_EQ(status_of_site("same-origin"), 0);
  EXPECT_EQ(status_of_site("none"), 0);
}

TEST(admin_entry, refuses_pages_on_a_socket_of_unix_and_who_shows_the_token_with_them) {
  EXPECT_EQ(status(asks({{"Host", "x"}, {"Origin", "http://evil.example"}}), "unix:/s"), 403);
  const auto shown = "Bearer " + std::string{secret};
  EXPECT_EQ(
      status(asks({{"Host", here}, {"Origin", "http://evil.example"}, {"Authorization", shown}}), "0.0.0.0", secret),
      403);
}

// -- the token -------------------------------------------------------------------------------

TEST(admin_entry, takes_who_shows_the_token) {
  for (const auto* scheme : {"Bearer ", "bearer ", "BEARER   "})
    EXPECT_EQ(status_with(scheme + std::string{secret}), 0) << scheme;
}

TEST(admin_entry, asks_who_does_not) {
  EXPECT_EQ(status(asks({{"Host", here}}), "127.0.0.1", secret), 401);
  for (const auto* shown :
       {"", "Bearer", "Bearer ", "0123456789abcdef", "Basic 0123456789abcdef", "Bearer0123456789abcdef",
        "Bearer 0123456789abcde", "Bearer 0123456789abcdef0", "Bearer 0123456789abcdeF", "Bearer 0123456789abcdef x"})
    EXPECT_EQ(status_with(shown), 401) << shown;
  const auto shown = "Bearer " + std::string{secret};
  EXPECT_EQ(status(asks({{"Host", here}, {"Authorization", shown}, {"Authorization", shown}}), "127.0.0.1", secret),
            401);
}

TEST(admin_entry, says_how_a_token_is_shown) {
  const auto answer = answer_to(asks({{"Host", here}}), secret);
  EXPECT_EQ(value_of(answer, "WWW-Authenticate"), "Bearer");
  EXPECT_EQ(answer.body, "{\"error\":\"show the token: Authorization: Bearer TOKEN\"}\n");
}

TEST(admin_entry, asks_before_it_tells_what_there_is) {
  EXPECT_EQ(status(asks({{"Host", here}}, "/nothing"), "127.0.0.1", secret), 401);
  EXPECT_EQ(status(asks({{"Host", here}}, "/metrics", "POST"), "127.0.0.1", secret), 401);
}

// -- state ---------------------------------------------------------------------------------------

TEST(admin_entry, knows_its_pages) {
  auto page = [](std::string_view target) { return enter_admin(asks({{"Host", here}}, target), {}, {}); };
  EXPECT_EQ(std::get<admin_page>(page("/metrics")), admin_page::metrics);
  EXPECT_EQ(std::get<admin_page>(page("/metrics?name[]=a")), admin_page::metrics);
  EXPECT_EQ(std::get<admin_page>(page("/healthz")), admin_page::health);
}

TEST(admin_entry, leaves_what_is_below_api_to_the_node_that_it_is_for) {
  auto asked = asks({{"Host", here}}, "http://localhost/api/sessions/7?node=b", "DELETE");
  asked.body = "{}";
  const auto entered = enter_admin(asked, {}, {});
  const auto& request = std::get<operator_request>(entered);
  EXPECT_EQ(request.method, "DELETE");
  EXPECT_EQ(request.target, "/api/sessions/7?node=b");
  EXPECT_EQ(request.body, "{}");
  EXPECT_EQ(status(asks({{"Host", here}}, "/api/state"), "127.0.0.1", secret), 401);
  EXPECT_EQ(status(asks({{"Host", "evil.example"}}, "/api/state")), 403);
}

TEST(admin_entry, knows_nothing_else) {
  for (const auto* target :
       {"/", "", "*", "/metrics/", "/Metrics", "/mcp", "/sse", "/debug/state", "/api", "/metrics/..", "?x"})
    EXPECT_EQ(status(asks({{"Host", here}}, target)), 404) << target;
  EXPECT_EQ(answer_to(asks({{"Host", here}}, "/x")).body,
            "{\"error\":\"there is nothing for operators at this path\"}\n");
}

TEST(admin_entry, says_which_methods_a_page_has) {
  for (const auto* method : {"POST", "OPTIONS", "DELETE", "get"}) {
    const auto answer = answer_to(asks({{"Host", here}}, "/metrics", method));
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_EQ(value_of(answer, "Allow"), "GET, HEAD") << method;
  }
}

// RFC 9110, 9.1
TEST(admin_entry, shows_the_head_of_a_page_as_the_page) {
  for (const auto* path : {"/metrics", "/healthz"})
    EXPECT_EQ(std::get<admin_page>(enter_admin(asks({{"Host", here}}, path, "HEAD"), {}, {})),
              std::get<admin_page>(enter_admin(asks({{"Host", here}}, path), {}, {})));
}

TEST(admin_entry, gives_answers_that_nobody_keeps_and_no_page_reads) {
  for (const auto& answer : {answer_to(asks({})), answer_to(asks({{"Host", here}}), secret),
                             answer_to(asks({{"Host", here}}, "/x")), admin_response(200, metrics_type, "x")}) {
    EXPECT_EQ(answer.constant_fields, "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff");
    for (const auto& [name, value] : answer.fields)
      EXPECT_EQ(name.find("Access-Control"), name.npos);
  }
}

} // namespace troupe::tests::admin_entry_test
