#include "tests/deploy/config/config_driver.hpp"

#include "deploy/config/config_cluster.hpp"
#include "deploy/config/config_command.hpp"
#include "deploy/config/config_gateway.hpp"
#include "deploy/config/config_remote.hpp"
#include "deploy/config/config_security.hpp"
#include "deploy/config/config_server.hpp"
#include "deploy/config/config_traces.hpp"
#include "protocol/text/json.hpp"

#include <algorithm>
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

} // namespace troupe::tests::config_schema_test
