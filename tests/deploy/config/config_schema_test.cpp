#include "tests/deploy/config/config_driver.hpp"

#include "actors/gateway/option_table.hpp"
#include "deploy/config/config_cluster.hpp"
#include "deploy/config/config_command.hpp"
#include "deploy/config/config_gateway.hpp"
#include "deploy/config/config_remote.hpp"
#include "deploy/config/config_security.hpp"
#include "deploy/config/config_server.hpp"
#include "deploy/config/config_traces.hpp"
#include "protocol/text/json.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace troupe::tests::config_schema_test {

using namespace deploy;

namespace {

std::string schema() {
  std::ifstream file(TROUPE_SCHEMA);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The sorted keys that the schema has at this path.
lines described(std::initializer_list<std::string_view> path) {
  const auto text = schema();
  const auto properties = protocol::find_member(text, path);
  lines result;
  if (properties)
    for (protocol::object_reader members{*properties}; members.next();)
      result.emplace_back(members.key());
  std::ranges::sort(result);
  return result;
}

/// Keys of all objects that a schema describes, at any depth.
lines all_keys(std::string_view schema) { // NOLINT(misc-no-recursion)
  lines result;
  const auto add = [&](const lines& more) { result.insert(result.end(), more.begin(), more.end()); };
  if (schema.starts_with('['))
    for (protocol::array_reader array{schema}; array.next();)
      add(all_keys(array.value()));
  if (!schema.starts_with('{'))
    return result;
  for (protocol::object_reader members{schema}; members.next();) {
    if (members.key() == "properties")
      for (protocol::object_reader keys{members.value()}; keys.next();)
        result.emplace_back(keys.key());
    add(all_keys(members.value()));
  }
  return result;
}

/// Whether a row of the options of a gateway has this key.
bool has_row(std::string_view key) {
  return std::ranges::count(actors::option_table::gateway_rows, key, &protocol::option_row<gateway_options>::key) > 0;
}

lines sorted(const std::vector<std::string_view>& keys) {
  lines result(keys.begin(), keys.end());
  std::ranges::sort(result);
  return result;
}

} // namespace

TEST(config_schema, is_json) { EXPECT_EQ(protocol::json_error(schema()), std::nullopt); }

TEST(config_schema, describes_what_is_read_and_nothing_else) {
  EXPECT_EQ(described({"properties"}), sorted(file_keys()));
  EXPECT_EQ(described({"properties", "gateway", "properties"}), sorted(gateway_keys()));
  EXPECT_EQ(described({"properties", "gateway", "properties", "log", "properties"}), sorted(log_keys()));
  EXPECT_EQ(described({"properties", "gateway", "properties", "accessLog", "properties"}), sorted(access_log_keys()));
  EXPECT_EQ(described({"properties", "gateway", "properties", "auth", "properties"}), sorted(auth_keys()));
  EXPECT_EQ(described({"properties", "gateway", "properties", "auth", "properties", "introspection", "properties"}),
            sorted(introspection_keys()));
  EXPECT_EQ(described({"properties", "gateway", "properties", "admin", "properties"}), sorted(admin_keys()));
  EXPECT_EQ(described({"properties", "gateway", "properties", "traces", "properties"}), sorted(traces_keys()));
  EXPECT_EQ(described({"properties", "gateway", "properties", "tls", "properties"}), sorted(tls_keys()));
  EXPECT_EQ(described({"properties", "gateway", "properties", "limits", "properties"}), sorted(limits_keys()));
  EXPECT_EQ(described({"properties", "gateway", "properties", "limits", "properties", "perAddress", "properties"}),
            sorted(address_limits_keys()));
  EXPECT_EQ(described({"properties", "gateway", "properties", "cluster", "properties"}),
            sorted(cluster_section_keys()));
  EXPECT_EQ(described({"properties", "gateway", "properties", "cluster", "properties", "tls", "properties"}),
            sorted(cluster_tls_keys()));
  EXPECT_EQ(described({"$defs", "server", "properties"}), sorted(server_keys()));
  EXPECT_EQ(described({"$defs", "server", "properties", "tools", "properties"}), sorted(tools_keys()));
  EXPECT_EQ(described({"$defs", "server", "properties", "limits", "properties"}), sorted(process_limits_keys()));
  EXPECT_EQ(described({"$defs", "server", "properties", "auth", "properties"}), sorted(grant_keys()));
  EXPECT_EQ(described({"$defs", "server", "properties", "access", "properties"}), sorted(access_keys()));
  EXPECT_EQ(described({"$defs", "allowedCallers", "properties"}), sorted(allowed_callers_keys()));
}

TEST(config_schema, describes_how_a_server_is_started_again) {
  const auto text = schema();
  const auto shapes = protocol::find_member(text, {"$defs", "server", "properties", "restart", "anyOf"});
  ASSERT_TRUE(shapes);
  lines keys;
  for (protocol::array_reader shape{*shapes}; shape.next();)
    if (const auto properties = protocol::find_member(shape.value(), {"properties"}))
      for (protocol::object_reader members{*properties}; members.next();)
        keys.emplace_back(members.key());
  std::ranges::sort(keys);
  EXPECT_EQ(keys, sorted(restart_keys()));
}

TEST(config_schema, describes_no_key_that_is_not_known) {
  for (const auto& key : described({"properties"}))
    for (const auto& line : problems_of("{\"" + key + "\": 1}"))
      EXPECT_EQ(line.find("is not known"), std::string::npos) << line;
  for (const auto& key : described({"$defs", "server", "properties"}))
    for (const auto& line : problems_of_server('"' + key + "\": 1"))
      EXPECT_EQ(line.find("is not known"), std::string::npos) << line;
}

// Keys of rows are left out: one reader reads all of a type.
TEST(config_schema, has_keys_without_a_row_in_a_seed_of_the_fuzzer) {
  std::ifstream file(std::filesystem::path(TROUPE_SCHEMA).parent_path() / "../tests/fuzz/seeds/config/all-keys.json");
  const std::string seed{std::istreambuf_iterator<char>(file), {}};
  std::size_t count = 0;
  for (const auto& key : all_keys(schema()))
    if (!has_row(key)) {
      EXPECT_NE(seed.find(protocol::quoted(key) + ':'), std::string::npos) << key;
      ++count;
    }
  EXPECT_GE(count, 100);
}

} // namespace troupe::tests::config_schema_test
