#include "deploy/config/config_variables.hpp"

#include <algorithm>

namespace troupe::deploy {

namespace {

constexpr std::string_view default_mark = ":-";
constexpr std::string_view env_mark = "env:";
constexpr std::string_view input_mark = "input:";

bool is_letter(unsigned char c) { return c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); }

/// The names that `${}` replaces: those that a shell can have (POSIX, base definitions, 3.231).
bool is_shell_name(std::string_view name) {
  return !name.empty() && is_letter(static_cast<unsigned char>(name.front())) &&
         std::ranges::all_of(name, [](unsigned char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

std::string named(std::string_view name) { return '`' + std::string(name) + '`'; }

} // namespace

std::optional<std::string> config_variables::expanded(std::string_view text, const config_value& at) {
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
      const auto value = variable(piece.substr(2, piece.size() - 3), piece, at);
      whole = value && append(result, *value, at) && whole;
    }
  }
  return whole ? std::optional(std::move(result)) : std::nullopt;
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
    length_ = longest_expansion; // so that the sum cannot wrap
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
  if (inside == "userHome")
    return home(at);
  if (inside == "pathSeparator" || inside == "/")
    return "/";
  if (inside.starts_with(input_mark)) {
    at.error(named(whole) + " asks the user, which a gateway cannot do: use an environment variable");
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
    at.error("the environment variable " + named(name) + " is not set");
  return value;
}

std::optional<std::string> config_variables::home(const config_value& at) {
  auto result = lookup_("HOME");
  if (!result)
    at.error("the environment variable `HOME` is not set");
  return result;
}

} // namespace troupe::deploy
