// The schema and the tables of the pages have each option as its row has it. After a change of a row,
// `TROUPE_WRITE_PAGES=1 deploy_tests --gtest_filter=option_pages.*` writes them.

#include "actors/gateway/option_table.hpp"
#include "deploy/config/config_value.hpp"
#include "protocol/text/json.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::tests::option_pages_test {

using namespace actors::option_table;
using protocol::text_form;

namespace {

constexpr std::size_t width = 120;

std::filesystem::path schema_file() { return TROUPE_SCHEMA; }

std::filesystem::path page(std::string_view name) { return schema_file().parent_path() / "doc" / name; }

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Expects that a file has this text, or writes it.
void expect_text(const std::filesystem::path& path, const std::string& text) {
  if (std::getenv("TROUPE_WRITE_PAGES"))
    std::ofstream(path) << text;
  EXPECT_EQ(read(path), text) << path << " is not as the rows of options have it";
}

std::string code(std::string_view text) { return '`' + std::string(text) + '`'; }

std::string json_text(std::string_view text) { return protocol::quoted(text); }

/// An option without the type of its section: what the files have of it.
struct option {
  std::string_view key = {}, flag = {}, value_name = {}, text = {};
  /// Members of the schema that say what it has to be, in JSON; empty if the schema itself says it.
  std::string kind = {};
  /// Default in JSON; empty if there is none.
  std::string usual = {};
  bool is_list = false;
  bool is_switch = false;
};

template <class Options>
class reader {
public:
  explicit reader(const protocol::option_row<Options>& row) : row_{row} {}

  option read() const {
    option result{row_.key, row_.flag.name, row_.flag.value_name, row_.text};
    std::visit([&](auto member) { set(defaults_.*member, result); }, row_.member);
    return result;
  }

private:
  void set(std::uint64_t value, option& to) const {
    to.kind = R"("type": "integer", "minimum": )" + std::to_string(row_.rule.within.least) + R"(, "maximum": )" +
              std::to_string(row_.rule.within.most);
    if (row_.rule.within.contain(value))
      to.usual = std::to_string(value);
  }
  void set(std::uint16_t value, option& to) const { set(std::uint64_t{value}, to); }
  void set(std::chrono::milliseconds value, option& to) const {
    to.kind = row_.rule.within.least > 0 ? R"("$ref": "#/$defs/duration")" : R"("$ref": "#/$defs/durationOrZero")";
    to.usual = value.count() > 0 ? json_text(deploy::time_text(value)) : "0";
  }
  void set(bool, option& to) const {
    to.kind = R"("type": "boolean")";
    to.usual = "false";
    to.is_switch = true;
  }
  void set(const std::string& value, option& to) const {
    to.kind = element();
    to.usual = value.empty() ? "" : json_text(value);
  }
  void set(const std::vector<std::string>&, option& to) const {
    to.kind = R"("type": "array", "items": {)" + element() + '}';
    to.is_list = true;
  }

  /// The schema of a text.
  std::string element() const {
    if (row_.rule.form == text_form::expanded || row_.rule.form == text_form::host_port)
      return {};
    if (row_.rule.form == text_form::http_path)
      return R"("$ref": "#/$defs/path")";
    if (row_.rule.form == text_form::network)
      return R"("type": "string", "pattern": "^[0-9A-Fa-f.:]+(/[0-9]{1,3})?$")";
    return R"("$ref": "#/$defs/filledText")";
  }

  const protocol::option_row<Options>& row_;
  Options defaults_;
};

template <class Options>
std::vector<option> options_of(protocol::option_rows<Options> rows) {
  std::vector<option> result;
  for (const auto& row : rows)
    result.push_back(reader{row}.read());
  return result;
}

// -- schema

/// Section of the schema, by the keys that lead to its properties.
struct section {
  std::vector<std::string_view> path;
  /// Prefix of the keys in the section `gateway`, such as `limits.`; a word for other sections.
  std::string place;
  std::vector<option> options;
};

/// A section in `gateway`.
template <class Options>
section in_gateway(std::vector<std::string_view> names, protocol::option_rows<Options> rows) {
  section result{{"properties", "gateway", "properties"}, "", options_of<Options>(rows)};
  for (const auto name : names) {
    result.path.insert(result.path.end(), {name, "properties"});
    result.place += std::string(name) + '.';
  }
  return result;
}

/// A section of a server.
template <class Options>
section in_server(const std::vector<std::string_view>& path, protocol::option_rows<Options> rows) {
  section result{{"$defs", "server", "properties"}, "server ", options_of<Options>(rows)};
  result.path.insert(result.path.end(), path.begin(), path.end());
  return result;
}

std::vector<section> sections() {
  return {in_gateway<gateway_options>({}, gateway_rows),
          in_gateway<limits>({"limits"}, limit_rows),
          in_gateway<address_limits>({"limits", "perAddress"}, address_rows),
          in_gateway<tls_options>({"tls"}, tls_rows),
          in_gateway<auth_options>({"auth"}, auth_rows),
          in_gateway<admin_options>({"admin"}, admin_rows),
          in_gateway<cluster_options>({"cluster"}, cluster_rows),
          in_gateway<cluster_options>({"cluster", "tls"}, cluster_tls_rows),
          in_server<server_options>({}, server_rows),
          in_server<process_limits>({"limits", "properties"}, process_limit_rows),
          in_server<restart_options>({"restart", "anyOf", "1", "properties"}, restart_rows)};
}

/// Returns a member of an object, or the element of an array that has this number.
std::optional<std::string_view> part_of(std::string_view json, std::string_view key) {
  if (!json.starts_with('['))
    return protocol::find_member(json, {key});
  protocol::array_reader array{json};
  for (auto left = std::stoul(std::string(key)) + 1; left > 0 && array.next(); --left)
    if (left == 1)
      return array.value();
  return std::nullopt;
}

/// Returns the value at this path; empty if there is none.
std::optional<std::string_view> value_at(std::string_view json, const std::vector<std::string_view>& path) {
  std::optional<std::string_view> at = json;
  for (const auto key : path)
    at = at ? part_of(*at, key) : at;
  return at;
}

/// Members of an option that the rows do not have, in JSON: what a text has to look like.
std::vector<std::string> own_members(std::string_view schema, const option& one) {
  std::vector<std::string> result;
  for (protocol::object_reader members{schema}; members.next();) {
    const auto name = json_text(members.key());
    const auto is_kind = !one.kind.empty() && (name == R"("$ref")" || one.kind.find(name) != std::string::npos);
    const auto is_of_row = is_kind || name == R"("description")" || name == R"("default")";
    if (!is_of_row)
      result.push_back(name + ": " + std::string(members.value()));
  }
  return result;
}

/// Writes an option in one line if it fits, else with a line for each member. `before` is the old text.
std::string schema_text(const option& one, std::string_view before, std::size_t indent) {
  auto members = own_members(before, one);
  if (!one.kind.empty())
    members.insert(members.begin(), one.kind);
  members.push_back(R"("description": )" + json_text(one.text));
  if (!one.usual.empty())
    members.push_back(R"("default": )" + one.usual);
  const auto joined = [&](const std::string& between) {
    std::string result;
    for (const auto& member : members)
      result += (result.empty() ? "" : between) + member;
    return result;
  };
  const auto line = '{' + joined(", ") + '}';
  if (indent + one.key.size() + 4 + line.size() < width && line.find('\n') == line.npos)
    return line;
  const std::string margin(indent + 2, ' ');
  return "{\n" + margin + joined(",\n" + margin) + '\n' + std::string(indent, ' ') + '}';
}

std::string with_options(std::string schema, const section& of) {
  const auto indent = 2 * (of.path.size() + 1);
  for (const auto& one : of.options) {
    const auto properties = value_at(schema, of.path);
    if (!properties)
      throw std::runtime_error("the schema lacks a section");
    if (const auto old = protocol::find_member(*properties, {one.key})) {
      schema.replace(static_cast<std::size_t>(old->data() - schema.data()), old->size(),
                     schema_text(one, *old, indent));
    } else {
      const auto last = properties->find_last_not_of(" \n", properties->size() - 2);
      const auto at = static_cast<std::size_t>(properties->data() - schema.data()) + last + 1;
      schema.insert(at, ",\n" + std::string(indent, ' ') + json_text(one.key) + ": " + schema_text(one, "{}", indent));
    }
  }
  return schema;
}

// -- tables

constexpr std::string_view default_words = " (default: ";

/// The default of an option as a page shows it; `usual` and `text` are JSON.
std::string shown_default(std::string_view usual, std::string_view text) {
  if (const auto at = text.find(default_words); at != text.npos) {
    const auto words = text.substr(at + default_words.size());
    return std::string(words.substr(0, words.find(')')));
  }
  const auto is_text = usual.starts_with('"');
  return usual.empty() ? "" : code(is_text ? usual.substr(1, usual.size() - 2) : usual);
}

/// The text of an option without its default. The text is JSON.
std::string shown_text(std::string_view text) {
  auto result = protocol::string_value(text).value_or("");
  if (const auto at = result.find(default_words); at != result.npos)
    result.erase(at, result.find(')', at) + 1 - at);
  return result;
}

std::string row(std::initializer_list<std::string> cells) {
  std::string result = "|";
  for (const auto& cell : cells)
    result += (cell.empty() ? "" : ' ' + cell) + " |";
  return result + '\n';
}

/// The page with the rows of the table that has this head.
std::string with_table(const std::string& page, std::string_view head, const std::string& rows) {
  const auto begin = page.find('\n', page.find("\n|---", page.find(head)) + 1) + 1;
  const auto end = page.find("\n\n", begin) + 1;
  return page.substr(0, begin) + rows + page.substr(end);
}

using flags_by_place = std::map<std::string, std::string>;

/// Flags by the place of their key in the section `gateway`: those of rows, and those of other keys.
flags_by_place flags_of_keys() {
  flags_by_place result = {{"admin.listen", "--admin-listen"}, {"cluster.listen", "--cluster-listen"},
                           {"cluster.join", "--join"},         {"cluster.keyFile", "--cluster-key"},
                           {"log.level", "--log-level"},       {"log.format", "--log-format"},
                           {"accessLog.file", "--access-log"}, {"accessLog.format", "--access-log-format"}};
  for (const auto& section : sections())
    for (const auto& one : section.options)
      result.emplace(section.place + std::string(one.key), one.flag);
  return result;
}

/// Rows for the keys of an object of the schema, and for those in them.
std::string rows_of_keys(std::string_view schema, const flags_by_place& flags, const std::string& above = {},
                         const std::string& margin = {}) {
  std::string result;
  for (protocol::object_reader members{protocol::find_member(schema, {"properties"}).value()}; members.next();) {
    const auto place = above + std::string(members.key());
    const auto text = protocol::find_member(members.value(), {"description"}).value_or(R"("")");
    const auto usual = protocol::find_member(members.value(), {"default"}).value_or("");
    const auto flag = flags.find(place);
    result += row({margin + code(members.key()), shown_default(usual, text), shown_text(text),
                   flag == flags.end() || flag->second.empty() ? "" : code(flag->second)});
    if (protocol::find_member(members.value(), {"properties"}))
      result += rows_of_keys(members.value(), flags, place + '.', margin + "&nbsp; ");
  }
  return result;
}

std::string row_of_flag(const option& one) {
  const auto name = std::string(one.flag) + (one.value_name.empty() ? "" : ' ' + std::string(one.value_name));
  const auto text = json_text(one.text);
  return row({code(name), one.is_switch ? "off" : shown_default(one.usual, text),
              shown_text(text) + (one.is_list ? " May be repeated." : "")});
}

} // namespace

TEST(option_pages, have_a_schema) {
  auto schema = read(schema_file());
  for (const auto& one : sections())
    schema = with_options(std::move(schema), one);
  expect_text(schema_file(), schema);
}

TEST(option_pages, have_a_table_of_keys) {
  const auto schema = read(schema_file());
  const auto rows = rows_of_keys(protocol::find_member(schema, {"properties", "gateway"}).value(), flags_of_keys());
  expect_text(page("servers.md"), with_table(read(page("servers.md")), "| key of `gateway` |", rows));
}

TEST(option_pages, have_a_table_of_flags) {
  std::string rows;
  for (const auto& section : sections())
    for (const auto& one : section.options)
      if (!one.flag.empty())
        rows += row_of_flag(one);
  expect_text(page("program.md"), with_table(read(page("program.md")), "| flag of an option |", rows));
}

} // namespace troupe::tests::option_pages_test
