#include "tests/deploy/config/config_driver.hpp"

namespace troupe::tests::config_server_test {

using namespace deploy;

using pairs = std::vector<std::pair<std::string, std::string>>;
using std::chrono::milliseconds;

TEST(config_server, is_a_program) {
  const auto server = server_of(R"("command": "npx", "args": ["-y", ""], "env": {"A": "1"}, "cwd": "/srv")");
  const command_server expected{
      .program = "npx", .arguments = {"-y", ""}, .environment = {{"A", "1"}}, .directory = "/srv"};
  EXPECT_EQ(server, (server_options{"a", expected}));
}

TEST(config_server, can_be_another_user_with_limits) {
  const auto server = program_of(R"("command": "x", "user": "nobody", "noNewPrivileges": false,
    "limits": {"memory": 1048576, "files": 8, "processes": 1, "cpu": "1500ms"})");
  const command_server expected{
      .program = "x", .user = "nobody", .limits = {1048576, 8, 1, std::chrono::seconds{2}}, .no_new_privileges = false};
  EXPECT_EQ(server, expected);
  EXPECT_EQ(program_of(R"("command": "x", "user": 1000)").user, "1000");
  EXPECT_TRUE(program_of(R"("command": "x")").no_new_privileges);
}

TEST(config_server, says_what_is_wrong_with_its_user_and_limits) {
  auto faults = [](const std::string& text) { return problems_of_server(R"("command": "x", )" + text).size(); };
  EXPECT_EQ(faults(R"("user": "")"), 1u);
  EXPECT_EQ(faults(R"("user": -1)"), 1u);
  EXPECT_EQ(faults(R"("user": 4294967295)"), 1u);
  EXPECT_EQ(faults(R"("user": 4294967294)"), 0u);
  EXPECT_EQ(faults(R"("limits": {"memory": 1048575})"), 1u);
  EXPECT_EQ(faults(R"("limits": {"files": 7})"), 1u);
  EXPECT_EQ(faults(R"("limits": {"processes": 0})"), 1u);
  EXPECT_EQ(faults(R"("limits": {"cpu": 0})"), 1u);
  EXPECT_EQ(faults(R"("limits": {"cpus": 1})"), 1u);
  EXPECT_EQ(faults(R"("noNewPrivileges": "yes")"), 1u);
}

TEST(config_server, is_a_url) {
  const remote_server expected{.url = "https://host:8443/mcp?x=1",
                               .headers = {{"Authorization", "Bearer s3cret"}},
                               .ca_file = "/etc/ca.pem",
                               .connections = 8};
  EXPECT_EQ(
      server_of(
          R"("url": "https://host:8443/mcp?x=1", "caFile": "/etc/ca.pem", "connections": 8, "headers": {"Authorization": "Bearer ${TOKEN}"})"),
      (server_options{"a", expected}));
}

TEST(config_server, says_how_it_is_spoken_to) {
  auto transport = [](const std::string& name) { return remote_of(R"("url": "http://h", )" + name).transport; };
  EXPECT_EQ(transport(R"("type": "http")"), remote_transport::detect);
  EXPECT_EQ(transport(R"("type": "streamable-http")"), remote_transport::streamable_http);
  EXPECT_EQ(transport(R"("transport": "streamableHttp")"), remote_transport::streamable_http);
  EXPECT_EQ(transport(R"("type": "sse", "transport": "sse")"), remote_transport::http_sse);
  EXPECT_EQ(program_of(R"("type": "stdio", "command": "x")").program, "x");
}

TEST(config_server, can_be_told_more) {
  const auto server =
      server_of(R"("command": "x", "sharing": "pool", "poolSize": 3, "affinity": "none", "timeout": "2m",
    "eager": true,
    "essential": true,
    "tools": {"allow": ["get_*"], "deny": ["get_secret", "x?"]}, "prefix": "p-1", "enabled": true,
    "restart": {"firstDelay": 0.1, "longestDelay": "1s", "attempts": 2, "steady": "3s", "rest": "4s"})");
  server_options expected;
  expected.name = "a";
  expected.source = command_server{"x"};
  expected.sharing = sharing::pool;
  expected.pool_size = 3;
  expected.affinity = affinity::none;
  expected.timeout = std::chrono::minutes{2};
  expected.eager = true;
  expected.essential = true;
  expected.allow_tools = {"get_*"};
  expected.deny_tools = {"get_secret", "x?"};
  expected.prefix = "p-1";
  expected.on_loss = on_loss::restart;
  expected.restart = {milliseconds{100}, milliseconds{1000}, 2, milliseconds{3000}, milliseconds{4000}};
  EXPECT_EQ(server, expected);
}

TEST(config_server, says_which_requests_without_a_session_meet_the_same_process) {
  auto of = [](const std::string& members) { return server_of(R"("command": "x")" + members).affinity; };
  EXPECT_EQ(of(""), affinity::principal);
  EXPECT_EQ(of(R"(, "affinity": "principal")"), affinity::principal);
  EXPECT_EQ(of(R"(, "affinity": "header")"), affinity::header);
  EXPECT_EQ(of(R"(, "affinity": "none", "sharing": "shared")"), affinity::none);
}

TEST(config_server, says_which_revisions_it_is_spoken_to_in) {
  auto of = [](const std::string& members) { return server_of(R"("command": "x")" + members).era; };
  EXPECT_EQ(of(""), era::automatic);
  EXPECT_EQ(of(R"(, "era": "auto")"), era::automatic);
  EXPECT_EQ(of(R"(, "era": "legacy")"), era::legacy);
  EXPECT_EQ(of(R"(, "era": "modern")"), era::modern);
  EXPECT_EQ(problems_of_server(R"("command": "x", "era": "2026-07-28")"),
            lines{"f:1: error: mcpServers.a.era: must be one of auto, legacy, modern"});
  EXPECT_EQ(server_of(R"("url": "http://x", "era": "modern")").era, era::modern);
  EXPECT_EQ(problems_of_server(R"("url": "http://x", "era": "modern")"), lines{});
}

TEST(config_server, has_a_rule_for_roots) {
  EXPECT_EQ(server_of(R"("command": "x")").roots, roots::automatic);
  EXPECT_EQ(server_of(R"("command": "x", "roots": "none")").roots, roots::none);
  EXPECT_EQ(problems_of_server(R"("command": "x", "roots": "pass")"),
            lines{"f:1: warning: mcpServers.a: `roots` is `pass`: a client elsewhere can name any folder of this "
                  "machine to the server"});
  EXPECT_EQ(problems_of_server(R"("command": "x", "roots": "pass", "sharing": "shared")"),
            lines{"f:1: warning: mcpServers.a: `roots` is not used: `sharing` is `shared`"});
}

TEST(config_server, warns_of_a_start_for_each_request) {
  auto said = [](const std::string& members) { return problems_of_server(R"("command": "x", )" + members); };
  EXPECT_EQ(said(R"("affinity": "none")"),
            lines{"f:1: warning: mcpServers.a: `affinity` `none` begins the server for each request of 2026-07-28, "
                  "unless `sharing` is `shared` or `pool`"});
  for (const std::string sharing : {"shared", "pool", "principal"})
    EXPECT_EQ(said(R"("affinity": "none", "sharing": ")" + sharing + '"'), lines{});
}

TEST(config_server, is_started_again_or_not) {
  EXPECT_EQ(server_of(R"("command": "x")").on_loss, on_loss::by_sharing);
  EXPECT_EQ(server_of(R"("command": "x", "restart": true)").on_loss, on_loss::restart);
  EXPECT_EQ(server_of(R"("command": "x", "restart": false)").on_loss, on_loss::end_sessions);
}

TEST(config_server, can_do_without_a_prefix) {
  EXPECT_TRUE(server_of(R"("command": "x")").prefixed);
  for (const auto* none : {"null", "false", R"("")"})
    EXPECT_FALSE(server_of(R"("command": "x", "prefix": )" + std::string(none)).prefixed) << none;
}

TEST(config_server, is_found_from_the_directory_of_the_file) {
  auto command = [](const std::string& path) { return program_of(R"("command": ")" + path + '"').program; };
  EXPECT_EQ(command("server"), "server");
  EXPECT_EQ(command("./server"), "/etc/troupe/server");
  EXPECT_EQ(command("../bin/server"), "/etc/bin/server");
  EXPECT_EQ(command("/bin/server"), "/bin/server");
  EXPECT_EQ(command("~/server"), "/home/ann/server");
  EXPECT_EQ(command("~ann/server"), "/etc/troupe/~ann/server");
  EXPECT_EQ(program_of(R"("command": "x", "cwd": "data")").directory, "/etc/troupe/data");
  EXPECT_EQ(program_of(R"("command": "x", "cwd": "~")").directory, "/home/ann");
}

TEST(config_server, takes_numbers_and_truths_as_texts_in_its_environment) {
  const auto file =
      read_text(one_server(R"("command": "x", "env": {"A": 1.50, "B": true, "C": null, "": "", "D=": ""})"));
  EXPECT_EQ(std::get<command_server>(file.gateway.servers.front().source).environment,
            (pairs{{"A", "1.50"}, {"B", "true"}}));
  EXPECT_EQ(problems_of_server(
                "\"command\": \"x\", \"env\": {\"A\": 1.50,\n\"B\": true,\n\"C\": null,\n\"\": \"\", \"D=\": \"\"}"),
            (lines{"f:1: warning: mcpServers.a.env.A: is taken as a string: write it in quotes",
                   "f:2: warning: mcpServers.a.env.B: is taken as a string: write it in quotes",
                   "f:3: error: mcpServers.a.env.C: must be a string",
                   "f:4: error: mcpServers.a.env['']: is no name of an environment variable",
                   "f:4: error: mcpServers.a.env['D=']: is no name of an environment variable"}));
}

TEST(config_server, is_either_a_program_or_a_url) {
  EXPECT_EQ(problems_of_server(""), lines{"f:1: error: mcpServers.a: has neither `command` nor `url`"});
  EXPECT_EQ(problems_of_server(R"("command": "x", "url": "http://h")"),
            lines{"f:1: error: mcpServers.a: has both `command` and `url`: it is either a program or a URL"});
  EXPECT_EQ(problems_of_server(R"("command": "x", "type": "http")"),
            lines{"f:1: error: mcpServers.a: `type` is of a server with `url`"});
  EXPECT_EQ(problems_of_server(R"("url": "http://h", "transport": "stdio")"),
            lines{"f:1: error: mcpServers.a: `transport` is of a server with `command`"});
  EXPECT_EQ(problems_of_server(R"("url": "http://h", "type": "http", "transport": "sse")"),
            lines{"f:1: error: mcpServers.a.transport: is not the same as `type`"});
  EXPECT_EQ(problems_of_server(R"("url": "http://h", "args": [], "cwd": "/", "env": {})"),
            (lines{"f:1: warning: mcpServers.a: `args` is not used: the server is a URL",
                   "f:1: warning: mcpServers.a: `env` is not used: the server is a URL",
                   "f:1: warning: mcpServers.a: `cwd` is not used: the server is a URL"}));
  EXPECT_EQ(problems_of_server(R"("command": "x", "headers": {}, "poolSize": 1)"),
            (lines{"f:1: warning: mcpServers.a: `headers` is not used: the server is a program",
                   "f:1: warning: mcpServers.a: `poolSize` is not used: `sharing` is not `pool`"}));
}

TEST(config_server, tells_what_each_value_must_be) {
  EXPECT_EQ(
      problems_of_server(R"("command": 1, "args": "x", "env": [], "cwd": "", "sharing": "all", "poolSize": 0,
"affinity": "caller", "timeout": 0, "restart": 1, "tools": 1, "prefix": "a.b", "eager": 1, "essential": "no", "disabled": "no", "type": "ws", "headers": ""
)"),
      (lines{
          "f:1: error: mcpServers.a.command: must be a string", "f:1: error: mcpServers.a.args: must be an array",
          "f:1: error: mcpServers.a.env: must be an object",
          "f:1: error: mcpServers.a.cwd: must be a string that is not empty",
          "f:1: error: mcpServers.a.sharing: must be one of auto, session, shared, pool, principal",
          "f:1: error: mcpServers.a.poolSize: must be a whole number from 1 to 100",
          "f:1: warning: mcpServers.a: `headers` is not used: the server is a program",
          "f:1: warning: mcpServers.a: `poolSize` is not used: `sharing` is not `pool`",
          "f:2: error: mcpServers.a.affinity: must be one of principal, none, header",
          "f:2: error: mcpServers.a.timeout: must be seconds, or a string such as `500ms`, `30s`, `5m` or `1h`, "
          "above zero",
          "f:2: error: mcpServers.a.restart: must be true, false or an object",
          "f:2: error: mcpServers.a.tools: must be an object",
          "f:2: error: mcpServers.a.prefix: must have letters, digits, `_` and `-` only, and 64 of them at most",
          "f:2: error: mcpServers.a.eager: must be true or false",
          "f:2: error: mcpServers.a.essential: must be true or false",
          "f:2: error: mcpServers.a.disabled: must be true or false",
          "f:2: error: mcpServers.a.type: must be one of stdio, local, http, remote, streamable-http, streamableHttp, "
          "streamable_http, sse",
          "f:2: error: mcpServers.a.headers: must be an object"}));
}

TEST(config_server, tells_which_element_and_which_member) {
  EXPECT_EQ(problems_of_server("\"command\": \"x\", \"args\": [\"a\",\n2,\n\"\\u0000\"],\n"
                               "\"tools\": {\"allow\": [\"\"], \"deny\": []}, \"restart\": {\"atempts\": 1}"),
            (lines{"f:2: error: mcpServers.a.args[1]: must be a string",
                   "f:3: error: mcpServers.a.args[2]: must be a string without NUL",
                   "f:4: error: mcpServers.a.tools.allow[0]: must be a string that is not empty",
                   "f:4: warning: mcpServers.a.tools.deny: is empty, which is the same as not given",
                   "f:4: warning: mcpServers.a.restart.atempts: is not known, did you mean `attempts`?"}));
}

TEST(config_server, has_limits) {
  auto said = [](const std::string& members) {
    return problems_of_server(R"("command": "x", "sharing": "pool", )" + members).size();
  };
  auto far = [](const std::string& most) {
    return problems_of_server(R"("url": "http://h", "connections": )" + most).size();
  };
  EXPECT_EQ(far("1") + far("10000"), 0u);
  EXPECT_EQ(far("0") + far("10001") + far("1.5"), 3u);
  EXPECT_EQ(said(R"("poolSize": 1)") + said(R"("poolSize": 100)") + said(R"("poolSize": 5e1)"), 0u);
  EXPECT_EQ(said(R"("poolSize": 0)") + said(R"("poolSize": 101)") + said(R"("poolSize": 1.5)"), 3u);
  EXPECT_EQ(said(R"("restart": {"attempts": 1})") + said(R"("restart": {"attempts": 1000})"), 0u);
  EXPECT_EQ(said(R"("restart": {"attempts": 0})") + said(R"("restart": {"attempts": 1001})"), 2u);
  EXPECT_EQ(said(R"("restart": {"firstDelay": 30})"), 0u);
  EXPECT_EQ(said(R"("restart": {"firstDelay": 30.001})"), 1u);
  EXPECT_EQ(said(R"("prefix": ")" + std::string(64, 'a') + '"'), 0u);
  EXPECT_EQ(said(R"("prefix": ")" + std::string(65, 'a') + '"'), 1u);
  EXPECT_EQ(said(R"("timeout": 3600)"), 0u);
}

TEST(config_server, doubts_a_number_of_seconds_that_looks_like_milliseconds) {
  EXPECT_EQ(problems_of_server(R"("command": "x", "timeout": 3600)"), lines{});
  EXPECT_EQ(
      problems_of_server(R"("command": "x", "timeout": 60000)"),
      lines{"f:1: warning: mcpServers.a.timeout: is in seconds: write `60000ms` when milliseconds are meant, else "
            "`60000s`"});
  auto of = [](const std::string& time) {
    return read_text(one_server(R"("command": "x", "timeout": )" + time)).gateway.servers.front().timeout;
  };
  EXPECT_EQ(of("10800"), std::chrono::hours{3});
  EXPECT_EQ(of("\"10800s\""), std::chrono::hours{3});
  EXPECT_EQ(of("\"10800ms\""), milliseconds{10'800});
}

TEST(config_server, is_not_there_when_it_is_switched_off) {
  const auto file = read_text(R"({"mcpServers": {"a": {"command": "x", "disabled": true, "args": ["${NOT_SET}"]},
    "b": {"url": "${NOT_SET}", "enabled": false}, "c": {"command": "y", "disabled": false}}})");
  EXPECT_EQ(file.problems, std::vector<config_problem>{});
  ASSERT_EQ(file.gateway.servers.size(), 1u);
  EXPECT_EQ(file.gateway.servers.front().name, "c");
  EXPECT_EQ(problems_of_server(R"("command": "x", "disabled": true, "sharing": 1)").front(),
            "f:1: error: mcpServers.a.sharing: must be a string");
}

TEST(config_server, has_a_url_that_can_be_called) {
  const std::string must = "f:2: error: mcpServers.a.url: must be a URL of http or https: the URL ";
  auto problems = [](const std::string& url) { return problems_of_server("\n\"url\": \"" + url + '"'); };
  EXPECT_EQ(problems("http://[:::]/mcp"), lines{must + "has no good host"});
  EXPECT_EQ(problems("http://h:${EMPTY}/mcp"), lines{must + "has no good port"});
  EXPECT_EQ(problems("ftp://h"), lines{must + "does not begin with http:// or https://"});
  EXPECT_EQ(problems("https://${TOKEN}@h"), lines{must + "has a user in it"});
}

TEST(config_server, ignores_what_other_clients_have) {
  server_of(
      R"("command": "x", "autoApprove": [], "alwaysAllow": [], "disabledTools": [], "description": "", "gallery": true,
    "version": "1", "dev": {}, "trust": true, "source": "custom", "settings": {}, "oauth": false, "headersHelper": null)");
}

TEST(config_server, has_headers_that_can_be_sent) {
  EXPECT_EQ(problems_of_server(
                "\"url\": \"http://h\", \"headers\": {\n\"A b\": \"\",\n\"host\": \"x\",\n\"X\": \"a\\nb\",\n"
                "\"Y\": \"1\",\n\"y\": \"2\",\n\"Mcp-Session-Id\": \"\",\n\"Z\": \"${BREAK}\",\n\"T\": \"\\t\"}"),
            (lines{"f:2: error: mcpServers.a.headers['A b']: is no name of a header",
                   "f:3: error: mcpServers.a.headers.host: is a header that the gateway sets itself",
                   "f:4: error: mcpServers.a.headers.X: must not contain line breaks or other control characters",
                   "f:6: error: mcpServers.a.headers.y: is given twice: case does not tell headers apart",
                   "f:7: error: mcpServers.a.headers.Mcp-Session-Id: is a header that the gateway sets itself",
                   "f:8: error: mcpServers.a.headers.Z: must not contain line breaks or other control characters"}));
}

} // namespace troupe::tests::config_server_test
