#include "deploy/config/client_conventions.hpp"

#include "protocol/text/json.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace troupe::deploy {

namespace {

struct other_word {
  std::string_view theirs;
  std::string_view ours;
};

constexpr other_word other_words[] = {{"serverUrl", "url"},         // Windsurf
                                      {"httpUrl", "url"},           // Gemini CLI
                                      {"baseUrl", "url"},           // Cherry Studio
                                      {"uri", "url"},               // Goose
                                      {"cmd", "command"},           // Goose
                                      {"environment", "env"},       // OpenCode
                                      {"envs", "env"},              // Goose
                                      {"working_directory", "cwd"}, // Warp
                                      {"transportType", "transport"},
                                      {"isActive", "enabled"}, // Cherry Studio
                                      {"enabledTools", "includeTools"},
                                      {"disabledTools", "excludeTools"}}; // Windsurf, Cline, Roo Code

/// Keys for a client's user interface, without use for a gateway.
constexpr std::string_view meaningless[] = {"autoApprove", "alwaysAllow", "alwaysLoad",    "trust",
                                            "description", "gallery",     "fromGalleryId", "version",
                                            "dev",         "source",      "settings",      "name",
                                            "icon",        "watchPaths",  "extension",     "start_on_launch",
                                            "tags",        "provider",    "providerUrl",   "remote"};

struct lost_word {
  std::string_view name;
  std::string_view why;
};

constexpr std::string_view no_login =
    "is not used: a gateway has nobody to log in; put a token into `headers`, or let `auth` get one";
constexpr std::string_view no_sandbox = "is not used: `user` and `limits` of a server bound what it may do";
constexpr lost_word lost_words[] = {
    {"sandbox", no_sandbox},
    {"sandboxEnabled", no_sandbox},
    {"oauth", no_login},
    {"oauthClientId", no_login},
    {"authProviderType", no_login},
    {"headersHelper", "is not run: write its headers into `headers`, with `${VAR}` for what is secret"}};

bool is_one_of(std::string_view name, const auto& names) { return std::ranges::find(names, name) != std::end(names); }

std::string_view our_word(std::string_view theirs) {
  const auto* const found = std::ranges::find(other_words, theirs, &other_word::theirs);
  return found == std::end(other_words) ? theirs : found->ours;
}

bool has_member(const config_value& value, std::string_view name) {
  return value.is_object() && protocol::find_member(value.token(), {name}).has_value();
}

/// True if a value is empty, such as `false`.
bool is_nothing(const config_value& value) {
  return value.is_null() || value.token() == "false" || value.token() == "{}" || value.token() == R"("")";
}

class entry_translator {
public:
  explicit entry_translator(client_conventions conventions) { result_.conventions = conventions; }

  client_entry translate(const config_value& entry) {
    for (const auto& member : entry.members())
      translate_member(member);
    return std::move(result_);
  }

private:
  void translate_member(const config_member& member) {
    learn(member);
    if (is_told(member) || is_one_of(member.name, meaningless))
      keep_mark(member);
    else if (member.name == "command" && member.value.is_object())
      translate_parts(member.value);
    else
      add({std::string(our_word(member.name)), member.value});
  }

  /// Infers the habits from keys that only some clients have.
  void learn(const config_member& member) {
    auto& conventions = result_.conventions;
    const auto& [name, value] = member;
    if (name == "httpUrl" || name == "trust" || name == "includeTools" || name == "excludeTools")
      conventions.milliseconds = conventions.dollar_names = true;
    else if (name == "environment" || (name == "command" && value.token().starts_with('[')) ||
             (name == "type" && (value.token() == R"("local")" || value.token() == R"("remote")")))
      conventions.milliseconds = conventions.brace_names = true;
  }

  static bool is_told(const config_member& member) {
    const auto* const lost = std::ranges::find(lost_words, member.name, &lost_word::name);
    const auto of_cursor = member.name == "auth" && has_member(member.value, "CLIENT_ID");
    if (lost == std::end(lost_words) && !of_cursor)
      return false;
    if (!is_nothing(member.value))
      member.value.warn(std::string(of_cursor ? no_login : lost->why));
    return true;
  }

  /// Keeps `settings`, which identifies an entry of Zed without a command.
  void keep_mark(const config_member& member) {
    if (member.name == "settings")
      add(member);
  }

  /// Splits a command that older versions of Zed wrote as `"command": {"path": …, "args": …, "env": …}`.
  void translate_parts(const config_value& command) {
    for (const auto& part : command.members())
      add({part.name == "path" ? "command" : part.name, part.value});
  }

  void add(config_member member) {
    const auto before = std::ranges::find(result_.members, member.name, &config_member::name);
    if (before == result_.members.end())
      result_.members.push_back(std::move(member));
    else if (before->value.token() != member.value.token())
      member.value.error("says something else than `" + before->value.key() + '`');
  }

  client_entry result_;
};

bool is_name_start(unsigned char c) { return c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); }
bool is_name_part(unsigned char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }

/// Returns the name at the beginning of a text; empty if there is none.
std::string_view name_at(std::string_view text) {
  if (text.empty() || !is_name_start(static_cast<unsigned char>(text.front())))
    return {};
  const auto end = std::ranges::find_if_not(text, [](unsigned char c) { return is_name_part(c); });
  return text.substr(0, static_cast<std::size_t>(std::distance(text.begin(), end)));
}

constexpr std::string_view brace_mark = "{env:";

/// Returns the length and the name of a variable at the beginning of a text; zero if there is none.
std::pair<std::size_t, std::string_view> variable_at(std::string_view text, const client_conventions& conventions) {
  if (conventions.dollar_names && text.starts_with('$'))
    if (const auto name = name_at(text.substr(1)); !name.empty())
      return {name.size() + 1, name};
  if (conventions.brace_names && text.starts_with(brace_mark)) {
    const auto name = name_at(text.substr(brace_mark.size()));
    const auto size = brace_mark.size() + name.size();
    if (!name.empty() && text.substr(size).starts_with('}'))
      return {size + 1, name};
  }
  return {0, {}};
}

} // namespace

client_conventions conventions_of_folder(std::string_view name) {
  client_conventions result;
  result.dollar_names = name == ".gemini" || name == ".qwen";
  result.milliseconds = result.dollar_names || name == ".copilot" || name == "amazonq" || name == ".amazonq";
  return result;
}

client_conventions opencode_conventions() { return {.milliseconds = true, .brace_names = true}; }

client_entry translate_entry(const config_value& entry, client_conventions conventions) {
  return entry_translator{conventions}.translate(entry);
}

std::vector<std::string_view> client_keys() {
  std::vector<std::string_view> result(std::begin(meaningless), std::end(meaningless));
  std::ranges::transform(other_words, std::back_inserter(result), &other_word::theirs);
  std::ranges::transform(lost_words, std::back_inserter(result), &lost_word::name);
  return result;
}

std::string with_common_variables(std::string_view text, const client_conventions& conventions) {
  std::string result;
  while (!text.empty()) {
    const auto [size, name] = variable_at(text, conventions);
    // Skips `${`, as `${env:NAME}` contains the other mark.
    const auto skipped = size == 0 && text.starts_with("${") ? std::min<std::size_t>(2, text.size()) : 1;
    if (size > 0)
      result.append("${").append(name).append("}");
    else
      result += text.substr(0, skipped);
    text.remove_prefix(size > 0 ? size : skipped);
  }
  return result;
}

bool ends_with_dollar_name(std::string_view text) {
  const auto dollar = text.rfind('$');
  if (dollar == std::string_view::npos || (dollar > 0 && text[dollar - 1] != ' '))
    return false;
  const auto name = text.substr(dollar + 1);
  constexpr std::size_t least_name = 3;
  return name.size() >= least_name && name_at(name) == name &&
         std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
}

} // namespace troupe::deploy
