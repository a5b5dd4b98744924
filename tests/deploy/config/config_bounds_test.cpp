#include "tests/deploy/config/config_driver.hpp"

#include "deploy/config/config_gateway.hpp"
#include "protocol/text/words.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::tests::config_bounds_test {

using namespace deploy;
namespace json = boost::json;

namespace {

using path = std::vector<std::string>;

/// Place of an option in the schema, and its path in a file.
struct option {
  path at;
  const json::object* schema;
};

const json::value& whole_schema() {
  static const json::value all = [] {
    std::ifstream file(TROUPE_SCHEMA);
    return json::parse(std::string{std::istreambuf_iterator<char>(file), {}});
  }();
  return all;
}

/// The schema that `$ref` names, unless this one has bounds or forms of its own.
const json::object& resolved(const json::object& schema) {
  const auto* ref = schema.if_contains("$ref");
  if (!ref || schema.contains("anyOf"))
    return schema;
  const auto* at = &whole_schema();
  for (const auto key : protocol::words_in(std::string_view{ref->as_string()}.substr(1), "/"))
    at = &at->at(key);
  return at->as_object();
}

/// Adds an option and those in it.
void add_options(const option& one, std::vector<option>& out) {
  out.push_back(one);
  const auto& schema = resolved(*one.schema);
  if (const auto* forms = schema.if_contains("anyOf"))
    for (const auto& form : forms->as_array())
      add_options({one.at, &form.as_object()}, out);
  if (const auto* properties = schema.if_contains("properties"))
    for (const auto& [name, value] : properties->as_object()) {
      auto at = one.at;
      at.emplace_back(name);
      if (value.is_object())
        add_options({at, &value.as_object()}, out);
    }
}

/// Options of a gateway and of the server `a`.
const std::vector<option>& all_options() {
  static const std::vector<option> all = [] {
    std::vector<option> result;
    add_options({{"gateway"}, &whole_schema().at("properties").at("gateway").as_object()}, result);
    add_options({{"mcpServers", "a"}, &whole_schema().at("$defs").at("server").as_object()}, result);
    return result;
  }();
  return all;
}

std::string name_of(const path& at) {
  std::string result;
  for (const auto& one : at)
    result += (result.empty() ? "" : ".") + one;
  return result;
}

/// A file that has this value, or nothing, in this place.
config_file file_with(const path& at, const json::value* value) {
  json::object root;
  auto* in = &root;
  for (std::size_t i = 0; i + 1 < at.size(); ++i) {
    in = &(*in)[at[i]].emplace_object();
    if (i == 1 && at[0] == "mcpServers")
      (*in)[at[2] == "connections" ? "url" : "command"] = "http://x";
  }
  if (value)
    (*in)[at.back()] = *value;
  return read_text(json::serialize(root));
}

bool is_refused(const path& at, const json::value& value) {
  const auto file = file_with(at, &value);
  return std::ranges::any_of(
      file.problems, [&](auto& problem) { return problem.severity == severity::error && problem.key == name_of(at); });
}

/// The numbers just outside of the bounds are refused, those just inside are not.
void expect_bounds(const path& at, const json::object& schema) {
  const auto is_whole = schema.contains("type") && schema.at("type") == "integer";
  const auto shifted = [&](const json::value& bound, int steps) {
    return is_whole ? json::value(bound.as_int64() + steps) : json::value(bound.to_number<double>() + steps / 1000.0);
  };
  const auto expect = [&](const json::value& good, const json::value& bad) {
    EXPECT_FALSE(is_refused(at, good)) << name_of(at) << ' ' << good;
    EXPECT_TRUE(is_refused(at, bad)) << name_of(at) << ' ' << bad;
  };
  if (const auto* least = schema.if_contains("minimum"))
    expect(*least, shifted(*least, -1));
  if (const auto* most = schema.if_contains("maximum"))
    expect(*most, shifted(*most, 1));
  if (const auto* below = schema.if_contains("exclusiveMinimum"))
    expect(shifted(*below, 1), *below);
  if (const auto* above = schema.if_contains("exclusiveMaximum"))
    expect(shifted(*above, -1), *above);
}

bool has_bounds(const json::object& schema) {
  return std::ranges::any_of(schema, [](auto& member) {
    return member.key() == "minimum" || member.key() == "maximum" || member.key() == "exclusiveMinimum" ||
           member.key() == "exclusiveMaximum";
  });
}

} // namespace

TEST(config_bounds, of_each_number_are_those_of_the_schema) {
  std::size_t count = 0;
  for (const auto& [at, schema] : all_options())
    if (const auto& bounded = resolved(*schema); has_bounds(bounded)) {
      expect_bounds(at, bounded);
      ++count;
    }
  EXPECT_GE(count, 40);
}

// A default that the schema states makes no difference when it is written down. Left out: options whose defaults also
// depend on flags or on the environment.
TEST(config_bounds, have_the_defaults_of_the_schema_between_them) {
  const std::vector<std::string> others{"gateway.log.level", "gateway.log.format", "gateway.traces.serviceName"};
  std::size_t count = 0;
  for (const auto& [at, schema] : all_options())
    if (const auto* usual = schema->if_contains("default"); usual && !std::ranges::count(others, name_of(at))) {
      const auto without = file_with(at, nullptr), with = file_with(at, usual);
      EXPECT_EQ(gateway_changes(without, with), lines{}) << name_of(at);
      EXPECT_EQ(without.gateway.servers, with.gateway.servers) << name_of(at);
      ++count;
    }
  EXPECT_GE(count, 30);
}

} // namespace troupe::tests::config_bounds_test
