#include "protocol/access/endpoint_guard.hpp"
#include "protocol/http/known_fields.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <variant>

namespace troupe::tests::endpoint_guard_test {

using namespace protocol;

namespace {

using fields = std::vector<std::pair<std::string, std::string>>;

const endpoint_guard_rules rules{false, "https://as", {"https://gw", {}}, {"mcp"}, {"mcp", "write", "offline_access"}};
const http_request request{"POST", "/mcp", {{"Host", "gw.example"}}, {}};
const endpoint_guard at_mcp{rules, request, "/mcp"};

principal ann(std::vector<std::string> scopes, std::vector<std::string> audiences = {"https://gw/mcp"}) {
  return {"https://as", "ann", {}, std::move(scopes), {}, "{}", std::move(audiences)};
}

std::string challenge_of(const rejection& why) { return why.headers.at(0).second; }

http_response metadata(std::string_view method, const endpoint_guard_rules& of = rules,
                       std::string_view host = "gw.example:81") {
  const http_request asks{method, "/.well-known/oauth-protected-resource/mcp", {{"Host", host}}, {}};
  return endpoint_guard{of, asks, "/servers/a/mcp"}.metadata();
}

} // namespace

// RFC 9728, 2
TEST(resource_metadata, is_a_document) {
  EXPECT_EQ(metadata_text({"https://x/mcp", {"https://as"}, {"a"}, "troupe"}),
            R"({"resource":"https://x/mcp","authorization_servers":["https://as"],"scopes_supported":["a"],)"
            R"("bearer_methods_supported":["header"],"resource_name":"troupe"})");
  EXPECT_EQ(
      metadata_text({"r", {"i"}, {}, "n"}),
      R"({"resource":"r","authorization_servers":["i"],"bearer_methods_supported":["header"],"resource_name":"n"})");
}

// 2025-11-25, authorization, "Protected Resource Metadata Discovery Requirements"
TEST(endpoint_guard, tells_who_has_no_credentials_where_to_get_some) {
  auto why = at_mcp.refuse_anonymous();
  EXPECT_EQ(why.status, 401);
  EXPECT_EQ(challenge_of(why),
            "Bearer scope=\"mcp\", resource_metadata=\"https://gw/.well-known/oauth-protected-resource/mcp\"");
}

TEST(endpoint_guard, takes_a_token_for_one_path_of_sse_at_all_of_them) {
  auto several = rules;
  several.sse_paths = {"/events", "/sse"};
  auto is_let_in = [&](const endpoint_guard_rules& of, std::string_view path, const char* audience) {
    return !endpoint_guard{of, request, path}.refuse(ann({"mcp"}, {audience}));
  };
  EXPECT_TRUE(is_let_in(several, "/sse", "https://gw/events"));
  EXPECT_TRUE(is_let_in(several, "/events", "https://gw/sse"));
  EXPECT_FALSE(is_let_in(several, "/sse", "https://gw/mcp"));
  EXPECT_FALSE(is_let_in(several, "/mcp", "https://gw/events"));
  EXPECT_FALSE(is_let_in(rules, "/sse", "https://gw/events"));
}

TEST(endpoint_guard, tells_what_is_wrong_with_a_token) {
  auto why = at_mcp.refuse_bad("the token has expired");
  EXPECT_EQ(why.status, 401);
  EXPECT_TRUE(challenge_of(why).starts_with(
      "Bearer error=\"invalid_token\", error_description=\"the token has expired\", scope=\"mcp\", "));
}

TEST(endpoint_guard, lets_nobody_in_with_a_token_for_another_endpoint) {
  EXPECT_FALSE(at_mcp.refuse(ann({"mcp"})));
  EXPECT_FALSE(at_mcp.refuse(ann({"mcp"}, {"https://gw"})));
  EXPECT_EQ(at_mcp.refuse(ann({"mcp"}, {"https://gw/servers/a/mcp"}))->status, 401);
  EXPECT_EQ(at_mcp.refuse(ann({"mcp"}, {}))->status, 401);
}

// 2025-11-25, authorization, "Scope Challenge Handling"
TEST(endpoint_guard, asks_for_the_scopes_that_every_request_needs) {
  auto why = at_mcp.refuse(ann({"write"}));
  ASSERT_TRUE(why);
  EXPECT_EQ(why->status, 403);
  EXPECT_EQ(challenge_of(*why), "Bearer error=\"insufficient_scope\", scope=\"mcp\", "
                                "resource_metadata=\"https://gw/.well-known/oauth-protected-resource/mcp\"");
  auto broad = rules;
  broad.includes = {{"admin", {"mcp"}}};
  EXPECT_FALSE((endpoint_guard{broad, request, "/mcp"}.refuse(ann({"admin"}))));
}

TEST(endpoint_guard, asks_no_audience_of_a_key) {
  EXPECT_FALSE(at_mcp.refuse({.issuer = key_issuer, .subject = "ci", .scopes = {"mcp"}}));
}

TEST(endpoint_guard, names_no_metadata_where_there_is_no_issuer) {
  const endpoint_guard_rules keys_only{.is_open = false};
  EXPECT_EQ(challenge_of(endpoint_guard{keys_only, request, "/mcp"}.refuse_anonymous()), "Bearer");
}

// RFC 9728, 3
TEST(endpoint_guard, has_a_document_about_each_endpoint_that_all_may_read) {
  auto answer = metadata("GET");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.type, "application/json");
  EXPECT_EQ(answer.fields.front(), (fields::value_type{"Access-Control-Allow-Origin", "*"}));
  EXPECT_EQ(answer.body, R"({"resource":"https://gw/servers/a/mcp","authorization_servers":["https://as"],)"
                         R"("scopes_supported":["mcp","write"],"bearer_methods_supported":["header"],)"
                         R"("resource_name":"Troupe"})");
  EXPECT_EQ(metadata("HEAD").status, 200);
  EXPECT_EQ(metadata("OPTIONS").status, 204);
  EXPECT_EQ(metadata("OPTIONS").fields.front(), (fields::value_type{"Access-Control-Allow-Origin", "*"}));
  EXPECT_EQ(metadata("POST").status, 405);
  EXPECT_EQ(metadata("POST").fields.front(), (fields::value_type{"Allow", "GET, HEAD, OPTIONS"}));
}

// 2025-03-26, authorization, 2.3.2
TEST(endpoint_guard, has_a_copy_of_the_metadata_of_the_issuer) {
  auto copy = [](std::string_view method, std::string_view text) {
    return endpoint_guard{rules, http_request{method, "/.well-known/oauth-authorization-server", {}, {}}, {}}.issuer(
        text);
  };
  auto answer = copy("GET", "{}");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.type, "application/json");
  EXPECT_EQ(answer.body, "{}");
  EXPECT_EQ(answer.fields.front(), (fields::value_type{"Access-Control-Allow-Origin", "*"}));
  EXPECT_EQ(copy("HEAD", "{}").status, 200);
  EXPECT_EQ(copy("OPTIONS", "").status, 204);
  EXPECT_EQ(copy("POST", "{}").status, 405);
  EXPECT_EQ(copy("GET", "").status, 503);
}

TEST(endpoint_guard, calls_itself_as_its_client_does_where_nothing_else_is_known) {
  const endpoint_guard_rules by_name{false, "https://as", {{}, {"api"}}};
  EXPECT_TRUE(metadata("GET", by_name).body.starts_with(R"({"resource":"http://gw.example:81/servers/a/mcp")"));
  for (auto host : {"", "a b", "x/y", "x\"y", "u@x"})
    EXPECT_EQ(metadata("GET", by_name, host).status, 400) << host;
}

TEST(endpoint_guard, names_itself_with_the_path_of_its_url) {
  auto behind = rules;
  behind.audience.url = "https://gw:81/troupe";
  EXPECT_EQ(challenge_of(endpoint_guard{behind, request, "/mcp"}.refuse_anonymous()),
            "Bearer scope=\"mcp\", "
            "resource_metadata=\"https://gw:81/.well-known/oauth-protected-resource/troupe/mcp\"");
  EXPECT_TRUE(metadata("GET", behind).body.starts_with(R"({"resource":"https://gw:81/troupe/servers/a/mcp")"));
  EXPECT_EQ((endpoint_guard{behind, request, "/mcp"}.prefix()), "/troupe");
  EXPECT_EQ(at_mcp.prefix(), "");
}

TEST(endpoint_guard, names_itself_with_the_prefix_that_a_trusted_proxy_names) {
  endpoint_guard_rules by_name{false, "https://as", {{}, {"api"}}};
  const http_request one{.method = "GET",
                         .target = "/x",
                         .fields = {{"Host", "gw"}, {"X-Forwarded-Proto", "https"}, {"X-Forwarded-Prefix", "/troupe"}},
                         .body = {},
                         .peer = "10.0.0.1"};
  EXPECT_EQ((endpoint_guard{by_name, one, "/mcp"}.prefix()), "");
  by_name.trusted_proxies = ip_networks{{"10.0.0.0/8"}};
  EXPECT_EQ((endpoint_guard{by_name, one, "/mcp"}.prefix()), "/troupe");
  EXPECT_TRUE(
      (endpoint_guard{by_name, one, "/mcp"}.metadata()).body.starts_with(R"({"resource":"https://gw/troupe/mcp")"));
  EXPECT_EQ(challenge_of(endpoint_guard{by_name, one, "/mcp"}.refuse_anonymous()),
            "Bearer resource_metadata=\"https://gw/.well-known/oauth-protected-resource/troupe/mcp\"");
  by_name.audience.url = "https://gw";
  EXPECT_EQ((endpoint_guard{by_name, one, "/mcp"}.prefix()), "") << "whatever a proxy says";
}

TEST(endpoint_guard, lets_nobody_in_without_credentials_through_a_proxy_that_is_not_trusted) {
  endpoint_guard_rules open{.is_for_this_machine = true};
  const auto is_untrusted = [&](const char* peer, const std::vector<http_field>& marks) {
    http_request one{.method = "GET", .target = "/mcp", .fields = marks, .body = {}};
    one.peer = peer;
    return endpoint_guard{open, one, "/mcp"}.is_untrusted(known_fields{marks}.is_passed_on);
  };
  EXPECT_FALSE(is_untrusted("127.0.0.1", {{"Accept", "x"}}));
  const std::vector<http_field> marks{{"forwarded", "for=x"},
                                      {"X-Forwarded-For", "127.0.0.1"},
                                      {"x-forwarded-proto", "https"},
                                      {"Via", "1.1 x"},
                                      {"X-Real-IP", "::1"}};
  for (const auto& mark : marks)
    for (const auto* peer : {"127.0.0.1", "::1", ""})
      EXPECT_TRUE(is_untrusted(peer, {mark})) << mark.name << ' ' << peer;
  EXPECT_EQ(endpoint_guard::refuse_untrusted().status, 403);
  open.trusted_proxies = ip_networks{{"127.0.0.1"}};
  for (const auto& mark : marks) {
    EXPECT_FALSE(is_untrusted("127.0.0.1", {mark})) << mark.name;
    EXPECT_TRUE(is_untrusted("", {mark})) << "over a unix socket nobody is trusted";
  }
  open = {.is_for_this_machine = false};
  EXPECT_FALSE(is_untrusted("127.0.0.1", {marks.front()})) << "anybody may come in";
}

TEST(endpoint_guard, knows_a_caller_by_its_certificate_until_that_expires) {
  const calendar_time until{std::chrono::hours{1000}};
  const auto caller_of = [&](std::string_view name, calendar_time now, const certificate_rules& accepted = {}) {
    http_request one{.method = "GET", .target = "/mcp", .fields = {}, .body = {}};
    one.certificate = name;
    one.certificate_until = until;
    return endpoint_guard{rules, one, "/mcp"}.identify(accepted, false, now);
  };
  const auto one_before = until - std::chrono::seconds{1};
  const auto who = caller_of("ann", one_before);
  ASSERT_TRUE(std::holds_alternative<caller>(who));
  EXPECT_EQ(std::get<caller>(who)->subject, "ann");
  const std::variant<caller, unidentified> expired{unidentified{.why = "the certificate has expired"}};
  EXPECT_EQ(caller_of("ann", until), expired);
  EXPECT_EQ(caller_of("ann", until + std::chrono::seconds{1}), expired);
  const std::variant<caller, unidentified> unknown{unidentified{.why = "the certificate is nobody's who may come in"}};
  EXPECT_EQ(caller_of("ann", one_before, {{"b*", {}}}), unknown);
}

TEST(endpoint_guard, takes_a_request_without_credentials_only_where_it_is_open_and_not_through_an_untrusted_proxy) {
  using kind = unidentified::kind;
  const http_request proxied{.method = "GET", .target = "/mcp", .fields = {{"Via", "1.1 x"}}, .body = {}};
  const auto caller_of = [](const endpoint_guard_rules& of, const http_request& one) {
    return endpoint_guard{of, one, "/mcp"}.identify({}, known_fields{one.fields}.is_passed_on, {});
  };
  const endpoint_guard_rules open{.is_for_this_machine = true};
  EXPECT_EQ(caller_of(open, request), (std::variant<caller, unidentified>{caller{}}));
  EXPECT_EQ(caller_of(open, proxied), (std::variant<caller, unidentified>{unidentified{kind::untrusted}}));
  EXPECT_EQ(caller_of(rules, proxied), (std::variant<caller, unidentified>{unidentified{kind::anonymous}}));
}

TEST(endpoint_guard, refuses_with_401_for_credentials_and_with_403_for_a_proxy) {
  using kind = unidentified::kind;
  EXPECT_EQ(at_mcp.refuse_unidentified({kind::bad, "why"}), at_mcp.refuse_bad("why"));
  EXPECT_EQ(at_mcp.refuse_unidentified({kind::anonymous}), at_mcp.refuse_anonymous());
  EXPECT_EQ(at_mcp.refuse_unidentified({kind::untrusted}), endpoint_guard::refuse_untrusted());
}

TEST(endpoint_guard, refuses_a_token_that_nobody_could_judge_with_another_status_than_a_bad_one) {
  EXPECT_EQ(at_mcp.refuse_by({.is = token_verdict::kind::good}), std::nullopt);
  EXPECT_EQ(at_mcp.refuse_by(token_verdict::bad("why")), at_mcp.refuse_bad("why"));
  EXPECT_EQ(at_mcp.refuse_by(token_verdict::unavailable("why")), unavailable("why"));
  EXPECT_EQ(at_mcp.refuse_by(token_verdict::too_many("why", std::chrono::milliseconds{1001})),
            too_many_requests("why", std::chrono::seconds{2}));
}

} // namespace troupe::tests::endpoint_guard_test
