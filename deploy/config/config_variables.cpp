#include "deploy/config/config_variables.hpp"

#include "deploy/config/file_text.hpp"
#include "protocol/text/caller_parts.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace troupe::deploy {

namespace {

constexpr std::string_view default_mark = ":-";
constexpr std::string_view env_mark = "env:";
constexpr std::string_view input_mark = "input:";
/// Marks of variables that only an editor can expand.
constexpr std::string_view editor_marks[] = {"command:", "config:", "file:", "workspaceFolder:"};

bool is_letter(unsigned char c) { return c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); }

/// True for names that `${}` expands: the names of shell variables (POSIX, base definitions, 3.231).
bool is_shell_name(std::string_view name) {
  return !name.empty() && is_letter(static_cast<unsigned char>(name.front())) &&
         std::ranges::all_of(name, [](unsigned char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

std::string called(std::string_view name) { return '`' + std::string(name) + '`'; }

/// Returns the names of caller properties in a text.
std::vector<std::string_view> names_in(const std::vector<protocol::caller_part>& parts) {
  std::vector<std::string_view> result;
  for (const auto& part : parts)
    if (part.is_name)
      result.push_back(part.text);
  return result;
}

} // namespace

std::optional<std::string> config_variables::expanded(std::string_view text, const config_value& at, callers named) {
  const auto written = protocol::caller_parts(text);
  std::string result;
  bool whole = true;
  while (!text.empty()) {
    const auto begin = std::min(text.find("${"), text.size());
    result += text.substr(0, begin);
    text.remove_prefix(begin);
    const auto end = text.find('}');
    const auto piece = text.substr(0, end == std::string_view::npos ? text.size() : end + 1);
    text.remove_prefix(piece.size());
    if (end == std::string_view::npos) {
      result += piece;
    } else {
      const auto value = value_of(piece, at, named);
      whole = value && append(result, *value, at) && whole;
    }
  }
  if (whole && named == callers::stay && names_in(protocol::caller_parts(result)) != names_in(written)) {
    at.error("has a variable whose value has `${principal.` in it, which would be replaced, too");
    return std::nullopt;
  }
  return whole ? std::optional(std::move(result)) : std::nullopt;
}

std::optional<std::string> config_variables::value_of(std::string_view piece, const config_value& at, callers named) {
  if (!piece.starts_with(protocol::caller_mark))
    return variable(piece.substr(2, piece.size() - 3), piece, at);
  if (named == callers::stay)
    return std::string(piece);
  at.error("has " + called(piece) + ", which can stand in `headers` and `env` of a server only");
  return std::nullopt;
}

std::optional<std::string> config_variables::expanded_path(std::string_view text, const config_value& at) {
  if (text != "~" && !text.starts_with("~/"))
    return expanded(text, at);
  auto result = home(at);
  const auto rest = expanded(text.substr(1), at);
  if (!result || !rest)
    return std::nullopt;
  return *result + *rest;
}

bool config_variables::append(std::string& result, std::string_view text, const config_value& at) {
  length_ += text.size();
  if (length_ > longest_expansion) {
    length_ = longest_expansion; // prevents overflow of the sum
    at.error("is too long: the variables of a file may come to " + std::to_string(longest_expansion) + " bytes");
    return false;
  }
  result += text;
  return true;
}

std::optional<std::string> config_variables::variable(std::string_view inside, std::string_view whole,
                                                      const config_value& at) {
  if (inside == "workspaceFolder")
    return directory_;
  if (inside == "workspaceFolderBasename")
    return std::filesystem::path(directory_).filename().string();
  if (inside == "userHome")
    return home(at);
  if (inside == "pathSeparator" || inside == "/")
    return "/";
  if (inside.starts_with(input_mark)) {
    at.error(called(whole) + " asks the user, which a gateway cannot do: use an environment variable");
    return std::nullopt;
  }
  if (std::ranges::any_of(editor_marks, [&](auto mark) { return inside.starts_with(mark); })) {
    at.error(called(whole) + " is looked up by an editor: write what it stands for, or use an environment variable");
    return std::nullopt;
  }
  return from_environment(inside, whole, at);
}

std::optional<std::string> config_variables::from_environment(std::string_view inside, std::string_view whole,
                                                              const config_value& at) {
  if (inside.starts_with(env_mark))
    inside.remove_prefix(env_mark.size());
  const auto mark = inside.find(default_mark);
  const auto name = inside.substr(0, mark);
  if (!is_shell_name(name)) {
    at.warn("has a `${` that begins no variable, it is left as it is");
    return std::string(whole);
  }
  auto value = lookup_(std::string(name));
  if (mark != std::string_view::npos && (!value || value->empty()))
    return std::string(inside.substr(mark + default_mark.size()));
  if (!value)
    at.error("the environment variable " + called(name) + " is not set");
  return value;
}

std::optional<std::string> config_variables::home(const config_value& at) {
  auto result = lookup_("HOME");
  if (!result)
    at.error("the environment variable `HOME` is not set");
  return result;
}

std::optional<std::string> path_of(const config_value& value, config_variables& variables) {
  const auto text = value.nonempty_text();
  const auto expanded = text ? variables.expanded_path(*text, value) : text;
  if (!expanded)
    return std::nullopt;
  return (std::filesystem::path(variables.directory()) / *expanded).lexically_normal().string();
}

std::optional<std::string> readable_path(const config_value& value, config_variables& variables) {
  auto path = path_of(value, variables);
  if (path && !is_readable(*path)) {
    cannot_be_read(value);
    return std::nullopt;
  }
  return path;
}

void cannot_be_read(const config_value& value) { value.error("cannot be read: " + std::string(std::strerror(errno))); }

} // namespace troupe::deploy
