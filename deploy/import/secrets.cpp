#include "deploy/import/secrets.hpp"

#include "protocol/text/found_secrets.hpp"

#include <algorithm>
#include <iterator>

namespace troupe::deploy {

namespace {

namespace json = boost::json;

constexpr std::string_view variable_beginning = "MCP_";

/// Converts a text to a variable's name: `GITHUB_AUTHORIZATION` for `github` and `Authorization`.
std::string variable_name(std::string_view text) {
  std::string result;
  for (const unsigned char c : text) {
    const bool is_letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    if (is_letter || (c >= '0' && c <= '9'))
      result += static_cast<char>(c >= 'a' && c <= 'z' ? c & ~0x20 : c);
    else if (!result.empty() && result.back() != '_')
      result += '_';
  }
  while (result.ends_with('_'))
    result.pop_back();
  return result;
}

/// Returns the variable for a secret, with the server's name in it once.
std::string name_of_secret(std::string_view server, std::string_view name) {
  const auto owner = variable_name(server);
  auto own = variable_name(name);
  if (own != owner && !own.starts_with(owner + '_'))
    own = variable_name(owner + '_' + own);
  return std::string(variable_beginning) + (own.empty() ? "SECRET" : own);
}

/// Calls `use(name, value)` for each text in `env`, `headers` and `args`. The name of an argument is the flag before
/// it.
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

} // namespace

std::size_t count_secrets(const json::object& entry) {
  std::size_t result = 0;
  json::object copy{entry};
  for_each_text(copy, [&](std::string_view name, const json::string& text) {
    result += protocol::secrets_in(name, text).size();
  });
  const auto* const url = copy.if_contains("url");
  return result + (url && url->is_string() ? protocol::secrets_in("", url->as_string()).size() : 0);
}

void secret_taker::extract_from(std::string_view server, json::object& entry) {
  for_each_text(entry, [&](std::string_view name, json::string& text) {
    const std::string before{text};
    const auto found = protocol::secrets_in(name, before);
    // Backwards, so that the positions of earlier secrets stay valid.
    for (auto secret = found.rbegin(); secret != found.rend(); ++secret)
      if (secret->value.find_first_of("'\n\r") == secret->value.npos)
        text.replace(static_cast<std::size_t>(secret->value.data() - before.data()), secret->value.size(),
                     variable_for(name_of_secret(server, secret->name), std::string(secret->value)));
  });
}

/// Returns the variable for a value: an existing one with this value, or a new one with an unused name.
std::string secret_taker::variable_for(const std::string& name, const std::string& value) {
  const auto known = std::ranges::find(taken_, value, &taken_secrets::value_type::second);
  if (known != taken_.end())
    return "${" + known->first + '}';
  for (std::size_t i = 1;; ++i) {
    const auto candidate = i == 1 ? name : name + '_' + std::to_string(i);
    if (is_free(candidate, value) && taken_.emplace(candidate, value).second)
      return "${" + candidate + '}';
  }
}

bool secret_taker::is_free(const std::string& name, const std::string& value) const {
  return texts_.find(name) == texts_.npos && environment_(name).value_or(value) == value;
}

std::string secrets_text(const taken_secrets& secrets) {
  std::string result;
  for (const auto& [name, value] : secrets)
    result += name + "='" + value + "'\n";
  return result;
}

} // namespace troupe::deploy
