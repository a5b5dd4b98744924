// Caller attributes and tokens that are passed to servers.

#include "tests/deploy/config/config_driver.hpp"

namespace troupe::tests::config_callers_test {

using namespace deploy;

namespace {

const std::string grant =
    R"("auth": {"grant": "token_exchange", "issuer": "https://as", "clientId": "c", "clientSecret": "${TOKEN}"})";

/// A file with an issuer of client tokens, and a server with these members.
std::string with_issuer(const std::string& members, const std::string& gateway = "") {
  return R"({"mcpServers": {"a": {)" + members +
         R"(}}, "gateway": {"auth": {"issuer": "https://as", "audience": "troupe"})" + gateway + "}}";
}

std::string far(const std::string& members) { return R"("url": "https://far/mcp", )" + members; }

lines problems_of_far(const std::string& members) { return problems_of(with_issuer(far(members))); }

remote_server read_far(const std::string& members) {
  auto file = read_text(with_issuer(far(members)));
  for (const auto& problem : file.problems)
    ADD_FAILURE() << problem_line("f", problem);
  return file.gateway.servers.empty() ? remote_server{} : std::get<remote_server>(file.gateway.servers.front().source);
}

} // namespace

TEST(config_callers, are_named_in_headers_and_variables) {
  const std::vector<std::pair<std::string, std::string>> told{{"X", "${principal.subject} s3cret"}};
  EXPECT_EQ(read_far(R"("headers": {"X": "${principal.subject} ${TOKEN}"})").headers, told);
  const auto file = read_text(with_issuer(R"("command": "x", "env": {"X": "${principal.subject} ${TOKEN}"})"));
  EXPECT_TRUE(file.problems.empty());
  EXPECT_EQ(std::get<command_server>(file.gateway.servers.front().source).environment, told);
}

TEST(config_callers, are_of_issuers_that_the_gateway_knows) {
  const auto problems = [](const std::string& access, const std::string& gateway = "") {
    return problems_of(with_issuer(R"("command": "true", "access": )" + access, gateway));
  };
  const auto unknown = [](const std::string& issuer) {
    return "f:1: warning: mcpServers.a.access: names the issuer `" + issuer +
           "`, of which the gateway takes no callers: that lets nobody in. Name the issuer as `auth.issuer` does, or "
           "`key`, `certificate` or `token`, where `auth` or `tls` takes such";
  };
  for (auto* good : {"https://as", "https://as/", "HTTPS://AS:443", "token"})
    EXPECT_EQ(problems(R"({"issuers": [")" + std::string{good} + "\"]}"), lines{}) << good;
  for (auto* bad : {"http://as", "https://as/realm", "https://as.example", "Token", "key", "certificate"})
    EXPECT_EQ(problems(R"({"issuers": [")" + std::string{bad} + "\"]}"), lines{unknown(bad)}) << bad;
  const std::string file = TROUPE_SCHEMA; // any readable file
  const auto certificates =
      R"(, "tls": {"cert": ")" + file + R"(", "key": ")" + file + R"(", "clientCa": ")" + file + "\"}";
  EXPECT_EQ(problems(R"({"issuers": ["certificate", "token"]})", certificates), lines{});
  EXPECT_EQ(problems(R"({"tools": {"t*": {"issuers": ["b", "a"]}}, "prompts": {"p": {"issuers": ["a"]}}})"),
            (lines{unknown("a"), unknown("b")}));
  EXPECT_EQ(problems(R"({"resources": {"*": {"issuers": ["a"]}}})"), lines{unknown("a")});
}

TEST(config_callers, are_named_nowhere_else) {
  for (const auto* text :
       {R"("command": "x", "args": ["${principal.subject}"])", R"("command": "x${principal.subject}")",
        R"("command": "x", "cwd": "/${principal.subject}")", R"("command": "x", "user": "${principal.subject}")"}) {
    const auto problems = problems_of(with_issuer(text));
    ASSERT_EQ(problems.size(), 1U) << text;
    EXPECT_NE(problems[0].find("has `${principal.subject}`, which can stand in `headers` and `env` of a server only"),
              std::string::npos)
        << problems[0];
  }
  EXPECT_EQ(problems_of(with_issuer(R"("url": "https://far/${principal.subject}")")),
            lines{"f:1: error: mcpServers.a.url: has `${principal.subject}`, which can stand in `headers` and `env` of "
                  "a server only"});
}

TEST(config_callers, are_named_as_they_can_be) {
  EXPECT_EQ(problems_of_far(R"("headers": {"X": "${principal.}"})"),
            lines{"f:1: error: mcpServers.a.headers.X: has a `${principal.}` without a name"});
  EXPECT_EQ(problems_of_far(R"("headers": {"X": "${principal.email:-none}"})"),
            lines{"f:1: error: mcpServers.a.headers.X: has a `${principal.…}` with a default: who lacks the claim is "
                  "refused"});
}

TEST(config_callers, are_not_named_by_what_a_variable_stands_for) {
  for (const auto* value : {"${SLY}", "$${SLIER}", "${principal.a}${SLY}"}) {
    auto text = with_issuer(far(R"("headers": {"X": ")" + std::string(value) + R"("})"));
    const auto file = read_config(text, "/etc/troupe", [](const std::string& name) {
      return std::optional<std::string>(name == "SLY" ? "${principal.subject}" : "{principal.subject}");
    });
    ASSERT_EQ(file.problems.size(), 1U) << value;
    EXPECT_EQ(problem_line("f", file.problems[0]),
              "f:1: error: mcpServers.a.headers.X: has a variable whose value has `${principal.` in it, which would be "
              "replaced, too");
  }
}

TEST(config_callers, are_told_apart_where_they_are_named) {
  for (const auto* how : {"shared", "pool"})
    for (const auto& text : {far(R"("headers": {"X": "${principal.subject}"})"),
                             std::string(R"("command": "x", "env": {"X": "${principal.a}"})")})
      EXPECT_EQ(
          problems_of(with_issuer(text + R"(, "sharing": ")" + how + '"')),
          lines{"f:1: error: mcpServers.a: is told who asks (`${principal.…}`), which takes `sharing` `session` or "
                "`principal`"});
  for (const auto* how : {"session", "principal"})
    EXPECT_EQ(problems_of_far(std::string(R"("headers": {"X": "${principal.subject}"}, "sharing": ")") + how + '"'),
              lines{});
  EXPECT_EQ(
      problems_of_server(far(R"("headers": {"X": "${principal.subject}"})")),
      lines{"f:1: error: mcpServers.a: is told who asks (`${principal.…}`), but nobody has to say who he is: that "
            "takes keys, an issuer or certificates"});
}

TEST(config_grant, has_all_that_is_given) {
  EXPECT_EQ(read_far(grant).auth, (grant_options{.grant = grant_options::kind::token_exchange,
                                                 .issuer = "https://as",
                                                 .client_id = "c",
                                                 .client_secret = "s3cret"}));
  EXPECT_EQ(read_far(R"("auth": {"grant": "client_credentials", "tokenEndpoint": "https://as/t", "clientId": "c",
                                 "clientSecret": "s", "clientAuthentication": "client_secret_post",
                                 "scopes": ["r", "w"], "resource": "https://x", "audience": "far", "caFile": "ca.pem"})")
                .auth,
            (grant_options{.grant = grant_options::kind::client_credentials,
                           .token_endpoint = "https://as/t",
                           .client_id = "c",
                           .client_secret = "s",
                           .secret_in_form = true,
                           .scopes = {"r", "w"},
                           .resource = "https://x",
                           .audience = "far",
                           .ca_file = "/etc/troupe/ca.pem"}));
  EXPECT_EQ(read_far(R"("auth": {"grant": "client_credentials", "issuer": "https://as", "clientId": "c",
                                 "clientSecret": "s", "resource": null})")
                .auth->resource,
            std::optional<std::string>{""});
}

TEST(config_grant, is_whole) {
  EXPECT_EQ(problems_of_far(R"("auth": {"issuer": "https://as", "clientId": "c", "clientSecret": "s"})"),
            lines{"f:1: error: mcpServers.a.auth: has no `grant`: client_credentials or token_exchange"});
  EXPECT_EQ(problems_of_far(R"("auth": {"grant": "client_credentials", "clientId": "c", "clientSecret": "s"})"),
            lines{"f:1: error: mcpServers.a: has tokens of either an issuer or a token endpoint"});
  EXPECT_EQ(
      problems_of_far(R"("auth": {"grant": "client_credentials", "issuer": "http://as", "clientId": "c",
                                    "clientSecret": "s"})"),
      lines{"f:1: error: mcpServers.a: has a URL where its tokens are granted that cannot be used: must be https, "
            "unless it is on this machine"});
  EXPECT_EQ(problems_of_far(grant + R"(, "headers": {"authorization": "x"})"),
            lines{"f:1: error: mcpServers.a: has both an `Authorization` among its headers and tokens"});
  EXPECT_EQ(problems_of_far(grant + R"(, "sharing": "shared")"),
            lines{"f:1: error: mcpServers.a: is shown a token of each caller, which takes `sharing` `session` or "
                  "`principal`"});
}

TEST(config_grant, exchanges_what_clients_show) {
  EXPECT_EQ(problems_of_server(far(grant)),
            lines{"f:1: error: mcpServers.a: is shown a token of each caller, but nobody has to say who he is: that "
                  "takes keys, an issuer or certificates"});
  const auto plain = R"(, "cluster": {"node": "a", "key": "0123456789abcdef", "plain": true})";
  EXPECT_EQ(problems_of(with_issuer(far(grant), plain)),
            lines{"f:1: error: mcpServers.a: takes callers' tokens, which do not travel between nodes in plain: give "
                  "`gateway.cluster.tls`"});
}

TEST(config_grant, is_not_used_by_a_program) {
  EXPECT_EQ(problems_of_server(
                R"("command": "x", "auth": {"grant": "client_credentials", "issuer": "https://as", "clientId": "c",
                   "clientSecret": "s"})"),
            lines{"f:1: warning: mcpServers.a: `auth` is not used: the server is a program"});
}

} // namespace troupe::tests::config_callers_test
