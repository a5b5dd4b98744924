#include "deploy/import/codex_file.hpp"

#include "protocol/text/json.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <sstream>

// The parser reports malformed input itself; its assertions would fail before.
#define TOML_ASSERT(expression) static_assert(true)
#include <toml++/toml.h>

namespace troupe::deploy {

namespace {

constexpr std::size_t most_brackets = 32;
constexpr std::size_t most_dots = 16;

/// Returns the size of the string at the beginning of a text, closed or not.
std::size_t toml_string_size(std::string_view text) {
  const auto quote = text.front();
  const bool is_long = text.size() >= 3 && text[1] == quote && text[2] == quote;
  std::size_t at = is_long ? 3 : 1;
  for (; at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"')
      ++at;
    else if (!is_long && (text[at] == quote || text[at] == '\n'))
      return at + 1;
    else if (is_long && text[at] == quote && text.substr(at, 3) == text.substr(0, 3))
      break;
  }
  // The string may end with up to two quotes of its own before the closing three.
  const auto end = text.find_first_not_of(quote, std::min(at, text.size()));
  return std::min({end, text.size(), at + 5});
}

/// Returns the size of a string or a comment at the beginning of a text; 0 for anything else.
std::size_t size_to_skip(std::string_view text) {
  const auto c = text.front();
  if (c == '"' || c == '\'')
    return toml_string_size(text);
  return c == '#' ? std::min(text.find('\n'), text.size()) : 0;
}

/// True if `is` holds for a character outside strings and comments.
template <class Is>
bool has_outside_strings(std::string_view text, Is is) {
  while (!text.empty()) {
    const auto skipped = size_to_skip(text);
    if (skipped == 0 && is(text.front()))
      return true;
    text.remove_prefix(std::max<std::size_t>(skipped, 1));
  }
  return false;
}

/// Counts the depth of brackets and of dotted keys.
class toml_depth {
public:
  /// Counts the next character. Returns true if the depth exceeds a limit.
  bool is_beyond(char c) {
    count(c);
    return brackets_ > most_brackets || dots_ > most_dots;
  }

private:
  void count(char c) {
    if (c == '.')
      ++dots_;
    else if (std::string_view("\n=,[]{}").find(c) != std::string_view::npos)
      dots_ = 0;
    if (c == '[' || c == '{')
      ++brackets_;
    else if ((c == ']' || c == '}') && brackets_ > 0)
      --brackets_;
  }

  std::size_t brackets_ = 0;
  std::size_t dots_ = 0;
};

// True if a TOML text nests values, or parts of dotted keys, deeper than any client does. The parser recurses once for
// each level.
bool is_too_deep_toml(std::string_view text) {
  return has_outside_strings(text, [depth = toml_depth{}](char c) mutable { return depth.is_beyond(c); });
}

// True if there are non-ASCII characters outside strings and comments, which TOML 1.0.0 does not allow. For some of
// them the behaviour of the TOML library is undefined.
bool has_foreign_toml(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark))
    text.remove_prefix(byte_order_mark.size());
  return has_outside_strings(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

namespace json = boost::json;

/// Limit of the file, in bytes.
constexpr std::size_t longest_toml = 4 * 1024 * 1024;
/// Depth limit for the JSON parser, above the depth of any accepted text.
constexpr std::size_t deepest = 1024;

std::string variable(std::string_view name) { return "${" + std::string(name) + '}'; }

json::value value_of(const toml::node& node) {
  std::ostringstream text;
  node.visit([&](const auto& one) {
    if constexpr (toml::is_table<decltype(one)> || toml::is_array<decltype(one)>)
      text << toml::json_formatter{one};
    else
      text << toml::json_formatter{toml::array{one}};
  });
  json::parse_options options;
  options.max_depth = deepest;
  auto result = json::parse(text.str(), {}, options);
  return node.is_table() || node.is_array() ? result : result.as_array().front();
}

/// Converts a number of seconds to a time with its unit.
json::value seconds_of(const toml::node& node) {
  constexpr double most = 1e9;
  const auto seconds = node.value<double>();
  if (!seconds || !(*seconds > 0 && *seconds < most))
    return value_of(node);
  const auto milliseconds = static_cast<std::int64_t>(std::ceil(*seconds * 1000));
  return json::value(milliseconds % 1000 == 0 ? std::to_string(milliseconds / 1000) + 's'
                                              : std::to_string(milliseconds) + "ms");
}

/// Reader of a table `[mcp_servers.NAME]`.
class codex_server {
public:
  json::object read(const toml::table& table) {
    for (const auto& [key, node] : table)
      read_member(key.str(), node);
    if (!environment_.empty())
      result_["env"] = environment_;
    if (!headers_.empty())
      result_["headers"] = headers_;
    if (!tools_.empty())
      result_["tools"] = tools_;
    return std::move(result_);
  }

private:
  void read_member(std::string_view key, const toml::node& node) {
    if (key == "env")
      add_all(node, environment_, false);
    else if (key == "http_headers")
      add_all(node, headers_, false);
    else if (key == "env_http_headers")
      add_all(node, headers_, true);
    else if (key == "env_vars")
      forward(node);
    else if (key == "bearer_token_env_var")
      headers_["Authorization"] = "Bearer " + variable(node.value_or(std::string{}));
    else if (key == "enabled_tools")
      tools_["allow"] = value_of(node);
    else if (key == "disabled_tools")
      tools_["deny"] = value_of(node);
    else if (key == "tool_timeout_sec")
      result_["timeout"] = seconds_of(node);
    else if (!is_of_codex_alone(key))
      result_[key] = value_of(node);
  }

  static bool is_of_codex_alone(std::string_view key) {
    return key.starts_with("startup_timeout") || key.ends_with("approval_mode") || key == "tools" ||
           key == "required" || key == "scopes" || key == "oauth_resource" || key.starts_with("supports_");
  }

  static void add_all(const toml::node& node, json::object& to, bool are_variables) {
    if (const auto* const table = node.as_table())
      for (const auto& [name, value] : *table)
        to[name.str()] = are_variables ? json::value(variable(value.value_or(std::string{}))) : value_of(value);
  }

  /// Reads variables that Codex passes on to a server: names, or tables with a `name`.
  void forward(const toml::node& node) {
    if (const auto* const names = node.as_array())
      for (const auto& one : *names) {
        const auto* const table = one.as_table();
        const auto name = table ? (*table)["name"].value_or(std::string{}) : one.value_or(std::string{});
        if (!name.empty())
          environment_[name] = variable(name);
      }
  }

  json::object result_;
  json::object environment_;
  json::object headers_;
  json::object tools_;
};

std::string codex_servers(const toml::table& file) {
  json::object servers;
  if (const auto* const tables = file["mcp_servers"].as_table())
    for (const auto& [name, node] : *tables)
      if (const auto* const table = node.as_table())
        servers[name.str()] = codex_server{}.read(*table);
  return json::serialize(json::object{{"mcpServers", servers}});
}

} // namespace

codex_file read_codex_file(std::string_view text) {
  if (text.size() > longest_toml)
    return {{}, "is longer than " + std::to_string(longest_toml) + " bytes"};
  if (is_too_deep_toml(text))
    return {{}, "has values or keys that are nested too deeply"};
  if (has_foreign_toml(text))
    return {{}, "has characters beyond ASCII outside strings and comments, where TOML has none"};
  try {
    auto servers = codex_servers(toml::parse(text));
    if (const auto error = protocol::json_error(servers))
      return {{}, "has servers that are no valid JSON: " + *error};
    return {std::move(servers), {}};
  } catch (const toml::parse_error& error) {
    return {{}, "line " + std::to_string(error.source().begin.line) + " is no valid TOML"};
  } catch (const std::exception& error) {
    return {{}, std::string("cannot be read as TOML: ") + error.what()};
  }
}

} // namespace troupe::deploy
