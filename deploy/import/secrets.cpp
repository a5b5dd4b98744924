#include "deploy/import/secrets.hpp"

#include "protocol/text/words.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace troupe::deploy {

namespace {

namespace json = boost::json;

constexpr std::size_t shortest_secret = 8;
constexpr std::size_t shortest_token = 16;
constexpr std::string_view secret_words[] = {"token",   "secret",     "password", "passwd", "apikey",
                                             "api_key", "api-key",    "auth",     "cookie", "bearer",
                                             "key",     "credential", "_pat",     "dsn"};
constexpr std::string_view token_beginnings[] = {"sk-",    "sk_",   "ghp_",  "gho_", "github_pat_",
                                                 "glpat-", "xoxb-", "xoxp-", "AKIA", "AIza",
                                                 "eyJ",    "hf_",   "npm_",  "ntn_", "pk_"};

/// What comes before the secret in a header such as `Authorization`.
std::string_view scheme_of(std::string_view value) {
  const auto blank = value.find(' ');
  return blank == std::string_view::npos ? "" : value.substr(0, blank + 1);
}

bool is_placeholder(std::string_view value) {
  const auto lower = protocol::lower(value);
  return value.starts_with('<') || lower.starts_with("your") || lower.find("xxxx") != std::string::npos ||
         std::ranges::all_of(value, [](unsigned char c) { return c >= '0' && c <= '9'; });
}

/// `github` and `Authorization` make `GITHUB_AUTHORIZATION`.
std::string variable_name(std::string_view text) {
  std::string result;
  for (const unsigned char c : text) {
    const bool is_letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    if (is_letter || (c >= '0' && c <= '9' && !result.empty()))
      result += static_cast<char>(c >= 'a' && c <= 'z' ? c & ~0x20 : c);
    else if (!result.empty() && result.back() != '_')
      result += '_';
  }
  while (result.ends_with('_'))
    result.pop_back();
  return result.empty() ? "SECRET" : result;
}

/// A variable for the value: one that has it already, or one of a name that is free.
std::string variable_for(const std::string& name, const std::string& value, taken_secrets& taken) {
  for (const auto& [known, secret] : taken)
    if (secret == value)
      return "${" + known + '}';
  for (std::size_t i = 1;; ++i) {
    const auto candidate = i == 1 ? name : name + '_' + std::to_string(i);
    if (taken.emplace(candidate, value).second)
      return "${" + candidate + '}';
  }
}

/// Whether the user part or a parameter of a URL looks secret.
bool is_secret_in_url(std::string_view url) {
  const auto host = url.find("://");
  const auto slash = host == url.npos ? host : url.find('/', host + 3);
  if (host != url.npos && url.substr(host, slash == url.npos ? slash : slash - host).find('@') != url.npos)
    return true;
  const auto query = url.find('?');
  if (query == std::string_view::npos)
    return false;
  return std::ranges::any_of(protocol::words_in(url.substr(query + 1), "&"), [](auto one) {
    const auto equals = std::min(one.find('='), one.size());
    return looks_secret(one.substr(0, equals), one.substr(std::min(equals + 1, one.size())));
  });
}

/// Calls `use(name, value)` for each text in `env`, `headers` and `args`: an argument has the name of the flag before
/// it, or before its `=`.
void for_each_text(json::object& entry, const auto& use) {
  for (const auto* const section : {"env", "headers"})
    if (auto* const texts = entry.if_contains(section); texts && texts->is_object())
      for (auto& [name, value] : texts->as_object())
        if (value.is_string())
          use(std::string_view(name), value.as_string());
  auto* const arguments = entry.if_contains("args");
  std::string flag;
  if (arguments && arguments->is_array())
    for (auto& value : arguments->as_array()) {
      if (!value.is_string())
        continue;
      const std::string text{value.as_string()};
      use(std::string_view(flag), value.as_string());
      flag = text.starts_with('-') && text.find('=') == text.npos ? text : "";
    }
}

/// The part of a text that is secret: all of it, what follows `Bearer `, or what follows the `=` of a flag.
std::optional<std::string_view> secret_in(std::string_view name, std::string_view text) {
  if (const auto equals = text.find('='); text.starts_with('-') && equals != text.npos) {
    const auto value = text.substr(equals + 1);
    return looks_secret(text.substr(0, equals), value) ? std::optional(value) : std::nullopt;
  }
  if (text.starts_with('-'))
    return std::nullopt;
  const auto value = text.substr(scheme_of(text).size());
  return looks_secret(name, value) ? std::optional(value) : std::nullopt;
}

} // namespace

bool looks_secret(std::string_view name, std::string_view value) {
  if (value.size() < shortest_secret || value.find("${") != value.npos || is_placeholder(value))
    return false;
  if (value.find_first_of(" \t\r\n") != value.npos || value.starts_with('/'))
    return false;
  if (value.size() >= shortest_token &&
      std::ranges::any_of(token_beginnings, [&](auto begin) { return value.starts_with(begin); }))
    return true;
  const auto lower = protocol::lower(name);
  return std::ranges::any_of(secret_words, [&](auto word) { return lower.find(word) != lower.npos; });
}

std::size_t count_secrets(const json::object& entry) {
  std::size_t result = 0;
  json::object copy{entry};
  for_each_text(copy,
                [&](std::string_view name, const json::string& text) { result += secret_in(name, text) ? 1 : 0; });
  const auto* const url = copy.if_contains("url");
  return result + (url && url->is_string() && is_secret_in_url(url->as_string()) ? 1 : 0);
}

void take_secrets(std::string_view server, json::object& entry, taken_secrets& taken) {
  for_each_text(entry, [&](std::string_view name, json::string& text) {
    const auto secret = secret_in(name, text);
    if (!secret || secret->find_first_of("'\n\r") != secret->npos)
      return;
    const auto is_variable = name.size() > 1 && name == variable_name(name);
    const auto before = std::string(std::string_view(text).substr(0, text.size() - secret->size()));
    const auto own = is_variable ? std::string(name) : variable_name(std::string(server) + '_' + std::string(name));
    text = before + variable_for(own, std::string(*secret), taken);
  });
}

std::string secrets_text(const taken_secrets& secrets) {
  std::string result;
  for (const auto& [name, value] : secrets)
    result += name + "='" + value + "'\n";
  return result;
}

} // namespace troupe::deploy
