#include "tests/deploy/config/config_driver.hpp"

#include "deploy/config/config_cluster.hpp"
#include "deploy/config/config_gateway.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace troupe::tests::config_cluster_test {

using namespace deploy;

namespace {

const std::string key = R"("key": "0123456789abcdef")";

/// A file with one server, and a section `gateway.cluster` with these members on its second line.
std::string with_cluster(const std::string& members, const std::string& server = {}) {
  return R"({"mcpServers": {"a": {"command": "x")" + server + "}}, \"gateway\": {\"cluster\": {\n" + members + "}}}";
}

config_file cluster_file(const std::string& members) {
  auto file = read_text(with_cluster(members));
  for (const auto& problem : file.problems)
    ADD_FAILURE() << problem_line("f", problem);
  return file;
}

/// The cluster options of these members; fails on errors.
cluster_options cluster_of(const std::string& members) { return *cluster_file(members).gateway.cluster; }

lines problems_of_cluster(const std::string& members, const std::string& server = {}) {
  return problems_of(with_cluster(members, server));
}

/// The problems of the file together with these flags.
lines problems_with(const std::string& members, const cluster_options& line, const std::set<std::string>& given) {
  flagged_options flags;
  flags.options.cluster = line;
  flags.given = given;
  lines result;
  for (const auto& problem : read_config(with_cluster(members), "/", test_variable, flags).problems)
    result.push_back(problem_line("f", problem));
  return result;
}

/// A file for a secret.
class secret_file : public testing::Test {
protected:
  ~secret_file() override { std::filesystem::remove_all(directory_); }

  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
  std::string members() const { return R"("node": "a", "keyFile": ")" + path_ + '"'; }
  std::string key_of(const std::string& text) const {
    write(text);
    return cluster_of(members()).key;
  }
  lines problems_with_file(const std::string& text) const {
    write(text);
    return problems_of_cluster(members());
  }

  static std::string new_directory() {
    std::string result = testing::TempDir() + "troupe-XXXXXX";
    return ::mkdtemp(result.data());
  }

  std::string directory_ = new_directory();
  std::string path_ = directory_ + "/key";
};

} // namespace

TEST(config_cluster, is_none_unless_it_is_named) {
  EXPECT_FALSE(read_text(one_server(R"("command": "x")")).gateway.cluster);
}

TEST(config_cluster, has_defaults) {
  const auto cluster = cluster_of(R"("node": "n", )" + key);
  EXPECT_EQ(cluster.name, "n");
  EXPECT_EQ(cluster.host, "127.0.0.1");
  EXPECT_EQ(cluster.port, 7946);
  EXPECT_EQ(cluster.key, "0123456789abcdef");
  EXPECT_EQ(cluster.heartbeat, std::chrono::seconds{5});
  EXPECT_FALSE(cluster.plain);
}

TEST(config_cluster, has_all_its_keys_read) {
  const auto cluster =
      cluster_of(R"("node": "n", "listen": "[::]:1", "advertise": "[fd00::1]:2", "join": ["a:1", "b:2,c:3"],
    "tls": {"cert": "/dev/null", "key": "/dev/null", "ca": "/dev/null"}, "plain": true, "heartbeat": "250ms",
    "store": "rediss://u:${TOKEN}@h", "storeCa": "/dev/null", )" +
                 key);
  EXPECT_EQ(cluster.host, "::");
  EXPECT_EQ(cluster.port, 1);
  EXPECT_EQ(cluster.advertise, "[fd00::1]:2");
  EXPECT_EQ(cluster.join, (lines{"a:1", "b:2", "c:3"}));
  EXPECT_EQ(cluster.certificate, "/dev/null");
  EXPECT_EQ(cluster.private_key, "/dev/null");
  EXPECT_EQ(cluster.ca_file, "/dev/null");
  EXPECT_TRUE(cluster.plain);
  EXPECT_EQ(cluster.heartbeat, std::chrono::milliseconds{250});
  EXPECT_EQ(cluster.store, "rediss://u:s3cret@h");
  EXPECT_EQ(cluster.store_ca_file, "/dev/null");
}

TEST(config_cluster, has_variables) {
  const auto cluster = cluster_of(R"("node": "${TOKEN}-0", "join": "${NOT_SET:-a:1,b:2}", )" + key);
  EXPECT_EQ(cluster.name, "s3cret-0");
  EXPECT_EQ(cluster.join, (lines{"a:1", "b:2"}));
  EXPECT_EQ(problems_of_cluster(R"("node": "${NOT_SET}", )" + key),
            lines{"f:2: error: gateway.cluster.node: the environment variable `NOT_SET` is not set"});
}

TEST(config_cluster, has_its_problems_at_its_keys) {
  EXPECT_EQ(problems_of_cluster("\"node\": \"a b\",\n\"listen\": \"::1:1\",\n\"join\": \"a:1,\",\n\"key\": \"short\",\n"
                                "\"heartbeat\": \"1h\",\n\"store\": \"http://h\",\n\"stor\": 1"),
            (lines{"f:2: error: gateway.cluster.node: must have 1 to 64 letters, digits, `.`, `_` and `-`, and nothing "
                   "else",
                   "f:3: error: gateway.cluster.listen: must be HOST:PORT, such as 127.0.0.1:7946, node-1:7946 or "
                   "[::1]:7946",
                   "f:4: error: gateway.cluster.join: must be HOST:PORT, such as 127.0.0.1:7946, node-1:7946 or "
                   "[::1]:7946",
                   "f:5: error: gateway.cluster.key: must have at least 16 bytes, such as those of `openssl rand -hex "
                   "32`",
                   "f:6: error: gateway.cluster.heartbeat: must be 0.2 to 300 seconds",
                   "f:7: error: gateway.cluster.store: must be redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE], or "
                   "rediss://: the URL begins with neither redis:// nor rediss://",
                   "f:8: warning: gateway.cluster.stor: is not known, did you mean `store`?"}));
}

TEST(config_cluster, has_what_is_missing_reported_at_the_section) {
  EXPECT_EQ(problems_of_cluster(""),
            (lines{"f:1: error: gateway.cluster.node: is missing: each node of a cluster has a name of its own",
                   "f:1: error: gateway.cluster.keyFile: is missing: the nodes of a cluster have one secret, such as "
                   "`openssl rand -hex 32`"}));
  EXPECT_EQ(problems_of_cluster(R"("node": "a", "tls": {"cert": "/dev/null", "key": "/dev/null"}, )" + key),
            lines{"f:1: error: gateway.cluster.tls.ca: is missing: TLS takes `gateway.cluster.tls.cert`, "
                  "`gateway.cluster.tls.key` and `gateway.cluster.tls.ca`"});
}

TEST(config_cluster, is_refused_when_it_is_open_beyond_this_machine) {
  EXPECT_EQ(problems_of_cluster(R"("node": "a", "listen": "10.0.0.1:1", )" + key),
            lines{"f:2: error: gateway.cluster.listen: is beyond this machine, and nodes have no certificates: whoever "
                  "learns the key and reaches this address controls the gateway: give `gateway.cluster.tls.cert`, "
                  "`gateway.cluster.tls.key` and "
                  "`gateway.cluster.tls.ca`, or `gateway.cluster.plain`"});
}

TEST(config_cluster, has_one_key) {
  EXPECT_EQ(problems_of_cluster(R"("node": "a", )" + key + R"(, "keyFile": "/dev/null")"),
            lines{"f:2: error: gateway.cluster.keyFile: is given in two ways: use one of them"});
}

TEST(config_cluster, has_several_keys_while_they_are_changed) {
  const auto two = R"("node": "a", "key": ["0123456789abcdef", "${NOT_SET:-0123456789ABCDEF}"])";
  EXPECT_EQ(cluster_of(two).key, "0123456789abcdef\n0123456789ABCDEF");
  const std::string place = "f:2: error: gateway.cluster.key: ";
  EXPECT_EQ(problems_of_cluster(R"("node": "a", "key": ["0123456789abcdef", "short"])"),
            lines{place +
                  "has a key a line, and line 2 must have at least 16 bytes, such as those of `openssl rand -hex "
                  "32`"});
  EXPECT_EQ(problems_of_cluster(R"("node": "a", "key": [])"),
            lines{place + "is missing: the nodes of a cluster have one secret, such as `openssl rand -hex 32`"});
}

TEST(config_cluster, says_which_file_cannot_be_read) {
  EXPECT_EQ(
      problems_of_cluster("\"node\": \"a\", \"keyFile\": \"none\",\n\"tls\": {\"cert\": \"/\", \"key\": \"/dev/null\", "
                          "\"ca\": \"/dev/null\"}"),
      (lines{"f:2: error: gateway.cluster.keyFile: cannot be read: No such file or directory",
             "f:3: error: gateway.cluster.tls.cert: cannot be read: Is a directory"}));
}

TEST_F(secret_file, is_taken_over_and_remembered) {
  const std::string two = "0123456789abcdef\n0123456789ABCDEF\n";
  EXPECT_EQ(key_of(two), two);
  EXPECT_EQ(cluster_of(members()).key_file, path_);
  EXPECT_EQ(cluster_of(R"("node": "a", )" + key).key_file, "");
}

TEST_F(secret_file, is_examined) {
  const std::string secret = "0123456789abcdef";
  const std::string place = "f:2: error: gateway.cluster.keyFile: ";
  EXPECT_EQ(problems_with_file(secret + "\r\n"), lines{});
  EXPECT_EQ(problems_with_file(secret + "\n\n"), lines{place + "has a key a line, and line 2 is empty"});
  EXPECT_EQ(problems_with_file(std::string(4096, 'k') + "\r\n"), lines{});
  EXPECT_EQ(problems_with_file(std::string(4097, 'k')), lines{place + "must have at most 4096 bytes"});
  EXPECT_EQ(problems_with_file(std::string(1'000'000, '\n')), lines{place + "must have at most 4 keys, one a line"});
  EXPECT_EQ(problems_with_file(""),
            lines{place + "is missing: the nodes of a cluster have one secret, such as `openssl rand -hex 32`"});
}

TEST_F(secret_file, is_read_again_by_itself) {
  write("0123456789abcdef");
  const auto before = cluster_file(members());
  write("0123456789abcdef\n0123456789ABCDEF");
  EXPECT_EQ(gateway_changes(before, cluster_file(members())), lines{});
  EXPECT_EQ(gateway_changes(before, cluster_file(R"("node": "a", )" + key)), lines{"gateway.cluster.keyFile"});
}

// -- recovery --------------------------------------------------------------------

TEST(config_cluster, has_a_store_where_sessions_are_restored) {
  const std::string restored = R"(, "recovery": "restore")";
  EXPECT_EQ(problems_of_cluster(R"("node": "a", "store": "redis://h", )" + key, restored), lines{});
  EXPECT_EQ(problems_of_cluster(R"("node": "a", "store": "redis://h", )" + key, restored + R"(, "sharing": "shared")"),
            lines{});
  const auto none = lines{"f:1: error: mcpServers.a: `recovery` is `restore`, which takes a store: give "
                          "`gateway.cluster.store` or --store"};
  EXPECT_EQ(problems_of_cluster(R"("node": "a", )" + key, restored), none);
  EXPECT_EQ(problems_of_server(R"("command": "x")" + restored), none);
}

TEST(config_cluster, leaves_sessions_alone_unless_told) {
  EXPECT_EQ(server_of(R"("command": "x")").recovery, recovery::none);
  EXPECT_EQ(server_of(R"("command": "x", "recovery": "none")").recovery, recovery::none);
  EXPECT_EQ(problems_of_server(R"("command": "x", "recovery": "always")"),
            lines{"f:1: error: mcpServers.a.recovery: must be one of none, restore"});
}

// -- flags -----------------------------------------------------------------------

TEST(config_cluster, is_outranked_key_by_key) {
  std::optional<cluster_options> file, line;
  apply_flags(file, line, {"--port"});
  EXPECT_FALSE(file);
  file.emplace().name = "file";
  file->key = "file";
  line.emplace().name = "line";
  line->host = "::1";
  line->port = 1;
  apply_flags(file, line, {"--node", "--cluster-listen"});
  EXPECT_EQ(file->name, "line");
  EXPECT_EQ(file->key, "file");
  EXPECT_EQ(file->host, "::1");
  EXPECT_EQ(file->port, 1);
}

TEST(config_cluster, may_be_completed_by_flags) {
  cluster_options line;
  line.name = "a";
  EXPECT_EQ(problems_with(key, line, {"--node"}), lines{});
}

TEST(config_cluster, calls_a_flag_a_flag) {
  cluster_options line;
  line.name = "a b";
  EXPECT_EQ(problems_with(key, line, {"--node"}),
            lines{"f: error: --node: must have 1 to 64 letters, digits, `.`, `_` and `-`, and nothing else"});
}

TEST(config_cluster, tells_which_of_its_keys_changed) {
  const auto before = cluster_file(R"("node": "a", "listen": "127.0.0.1:1", )" + key);
  const auto after = cluster_file(R"("node": "b", "listen": "127.0.0.1:2", "join": "a:1", )" + key);
  EXPECT_EQ(gateway_changes(before, before), lines{});
  EXPECT_EQ(gateway_changes(before, after),
            (lines{"gateway.cluster.node", "gateway.cluster.listen", "gateway.cluster.join"}));
}

} // namespace troupe::tests::config_cluster_test
