#include "tests/deploy/config/config_driver.hpp"

#include "deploy/config/config_gateway.hpp"

namespace troupe::tests::config_file_test {

using namespace deploy;

using std::chrono::milliseconds;

TEST(config_file, has_the_servers_of_both_shapes_in_their_order) {
  const auto file = read_text(R"({"servers": {"c": {"command": "x"}}, "inputs": [], "$schema": "x",
    "mcpServers": {"b": {"url": "http://h"}, "a": {"command": "y"}}})");
  lines names;
  for (const auto& server : file.gateway.servers)
    names.push_back(server.name);
  EXPECT_EQ(file.problems, std::vector<config_problem>{});
  EXPECT_EQ(names, (lines{"c", "b", "a"}));
  EXPECT_TRUE(file.gateway.merge);
}

TEST(config_file, may_have_comments_and_trailing_commas) {
  EXPECT_EQ(problems_of("\xef\xbb\xbf// servers\n{\"mcpServers\": {\"a\": {\"command\": \"x\", /* y */},},\n}"),
            lines{});
}

TEST(config_file, has_its_syntax_errors_on_their_lines) {
  EXPECT_EQ(problems_of("{\n\"mcpServers\": {,\n}}"), lines{"f:2: error: is no valid JSON: syntax error"});
  EXPECT_EQ(problems_of("{\n\"a\": 1\n"), lines{"f:2: error: is no valid JSON: incomplete JSON"});
  EXPECT_EQ(problems_of(""), lines{"f:1: error: is no valid JSON: incomplete JSON"});
  EXPECT_EQ(problems_of("{}\n\n{}"), lines{"f:3: error: is no valid JSON: extra data"});
}

TEST(config_file, is_an_object) { EXPECT_EQ(problems_of("[]"), lines{"f:1: error: must be an object"}); }

TEST(config_file, has_a_server) {
  const auto none = lines{"f:1: error: has no servers: name them in `mcpServers` or `servers`"};
  EXPECT_EQ(problems_of("{}"), none);
  EXPECT_EQ(problems_of(R"({"mcpServers": {}, "servers": {}})"), none);
  EXPECT_EQ(problems_of(R"({"mcpServers": {"a": {"command": "x", "disabled": true}}})"),
            lines{"f:1: error: has no server that is switched on"});
}

TEST(config_file, has_all_its_problems_reported) {
  EXPECT_EQ(problems_of(
                "{\n\"mcpserver\": {},\n\"servers\": {\n\"a\": 1,\n\"b\": {\"comand\": \"x\"},\n\"c/d\": {\"command\": "
                "\"x\"},\n\"e\": {\"command\": \"\"}},\n\"gateway\": {\"port\": 65536}\n}"),
            (lines{"f:2: warning: mcpserver: is not known, did you mean `mcpServers`?",
                   "f:4: error: servers.a: must be an object",
                   "f:5: warning: servers.b.comand: is not known, did you mean `command`?",
                   "f:5: error: servers.b: has neither `command` nor `url`",
                   "f:6: error: servers['c/d']: is no name for a server: it must have 1 to 64 characters, none of them "
                   "`/` or a control character, and not be `.` or `..`",
                   "f:7: error: servers.e.command: must be a string that is not empty",
                   "f:8: error: gateway.port: must be a whole number from 0 to 65535"}));
}

TEST(config_file, gives_a_name_to_one_server) {
  EXPECT_EQ(
      problems_of("{\"mcpServers\": {\"a\": {\"command\": \"x\"},\n\"a\": {\"command\": \"x\"}},\n"
                  "\"servers\": {\"a\": {\"command\": \"x\"}}}"),
      (lines{"f:2: error: mcpServers.a: is given twice", "f:3: error: servers.a: is the name of a server above, too"}));
}

TEST(config_file, keeps_the_tools_of_servers_apart) {
  auto said = [](const std::string& one, const std::string& other) {
    return problems_of(R"({"mcpServers": {)" + one + ",\n" + other + "}}");
  };
  const std::string x = R"({"command": "x"})";
  EXPECT_EQ(said(R"("a.b": )" + x, R"("a_b": )" + x),
            lines{"f:2: error: mcpServers.a_b: its tools could be named as those of `a.b`: set `prefix`"});
  EXPECT_EQ(said(R"("a__b": )" + x, R"("a": )" + x),
            lines{"f:2: error: mcpServers.a: its tools could be named as those of `a__b`: set `prefix`"});
  EXPECT_EQ(said(R"("a": )" + x, R"("b": {"command": "x", "prefix": "a"})"),
            lines{"f:2: error: mcpServers.b: its tools could be named as those of `a`: set `prefix`"});
  EXPECT_EQ(said(R"("a": )" + x, R"("a_b": )" + x), lines{});
  EXPECT_EQ(said(R"("a.b": )" + x, R"("a_b": {"command": "x", "prefix": "c"})"), lines{});
  EXPECT_EQ(said(R"("a.b": )" + x, R"("a_b": {"command": "x", "prefix": ""})"), lines{});
  EXPECT_EQ(said(R"("a": {"command": "x", "prefix": ""})", R"("b": {"command": "x", "prefix": ""})"),
            lines{"f:2: warning: mcpServers.b: has no prefix, as `a`: where both have a tool of one name, clients see "
                  "that of `a`"});
  EXPECT_EQ(said(R"("a.b": )" + x, R"("a_b": {"command": "x", "disabled": true})"), lines{});
}

TEST(config_file, sets_the_gateway) {
  const auto file = read_text(R"({"mcpServers": {"a": {"command": "x"}}, "gateway": {"host": "::1", "port": 0,
    "allowOrigins": ["https://x"], "mcpPaths": ["/m"], "ssePaths": ["/e", "/f"], "messagePaths": ["/p"],
    "healthPaths": ["/up"], "threads": 2, "maxBody": 10, "maxSessions": 11, "sessionTimeout": "1h",
    "abandonedTimeout": "2m", "leaseTime": "90s", "requestTimeout": 1.5, "initializeTimeout": "2s", "grace": 0, "streamTime": "3s",
    "listPatience": "4s", "instructionsPatience": 0, "debugState": true,
    "log": {"level": "debug", "format": "json"}}})");
  EXPECT_EQ(file.problems, std::vector<config_problem>{});
  EXPECT_EQ(file.gateway.host, "::1");
  EXPECT_EQ(file.gateway.port, 0);
  EXPECT_EQ(file.gateway.allow_origins, lines{"https://x"});
  EXPECT_EQ(file.gateway.mcp_paths, lines{"/m"});
  EXPECT_EQ(file.gateway.sse_paths, (lines{"/e", "/f"}));
  EXPECT_EQ(file.gateway.message_paths, lines{"/p"});
  EXPECT_EQ(file.gateway.health_paths, lines{"/up"});
  EXPECT_EQ(file.gateway.threads, 2u);
  EXPECT_EQ(file.gateway.max_body, 10u);
  EXPECT_EQ(file.gateway.max_sessions, 11u);
  EXPECT_EQ(file.gateway.session_timeout, std::chrono::hours{1});
  EXPECT_EQ(file.gateway.abandoned_timeout, std::chrono::minutes{2});
  EXPECT_EQ(file.gateway.lease_time, std::chrono::seconds{90});
  EXPECT_EQ(file.gateway.request_timeout, milliseconds{1500});
  EXPECT_EQ(file.gateway.initialize_timeout, milliseconds{2000});
  EXPECT_EQ(file.gateway.grace, milliseconds{0});
  EXPECT_EQ(file.gateway.stream_time, milliseconds{3000});
  EXPECT_EQ(file.gateway.list_patience, milliseconds{4000});
  EXPECT_EQ(file.gateway.instructions_patience, milliseconds{0});
  EXPECT_TRUE(file.gateway.debug_state);
  EXPECT_EQ(file.level, log_level::debug);
  EXPECT_EQ(file.format, log_format::json);
}

TEST(config_file, refuses_a_path_that_the_gateway_has_or_cannot_have) {
  EXPECT_EQ(problems_of(R"({"mcpServers": {"a": {"command": "x"}}, "gateway": {"ssePaths": ["/mcp", "e", "/e/"]}})"),
            (lines{"f:1: error: gateway.ssePaths[0]: '/mcp' is a path of the gateway's own",
                   "f:1: error: gateway.ssePaths[1]: 'e' must begin with / and not end with it",
                   "f:1: error: gateway.ssePaths[2]: '/e/' must begin with / and not end with it"}));
}

TEST(config_file, sets_the_access_log) {
  auto of = [](const std::string& section) {
    return read_text(R"({"mcpServers": {"a": {"command": "x"}}, "gateway": {"accessLog": )" + section + "}}");
  };
  EXPECT_EQ(of(R"({"file": "/var/log/a.log"})").access_log, (access_log_options{"/var/log/a.log", log_format::json}));
  EXPECT_EQ(of(R"({"file": "-", "format": "text"})").access_log, (access_log_options{"-", log_format::text}));
  auto refused = [](const std::string& section) {
    return problems_of(R"({"mcpServers": {"a": {"command": "x"}}, "gateway": {"accessLog": )" + section + "}}");
  };
  EXPECT_EQ(refused(R"({"format": "text"})"), lines{"f:1: error: gateway.accessLog: has no `file`"});
  EXPECT_EQ(refused(R"({"file": "a", "format": "xml", "fil": 1})"),
            (lines{"f:1: error: gateway.accessLog.format: must be one of text, json",
                   "f:1: warning: gateway.accessLog.fil: is not known, did you mean `file`?"}));
}

TEST(config_file, sets_limits) {
  const auto file = read_text(R"({"mcpServers": {"a": {"command": "x"}}, "gateway": {"limits": {
    "perAddress": {"requestsPerSecond": 1, "initializesPerMinute": 2, "sessions": 3, "calls": 0, "connections": 8},
    "connections": 3, "unsentBytes": 4, "eventBytes": 5, "waitingBytes": 6, "messageBytes": 2048, "processes": 7,
    "trustedProxies": ["10.0.0.0/8", "::1"]}}})");
  EXPECT_EQ(file.problems, std::vector<config_problem>{});
  limits expected;
  expected.event_bytes = 5;
  expected.waiting_bytes = 6;
  expected.message_bytes = 2048;
  expected.processes = 7;
  expected.connections = 3;
  expected.unsent_bytes = 4;
  expected.per_address = {1, 2, 3, 0, 8};
  expected.trusted_proxies = {"10.0.0.0/8", "::1"};
  EXPECT_EQ(file.gateway.limits, expected);
}

TEST(config_file, says_what_is_wrong_with_limits) {
  auto with = [](const std::string& limits) {
    return problems_of(R"({"mcpServers": {"a": {"command": "x"}}, "gateway": {"limits": {)" + limits + "}}}");
  };
  EXPECT_EQ(with(R"("perAddress": {"calls": 1000000})"), lines{});
  EXPECT_EQ(with(R"("perAddress": {"calls": 1000001})").size(), 1u);
  EXPECT_EQ(with(R"("processes": 0)").size(), 1u);
  EXPECT_EQ(with(R"("processes": 1)"), lines{});
  EXPECT_EQ(with(R"("messageBytes": 1024)"), lines{});
  EXPECT_EQ(with(R"("messageBytes": 1023)").size(), 1u);
  EXPECT_EQ(with(R"("messageBytes": 1073741824)"), lines{});
  EXPECT_EQ(with(R"("messageBytes": 1073741825)").size(), 1u);
  EXPECT_EQ(with(R"("connections": 10000001)").size(), 1u);
  EXPECT_EQ(with(R"("perAddress": {"cals": 1})"),
            lines{"f:1: warning: gateway.limits.perAddress.cals: is not known, did you mean `calls`?"});
  EXPECT_EQ(with(R"("trustedProxies": ["10.0.0.0/33"])"),
            lines{"f:1: error: gateway.limits.trustedProxies[0]: must be an address or a network such as 10.0.0.0/8"});
}

TEST(config_file, is_outranked_by_flags_that_were_given) {
  gateway_options file, line;
  file.port = 1;
  file.host = "file";
  file.grace = milliseconds{1};
  line.port = 2;
  line.host = "line";
  apply_flags(file, line, {"--port", "--watch"});
  EXPECT_EQ(file.port, 2);
  EXPECT_EQ(file.host, "file");
  EXPECT_EQ(file.grace, milliseconds{1});
}

TEST(config_file, tells_which_keys_of_the_gateway_changed) {
  auto with = [](const std::string& gateway) { return read_text(R"({"gateway": {)" + gateway + "}}"); };
  EXPECT_EQ(
      gateway_changes(with(R"("port": 1, "grace": 1)"), with(R"("port": 2, "grace": "1s", "log": {"level": "error"})")),
      (lines{"gateway.port", "gateway.log.level"}));
  EXPECT_EQ(gateway_changes(with(""), with(R"("limits": {"perAddress": {"calls": 1}})")), lines{"gateway.limits"});
  EXPECT_EQ(gateway_changes(with(""), with(R"("accessLog": {"file": "-"})")), lines{"gateway.accessLog"});
}

// -- limits ----------------------------------------------------------------------

TEST(config_file, has_a_longest_text) {
  const std::string file = one_server(R"("command": "x")");
  EXPECT_EQ(problems_of(file + std::string(longest_config - file.size(), ' ')), lines{});
  EXPECT_EQ(problems_of(file + std::string(longest_config - file.size() + 1, ' ')),
            lines{"f: error: is longer than 4194304 bytes"});
}

namespace {

/// A valid file that uses every kind of section.
constexpr std::string_view everything = R"(// servers
{"mcpServers": {"a": {"command": "~/x", "args": ["${TOKEN:-y}", "\u00e9\n"], "env": {"K": "${TOKEN}", "N": 1}, /* cwd */
 "restart": {"attempts": 2, "rest": "1.5m"}, "tools": {"allow": ["a*",]}, "prefix": null, "autoApprove": [{"a": [1]}]},},
 "servers": {"b.c": {"url": "https://[::1]:80/?q", "headers": {"A": "b"}, "type": "http", "timeout": 1e1}},
 "gateway": {"log": {"level": "info"}, "grace": 0.5, "allowOrigins": ["*"]}})";

std::string many_servers(std::size_t count) {
  std::string result = R"({"mcpServers": {)";
  for (std::size_t i = 0; i < count; ++i)
    result += "\"s" + std::to_string(i) + "\": {\"command\": \"x\"},";
  return result + "}}";
}

std::string many_unknown(std::size_t count) {
  std::string result = R"({"mcpServers": {"a": {"command": "x")";
  for (std::size_t i = 0; i < count; ++i)
    result += ",\"" + std::to_string(i) + "\": 1";
  return result + "}}}";
}

} // namespace

TEST(config_file, has_a_most_of_servers) {
  EXPECT_EQ(problems_of(many_servers(most_servers)), lines{});
  EXPECT_EQ(problems_of(many_servers(most_servers + 1)), lines{"f:1: error: has more than 1000 servers"});
}

TEST(config_file, has_a_most_of_problems) {
  EXPECT_EQ(problems_of(many_unknown(most_problems)).size(), most_problems);
  EXPECT_FALSE(has_error(read_text(many_unknown(most_problems)).problems));
  const auto more = problems_of(many_unknown(most_problems + 5));
  EXPECT_EQ(more.size(), most_problems + 1);
  EXPECT_EQ(more.back(), "f:1: error: too many problems, further ones are not shown");
}

TEST(config_file, is_refused_when_it_is_cut_short) {
  const std::string file{everything};
  EXPECT_FALSE(has_error(read_text(file).problems));
  for (std::size_t size = 0; size < file.size(); ++size)
    EXPECT_TRUE(has_error(read_text(file.substr(0, size)).problems)) << size;
}

TEST(config_file, survives_any_byte_anywhere) {
  for (const char byte : std::string_view("\0\"\\{}[],:/*$ 0n\n\xff", 18))
    for (std::size_t at = 0; at < everything.size(); ++at) {
      std::string file{everything};
      file[at] = byte;
      const auto read = read_text(file);
      EXPECT_TRUE(has_error(read.problems) || !read.gateway.servers.empty()) << at << byte;
    }
}

TEST(config_file, shows_the_beginning_of_a_long_name) {
  const std::string name(100, 'n');
  EXPECT_EQ(problems_of(R"({"servers": {"a": {"command": "x"}}, ")" + name + "\": 1}"),
            lines{"f:1: warning: " + name.substr(0, 80) + "...: is not known"});
}

TEST(config_file, says_why_it_cannot_be_read) {
  const auto missing = load_config("/no/such/file").problems;
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_EQ(problem_line("f", missing.front()), "f: error: cannot be read: No such file or directory");
  EXPECT_EQ(problem_line("f", load_config("/").problems.front()), "f: error: cannot be read: Is a directory");
}

} // namespace troupe::tests::config_file_test
