#include "deploy/import/import_texts.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

namespace troupe::deploy {

namespace {

namespace json = boost::json;

constexpr std::string_view editor_input_mark = "input:";
constexpr std::string_view editor_env_mark = "env:";
constexpr std::string_view caller_mark = "principal.";

bool is_name_letter(unsigned char c) {
  return c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c >= '0' && c <= '9');
}

/// `perplexity-key` is `PERPLEXITY_KEY`.
std::string name_of_input(std::string_view id) {
  std::string result;
  for (const unsigned char c : id)
    result += !is_name_letter(c) ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c & ~0x20 : c);
  return result.empty() || (result.front() >= '0' && result.front() <= '9') ? "INPUT_" + result : result;
}

/// Goes through a text: `plain(part)` for what stands between variables, `use(inside)` for what is in `${…}`.
void for_each_part(std::string_view text, const auto& plain, const auto& use) {
  while (!text.empty()) {
    const auto begin = std::min(text.find("${"), text.size());
    plain(text.substr(0, begin));
    text.remove_prefix(begin);
    const auto end = text.find('}');
    if (end == std::string_view::npos) {
      plain(text);
      return;
    }
    use(text.substr(2, end - 2));
    text.remove_prefix(end + 1);
  }
}

bool begins_elsewhere(std::string_view path) {
  return path.starts_with('/') || path == "~" || path.starts_with("~/") || path.starts_with("${");
}

} // namespace

std::string import_texts::replaced(std::string_view inside) {
  if (inside == "workspaceFolder")
    return folder_;
  if (inside == "workspaceFolderBasename")
    return std::filesystem::path(folder_).filename().string();
  if (inside.starts_with(editor_input_mark)) {
    auto name = name_of_input(inside.substr(editor_input_mark.size()));
    asked_.insert(name);
    return "${" + name + '}';
  }
  if (inside.starts_with(editor_env_mark))
    inside.remove_prefix(editor_env_mark.size());
  return "${" + std::string(inside) + '}';
}

std::string import_texts::text(std::string_view written) {
  std::string result;
  const auto common = with_common_variables(written, habits_);
  for_each_part(
      common, [&](std::string_view part) { result += part; },
      [&](std::string_view inside) { result += replaced(inside); });
  return result;
}

std::string import_texts::place(std::string_view written) {
  auto path = text(written);
  if (path.empty() || begins_elsewhere(path))
    return path;
  return (std::filesystem::path(folder_) / path).lexically_normal().string();
}

std::string import_texts::program(std::string_view written) {
  return written.find('/') == written.npos ? text(written) : place(written);
}

json::value import_texts::all_of(json::value value) {
  if (value.is_string())
    return json::value(text(value.as_string()));
  if (value.is_array())
    for (auto& one : value.as_array())
      one = all_of(std::move(one));
  if (value.is_object())
    for (auto& [name, one] : value.as_object())
      one = all_of(std::move(one));
  return value;
}

std::vector<std::string> variables_of(std::string_view text) {
  std::vector<std::string> result;
  for_each_part(
      text, [](std::string_view) {},
      [&](std::string_view inside) {
        constexpr std::string_view known[] = {"userHome", "pathSeparator", "/", "workspaceFolder",
                                              "workspaceFolderBasename"};
        if (inside.starts_with(editor_env_mark))
          inside.remove_prefix(editor_env_mark.size());
        const auto is_name = std::ranges::all_of(inside, [](unsigned char c) { return is_name_letter(c); });
        if (is_name && !inside.empty() && !inside.starts_with(caller_mark) && !std::ranges::count(known, inside))
          result.emplace_back(inside);
      });
  return result;
}

} // namespace troupe::deploy
