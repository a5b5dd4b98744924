#include "deploy/import/secrets.hpp"
#include "protocol/text/found_secrets.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::secrets_test {

using namespace deploy;

namespace {

namespace json = boost::json;

json::object object(const std::string& text) { return json::parse(text).as_object(); }

std::optional<std::string> unset(const std::string&) { return std::nullopt; }

/// The entry of the server `a` after its secrets were moved out.
struct taken_alone {
  explicit taken_alone(const std::string& text) : entry(object(text)) { taker.extract_from("a", entry); }

  secret_taker taker{"", unset};
  json::object entry;
};

} // namespace

TEST(secrets, are_counted_in_all_parts_of_an_entry) {
  EXPECT_EQ(
      count_secrets(object(R"({"env": {"A_KEY": "abcdefgh", "N": 1}, "headers": {"Authorization": "Bearer abcdefgh"},
    "args": ["--token", "abcdefgh", "--api-key=abcdefgh", "abcdefgh"], "url": "https://u:p@host/mcp"})")),
      5u);
  EXPECT_EQ(count_secrets(object(R"({"url": "https://host/mcp?api_key=abcdefgh"})")), 1u);
  EXPECT_EQ(count_secrets(object(R"({"url": "https://host/mcp?q=abcdefgh&x", "args": ["--tokens"], "env": []})")), 0u);
}

TEST(secrets, are_replaced_by_variables) {
  auto entry = object(R"({"env": {"A_KEY": "abcdefgh", "PLAIN": "x"}, "headers": {"Authorization": "Bearer abcdefgi"},
    "args": ["--token", "abcdefgj", "--api-key=abcdefgk", "y"]})");
  auto other = object(R"({"env": {"A_KEY": "another1", "B_KEY": "abcdefgh", "C_KEY": "it's mine"}})");
  secret_taker taker{"", unset};
  taker.extract_from("my server", entry);
  taker.extract_from("other", other);
  EXPECT_EQ(entry, object(R"({"env": {"A_KEY": "${MCP_MY_SERVER_A_KEY}", "PLAIN": "x"},
    "headers": {"Authorization": "Bearer ${MCP_MY_SERVER_AUTHORIZATION}"},
    "args": ["--token", "${MCP_MY_SERVER_TOKEN}", "--api-key=${MCP_MY_SERVER_API_KEY}", "y"]})"));
  EXPECT_EQ(other, object(R"({"env": {"A_KEY": "${MCP_OTHER_A_KEY}", "B_KEY": "${MCP_MY_SERVER_A_KEY}",
    "C_KEY": "it's mine"}})"));
  EXPECT_EQ(secrets_text(taker.taken()), "MCP_MY_SERVER_API_KEY='abcdefgk'\n"
                                         "MCP_MY_SERVER_AUTHORIZATION='abcdefgi'\n"
                                         "MCP_MY_SERVER_A_KEY='abcdefgh'\n"
                                         "MCP_MY_SERVER_TOKEN='abcdefgj'\n"
                                         "MCP_OTHER_A_KEY='another1'\n");
}

TEST(secrets, are_found_behind_flags_that_name_them) {
  const taken_alone one{R"({"args": ["mcp-remote", "https://x.example/mcp", "--header",
    "Authorization: Bearer ghp_0123456789abcdefghij", "-H", "X-Api-Key:abcdefgh", "--header=X-Auth: abcdefgi",
    "-e", "GITLAB_TOKEN=abcdefgj", "-e", "LOG=abcdefgh", "--header", "Accept: application/json"]})"};
  EXPECT_EQ(one.entry, object(R"({"args": ["mcp-remote", "https://x.example/mcp", "--header",
    "Authorization: Bearer ${MCP_A_AUTHORIZATION}", "-H", "X-Api-Key:${MCP_A_X_API_KEY}",
    "--header=X-Auth: ${MCP_A_X_AUTH}", "-e", "GITLAB_TOKEN=${MCP_A_GITLAB_TOKEN}", "-e", "LOG=abcdefgh", "--header",
    "Accept: application/json"]})"));
  EXPECT_EQ(count_secrets(object(R"({"headers": {"Authorization": "Own a b"}, "args": ["-=-=-="]})")), 0u);
  EXPECT_EQ(count_secrets(object(R"({"headers": {"Authorization": "Own abcdefgh"}})")), 1u);
}

TEST(secrets, are_found_in_the_middle_of_texts) {
  const taken_alone one{R"({"env": {"JSON": "{\"B\": \"Bearer ntn_0123456789abcdef\", \"C\": \"bearer a1+/b2=xyz\"}",
    "X": "${sk-0123456789abcdefgh} sk-learn-documentation"}})"};
  EXPECT_EQ(one.entry,
            object(R"({"env": {"JSON": "{\"B\": \"Bearer ${MCP_A_JSON_2}\", \"C\": \"bearer ${MCP_A_JSON}\"}",
    "X": "${sk-0123456789abcdefgh} sk-learn-documentation"}})"));
  EXPECT_EQ(one.taker.taken(), (taken_secrets{{"MCP_A_JSON", "a1+/b2=xyz"}, {"MCP_A_JSON_2", "ntn_0123456789abcdef"}}));
}

TEST(secrets, are_found_in_urls) {
  const taken_alone one{R"({"args": ["postgresql://u:hunter2secret@db/x", "https://h/mcp?q=abcdefgh&api_key=abcdefgi#x",
    "ssh://git@github.com/x", "redis://:${R}@h", "redis://${U:-x}:${P}@h", "redis://${U:-x}:pw@h", "a&key=abcdefgh"]})"};
  EXPECT_EQ(one.entry, object(R"({"args": ["postgresql://u:${MCP_A}@db/x",
    "https://h/mcp?q=abcdefgh&api_key=${MCP_A_API_KEY}#x", "ssh://git@github.com/x", "redis://:${R}@h", "redis://${U:-x}:${P}@h", "redis://${U:-x}:${MCP_A_2}@h",
    "a&key=abcdefgh"]})"));
  EXPECT_EQ(count_secrets(object(R"({"url": "https://h/ghp_0123456789abcdef/mcp"})")), 1u);
  std::string many = "://";
  while (many.size() < 1024 * 1024)
    many += "a@b://?&${bearer ";
  EXPECT_EQ(protocol::secrets_in("", many).size(), 0u);
}

TEST(secrets, get_no_name_that_a_shell_or_a_loader_goes_by) {
  for (const std::string name : {"PROMPT_COMMAND", "BASH_ENV", "LD_PRELOAD", "PATH"})
    for (const auto& server : {std::string("a"), name.substr(0, name.find('_')), name}) {
      auto entry = object(R"({"env": {")" + name + R"(": "hf_0123456789ab;touch$IFS/x"}})");
      secret_taker taker{"", unset};
      taker.extract_from(server, entry);
      ASSERT_EQ(taker.taken().size(), 1u);
      EXPECT_TRUE(taker.taken().begin()->first.starts_with("MCP_"));
    }
}

TEST(secrets, do_not_share_a_variable_that_is_there_already) {
  auto entry = object(R"({"env": {"KEY": "secretofb123", "TOKEN": "secretofb124", "AUTH": "secretofb125"}})");
  secret_taker taker{"${MCP_B_KEY:-x}", [](const std::string& name) {
                       return name == "MCP_B_TOKEN"  ? std::optional<std::string>("of somebody else")
                              : name == "MCP_B_AUTH" ? std::optional<std::string>("secretofb125")
                                                     : std::nullopt;
                     }};
  taker.extract_from("b", entry);
  EXPECT_EQ(entry,
            object(R"({"env": {"KEY": "${MCP_B_KEY_2}", "TOKEN": "${MCP_B_TOKEN_2}", "AUTH": "${MCP_B_AUTH}"}})"));
}

} // namespace troupe::tests::secrets_test
