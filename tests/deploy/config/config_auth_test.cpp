#include "tests/deploy/config/config_driver.hpp"

#include "deploy/config/config_gateway.hpp"

#include <filesystem>
#include <fstream>

namespace troupe::tests::config_auth_test {

using namespace deploy;

namespace {

/// A file with one server, and a section `gateway` with these members on its second line.
std::string with_gateway(const std::string& members) {
  return "{\"mcpServers\": {\"a\": {\"command\": \"x\"}}, \"gateway\": {\n" + members + "}}";
}

std::string with_auth(const std::string& members) { return with_gateway("\"auth\": {" + members + "}"); }

gateway_options gateway_of(const std::string& text) {
  auto file = read_text(text);
  for (const auto& problem : file.problems)
    ADD_FAILURE() << problem_line("f", problem);
  return file.gateway;
}

/// A readable file.
class some_file : public testing::Test {
protected:
  ~some_file() override { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }
  std::string quoted() const { return '"' + path_ + '"'; }

private:
  static std::string made() {
    auto result = testing::TempDir() + "troupe-" + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::ofstream{result} << "x";
    return result;
  }
  std::string path_ = made();
};

using config_auth = some_file;
using config_tls = some_file;

} // namespace

TEST_F(config_auth, says_who_may_use_the_gateway) {
  auto auth = gateway_of(with_auth(R"("keys": )" + quoted() + R"(, "issuer": "https://as.example.com",
      "audience": ["${ADDRESS}", "b"], "url": "https://gw.example.com", "scopes": "mcp", "groupsClaim": "groups",
      "scopeIncludes": {"admin": ["mcp", "read"]}, "caFile": )" +
                                   quoted() + R"(,
      "certificates": {"*.example.com": "read", "ann": []},
      "introspection": {"clientId": "troupe", "clientSecret": "${TOKEN}"}, "allowAnonymous": true)"))
                  .auth;
  issuer_options issuer{"https://as.example.com", {"http://host/", "b"}, "groups", "troupe", "s3cret", path()};
  EXPECT_EQ(auth.keys_file, path());
  EXPECT_EQ(auth.issuer, issuer);
  EXPECT_EQ(auth.url, "https://gw.example.com");
  EXPECT_EQ(auth.scopes, lines{"mcp"});
  EXPECT_EQ(auth.scope_includes.at("admin"), (lines{"mcp", "read"}));
  EXPECT_EQ(auth.certificates, (std::map<std::string, lines>{{"*.example.com", {"read"}}, {"ann", {}}}));
  EXPECT_TRUE(auth.allow_anonymous);
}

TEST_F(config_auth, names_what_is_wrong) {
  EXPECT_EQ(problems_of(with_auth(R"("keys": "nowhere")")),
            lines{"f:2: error: gateway.auth.keys: cannot be read: No such file or directory"});
  EXPECT_EQ(problems_of(with_auth(R"("audience": "a")")),
            lines{"f:2: error: gateway.auth: `audience`, `groupsClaim`, `caFile` and `introspection` are of an "
                  "`issuer`, which is missing"});
  EXPECT_EQ(problems_of(with_auth(R"("issuer": "${MISSING}")")).size(), 1U);
  EXPECT_EQ(problems_of(with_auth(R"("scope": "a")")),
            lines{"f:2: warning: gateway.auth.scope: is not known, did you mean `scopes`?"});
}

TEST_F(config_tls, names_its_files) {
  auto all = gateway_of(with_gateway(R"("tls": {"cert": )" + quoted() + ", \"key\": " + quoted() +
                                     ", \"clientCa\": " + quoted() + ", \"clientCrl\": " + quoted() +
                                     R"(}, "allowedHosts": ["gw.example.com"])"));
  EXPECT_EQ(all.tls, (tls_options{path(), path(), path(), path()}));
  EXPECT_EQ(all.allowed_hosts, lines{"gw.example.com"});
  EXPECT_FALSE(gateway_of(with_gateway("")).tls);
}

TEST_F(config_tls, names_what_is_wrong) {
  EXPECT_EQ(problems_of(with_gateway(R"("tls": {"cert": "nowhere", "key": )" + quoted() + "}")),
            lines{"f:2: error: gateway.tls.cert: cannot be read: No such file or directory"});
  EXPECT_EQ(problems_of(with_gateway(R"("tls": {"certs": "x"})")),
            lines{"f:2: warning: gateway.tls.certs: is not known, did you mean `cert`?"});
}

TEST_F(config_tls, gives_way_to_flags) {
  flagged_options flags;
  flags.options.tls = tls_options{"other", "", ""};
  flags.options.host = "unix:s";
  flags.options.port = 1;
  flags.options.limits.trusted_proxies = {"10.0.0.0/8"};
  flags.given = {"--tls-cert", "--listen", "--trusted-proxy"};
  auto text = with_gateway(R"("tls": {"key": )" + quoted() + R"(}, "limits": {"trustedProxies": ["1.2.3.4"]})");
  auto all = read_config(text, "/", test_variable, flags).gateway;
  EXPECT_EQ(all.tls, (tls_options{"other", path(), ""}));
  EXPECT_EQ(all.host, "unix:s");
  EXPECT_EQ(all.limits.trusted_proxies, lines{"10.0.0.0/8"});
}

// Clients and servers never name a URI with this host, so the rule could not match.
TEST(config_access, refuses_a_rule_for_a_host_that_no_uri_has) {
  auto said = problems_of_server(
      R"("command": "x", "access": {"resources": {"https://b\u00fccher.example/*": {"names": ["n"]}}})");
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said[0].find("has a host that no URI is known to have"), std::string::npos) << said[0];
  EXPECT_TRUE(problems_of_server(R"("command": "x", "access": {"tools": {"https://b\u00fccher/*": {"names": ["n"]}}})")
                  .empty());
}

TEST(config_access, says_who_may_use_what) {
  auto access = server_of(R"("command": "x", "access": {"scopes": ["a"], "groups": ["g"], "names": ["n"],
      "tools": {"delete_*": {"scopes": ["b"]}}, "prompts": {"*": {"groups": ["h"]}},
      "resources": {"file:///*": {"names": ["ann"]}}})")
                    .access;
  EXPECT_EQ(access.server, (allowed_callers{{"a"}, {"g"}, {"n"}}));
  EXPECT_EQ(access.tools.at(0), (std::pair<std::string, allowed_callers>{"delete_*", {{"b"}, {}, {}}}));
  EXPECT_EQ(access.prompts.at(0), (std::pair<std::string, allowed_callers>{"*", {{}, {"h"}, {}}}));
  EXPECT_EQ(access.resources.at(0), (std::pair<std::string, allowed_callers>{"file:///*", {{}, {}, {"ann"}}}));
}

TEST(config_access, lets_nobody_in_by_mistake) {
  for (auto members : {R"("scope": ["a"])", R"("names": [])", R"("tools": {"*": {"group": ["a"]}})",
                       R"("tools": {"*": {"groups": []}})", R"("names": "ann")"}) {
    auto said = problems_of_server(std::string{R"("command": "x", "access": {)"} + members + "}");
    ASSERT_EQ(said.size(), 1U) << members;
    EXPECT_NE(said[0].find(": error: "), std::string::npos) << said[0];
  }
}

} // namespace troupe::tests::config_auth_test
