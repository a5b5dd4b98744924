#include "deploy/program/foreign_flags.hpp"

#include "deploy/program/shell_words.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace troupe::tests::foreign_flags_test {

using namespace deploy;

namespace {

using words = std::vector<std::string>;

/// The arguments translated into Troupe's flags, or the error alone.
words own(std::string_view line, bool server_behind_dashes = false) {
  auto result = translate_flags(*shell_words(line), server_behind_dashes);
  return result.problem.empty() ? result.words : words{"problem", result.problem};
}

/// Expects an error that begins with the flag and contains the text.
void expect_refused(std::string_view line, std::string_view flag, std::string_view advice) {
  const auto result = translate_flags(*shell_words(line), true);
  EXPECT_TRUE(result.problem.starts_with(flag)) << result.problem;
  EXPECT_NE(result.problem.find(advice), std::string::npos) << result.problem;
  EXPECT_TRUE(result.words.empty()) << line;
}

} // namespace

TEST(foreign_flags, leave_own_ones_as_they_are) {
  const words own_line{"serve", "--port", "80", "--session-timeout=1h", "--allow-origin", "*"};
  EXPECT_EQ(translate_flags(own_line, true).words, own_line);
}

TEST(foreign_flags, leave_other_commands_alone) {
  for (const auto* line : {"check --debug x", "sessions --sse", "key new --stateful", "walk --cors"})
    EXPECT_EQ(own(line), *shell_words(line)) << line;
}

TEST(foreign_flags, leave_help_and_version_to_the_program) {
  for (const auto* line : {"--help", "-h", "--version"})
    EXPECT_EQ(own(line), words{line});
  EXPECT_EQ(own(""), words{});
}

TEST(foreign_flags, have_serve_put_before_them) {
  EXPECT_EQ(own("--stdio 'my server' --port 8000"), (words{"serve", "--stdio", "my server", "--port", "8000"}));
  EXPECT_EQ(own("", true), words{"serve"}) << "troupe -- server";
}

TEST(foreign_flags, of_supergateway_are_renamed) {
  EXPECT_EQ(own("--stdio s --ssePath /events --messagePath=/post --streamableHttpPath /m --healthEndpoint /up "
                "/live --logLevel none"),
            (words{"serve", "--stdio", "s", "--sse-path=/events", "--message-path=/post", "--mcp-path=/m",
                   "--health-path=/up", "--health-path=/live", "--log-level=none"}));
}

TEST(foreign_flags, count_milliseconds_where_the_others_do) {
  EXPECT_EQ(own("--sessionTimeout 60000 --requestTimeout=5000"),
            (words{"serve", "--session-timeout=60000ms", "--request-timeout=5000ms"}));
  EXPECT_EQ(own("--sessionTimeout 1m"), (words{"serve", "--session-timeout=1m"}));
  EXPECT_EQ(own("--session-timeout 60"), (words{"serve", "--session-timeout", "60"})) << "of Troupe: seconds";
}

TEST(foreign_flags, say_what_troupe_does_always) {
  EXPECT_EQ(own("--stdio s --outputTransport streamableHttp --stateful"), (words{"serve", "--stdio", "s"}));
  EXPECT_EQ(own("--server stream --port 1"), (words{"serve", "--port", "1"}));
}

TEST(foreign_flags, admit_origins_by_cors) {
  EXPECT_EQ(own("--cors --port 1"), (words{"serve", "--allow-origin=*", "--port", "1"}));
  EXPECT_EQ(own("--cors https://a --cors=https://b"),
            (words{"serve", "--allow-origin=https://a", "--allow-origin=https://b"}));
  EXPECT_EQ(own("--cors"), (words{"serve", "--allow-origin=*"}));
  EXPECT_EQ(own("--cors https://a https://b --port 1"),
            (words{"serve", "--allow-origin=https://a", "--allow-origin=https://b", "--port", "1"}));
  expect_refused("--cors '/a.*/'", "--cors", "--allow-origin");
}

TEST(foreign_flags, connect_a_remote_server_to_stdio) {
  EXPECT_EQ(own("--streamableHttp https://x/mcp --oauth2Bearer t"),
            (words{"connect", "https://x/mcp", "--header=Authorization: Bearer t"}));
  EXPECT_EQ(own("--sse https://x/sse --outputTransport stdio -H X-A b"),
            (words{"connect", "https://x/sse", "--header", "X-A: b"}));
  EXPECT_EQ(own("https://x/sse --headers Authorization 'Bearer t'"),
            (words{"connect", "https://x/sse", "--header", "Authorization: Bearer t"}));
  EXPECT_EQ(own("--headers Authorization 'Bearer t' https://x/sse"),
            (words{"connect", "--header", "Authorization: Bearer t", "https://x/sse"}));
  EXPECT_EQ(own("--debug --transport=streamablehttp https://x/mcp"),
            (words{"connect", "--log-level=debug", "https://x/mcp", "--transport=http"}));
  EXPECT_EQ(own("connect https://x/mcp --transport sse"), (words{"connect", "https://x/mcp", "--transport=sse"}));
}

TEST(foreign_flags, serve_where_a_url_is_the_value_of_a_flag) {
  EXPECT_EQ(own("--allow-origin https://x --transport sse", true), (words{"serve", "--allow-origin", "https://x"}));
}

TEST(foreign_flags, serve_a_remote_server_when_it_is_to_be_served) {
  EXPECT_EQ(own("--sse https://x/sse --outputTransport streamableHttp --port 1"),
            (words{"serve", "--url=https://x/sse", "--port", "1"}));
  EXPECT_EQ(own("serve --streamableHttp https://x/mcp"), (words{"serve", "--url=https://x/mcp"}));
}

TEST(foreign_flags, of_mcp_proxy_take_names_and_values_as_two_words) {
  EXPECT_EQ(own("-e KEY value --env OTHER=x --named-server a 'cmd b'", true),
            (words{"serve", "--env", "KEY=value", "--env", "OTHER=x", "--named-server", "a", "cmd b"}));
  EXPECT_EQ(own("--sse-host 0.0.0.0 --sse-port 8096 --named-server-config f.json --debug"),
            (words{"serve", "--host=0.0.0.0", "--port=8096", "--config=f.json", "--log-level=debug"}));
}

TEST(foreign_flags, leave_the_flag_behind_a_name_without_a_value_alone) {
  EXPECT_EQ(own("serve -e NAME -c mcp.json"), (words{"serve", "--env", "NAME", "-c", "mcp.json"}));
}

TEST(foreign_flags, of_other_meaning_are_refused_with_what_to_use) {
  expect_refused("--baseUrl https://x", "--baseUrl", "leave it out");
  expect_refused("--apiKey secret", "--apiKey", "troupe key new");
  expect_refused("--stateless", "--stateless", "2026-07-28");
  expect_refused("--no-verify-ssl", "--no-verify-ssl", "caFile");
  expect_refused("--stdio s --outputTransport ws", "--outputTransport", "WebSocket");
  expect_refused("--outputTransport tcp", "--outputTransport", "'tcp'");
  expect_refused("--stdio s --outputTransport stdio", "--outputTransport", "troupe connect URL");
  expect_refused("--stateful=false", "--stateful", "no value");
  expect_refused("--debug=false", "--debug", "no value");
}

TEST(foreign_flags, never_repeat_a_secret) {
  EXPECT_EQ(translate_flags({"--apiKey", "hidden"}, true).problem.find("hidden"), std::string::npos);
}

TEST(foreign_flags, say_that_a_value_is_missing) {
  for (const auto* flag :
       {"--ssePath", "--sessionTimeout", "--streamableHttp", "--oauth2Bearer", "-e", "--healthEndpoint"})
    expect_refused(flag, flag, "missing");
}

} // namespace troupe::tests::foreign_flags_test
