#include "deploy/import/secrets.hpp"

#include "protocol/text/words.hpp"

#include <algorithm>
#include <iterator>

namespace troupe::deploy {

namespace {

constexpr std::size_t shortest_secret = 8;
constexpr std::size_t shortest_token = 16;
constexpr std::string_view secret_words[] = {"token",   "secret",     "password", "passwd", "apikey",
                                             "api_key", "api-key",    "auth",     "cookie", "bearer",
                                             "key",     "credential", "_pat",     "dsn",    "passphrase"};
/// Words for names of secrets that may contain blanks.
constexpr std::string_view phrase_words[] = {"token",  "secret",     "password",     "passwd",
                                             "cookie", "passphrase", "authorization"};
constexpr std::string_view token_beginnings[] = {"sk-",    "sk_",   "ghp_",  "gho_", "github_pat_",
                                                 "glpat-", "xoxb-", "xoxp-", "AKIA", "AIza",
                                                 "eyJ",    "hf_",   "npm_",  "ntn_", "pk_"};
constexpr std::string_view bearer = "bearer ";
constexpr std::string_view schemes[] = {bearer, "basic ", "token ", "apikey ", "bot "};
constexpr std::string_view path_beginnings[] = {"/home/", "/users/", "/root/", "/etc/", "/opt/",  "/usr/",  "/var/",
                                                "/tmp/",  "/run/",   "/srv/",  "/mnt/", "/dev/",  "/app/",  "/data/",
                                                "/keys/", "/certs/", "/proc/", "/nix/", "/media", "/volume"};
constexpr std::string_view path_words[] = {"file", "path", "dir", "socket", "folder"};

bool has_any(std::string_view text, const auto& words) {
  return std::ranges::any_of(words, [&](auto word) { return text.find(word) != text.npos; });
}

bool begins_with_any(std::string_view text, const auto& words) {
  return std::ranges::any_of(words, [&](auto word) { return text.starts_with(word); });
}

bool is_digit(unsigned char c) { return c >= '0' && c <= '9'; }
bool is_token_part(unsigned char c) {
  return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' || c == '-' || c == '.';
}

bool is_placeholder(std::string_view value) {
  const auto lower = protocol::lower(value);
  return value.starts_with('<') || lower.starts_with("your") || lower.find("xxxx") != std::string::npos ||
         std::ranges::all_of(value, is_digit);
}

/// True if a value is a path. A leading `/` alone is not enough, because base64 may begin with it.
bool is_path(std::string_view name, std::string_view value) {
  if (value.starts_with("~/") || value.starts_with("./") || value.starts_with("../"))
    return true;
  return value.starts_with('/') &&
         (has_any(name, path_words) || begins_with_any(protocol::lower(value), path_beginnings));
}

/// Returns the size of the scheme before the secret in a header such as `Authorization`.
std::size_t scheme_size(std::string_view value) {
  const auto lower = protocol::lower(value.substr(0, shortest_secret));
  const auto* const found = std::ranges::find_if(schemes, [&](auto one) { return lower.starts_with(one); });
  return found == std::end(schemes) ? 0 : found->size();
}

class secret_search {
public:
  std::vector<found_secret> find(std::string_view name, std::string_view text) {
    look(name, text);
    return std::move(result_);
  }

private:
  void look(std::string_view name, std::string_view text) {
    const auto equals = text.find('=');
    if (!text.starts_with('-'))
      look_behind(name, text);
    else if (equals != text.npos)
      look_behind(text.substr(0, equals), text.substr(equals + 1));
  }

  void look_behind(std::string_view name, std::string_view text) {
    const auto mark = mark_of(name);
    const auto end = mark == '\0' ? text.npos : text.find(mark);
    if (end == text.npos)
      return look_at_value(name, text);
    const auto begin = std::min(text.find_first_not_of(' ', end + 1), text.size());
    look_at_value(text.substr(0, end), text.substr(begin));
  }

  /// Returns the separator of name and value in the argument of some flags.
  static char mark_of(std::string_view flag) {
    if (flag == "-H" || flag == "--header" || flag == "--headers")
      return ':';
    return flag == "-e" || flag == "--env" ? '=' : '\0';
  }

  void look_at_value(std::string_view name, std::string_view text) {
    const auto value = text.substr(scheme_size(text));
    if (looks_secret(name, value))
      return add(name, value);
    url_ = text.find("://");
    for (std::size_t at = 0; at < text.size();)
      at = look_at(name, text, at);
  }

  void add(std::string_view name, std::string_view value) { result_.push_back({name, value}); }

  /// Searches at one position of a text. Returns the next position.
  std::size_t look_at(std::string_view name, std::string_view text, std::size_t at) {
    const auto rest = text.substr(at);
    if (rest.starts_with("${"))
      return std::min(text.find('}', at), text.size() - 1) + 1;
    if (rest.starts_with("://"))
      return look_at_authority(name, text, at + 3);
    if ((rest.starts_with('?') || rest.starts_with('&')) && url_ < at)
      return look_at_parameter(text, at + 1);
    if (!is_token_part(static_cast<unsigned char>(rest.front())))
      return at + 1;
    const auto before = text.substr(at - std::min(bearer.size(), at), std::min(bearer.size(), at));
    const auto is_of_bearer = protocol::lower(before) == bearer;
    const auto word = word_at(rest, is_of_bearer ? "+/=~" : "");
    if (std::ranges::any_of(word, is_digit) && looks_secret(is_of_bearer ? bearer : "", word))
      add(name, word);
    return at + word.size();
  }

  static std::string_view word_at(std::string_view text, std::string_view others) {
    const auto* const end = std::ranges::find_if_not(
        text, [&](char c) { return is_token_part(static_cast<unsigned char>(c)) || others.find(c) != others.npos; });
    return text.substr(0, static_cast<std::size_t>(end - text.begin()));
  }

  /// Searches `user:password@host`, or a token before the `@`.
  std::size_t look_at_authority(std::string_view name, std::string_view text, std::size_t at) {
    const auto end = std::min(text.find_first_of("/?# \t\"'", at), text.size());
    const auto host = text.substr(at, end - at).rfind('@');
    if (host == text.npos)
      return at;
    const auto user = text.substr(at, host);
    const auto colon = user.find(':', std::min(user.rfind('}') + 1, user.size()));
    const auto secret = user.substr(colon == user.npos ? 0 : colon + 1);
    const auto is_long = colon != user.npos || secret.size() >= shortest_token;
    if (is_long && !secret.empty() && secret.find("${") == secret.npos && !secret.starts_with('<'))
      add(name, secret);
    return at + host + 1;
  }

  std::size_t look_at_parameter(std::string_view text, std::size_t at) {
    const auto end = std::min(text.find_first_of("&# \t\"'", at), text.size());
    const auto parameter = text.substr(at, end - at);
    const auto equals = std::min(parameter.find('='), parameter.size());
    const auto value = parameter.substr(std::min(equals + 1, parameter.size()));
    if (looks_secret(parameter.substr(0, equals), value))
      add(parameter.substr(0, equals), value);
    return end;
  }

  std::vector<found_secret> result_;
  std::size_t url_ = std::string_view::npos;
};

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

bool looks_secret(std::string_view name, std::string_view value) {
  const auto lower = protocol::lower(name);
  if (value.size() < shortest_secret || value.find("${") != value.npos || is_placeholder(value) ||
      is_path(lower, value))
    return false;
  if (value.find_first_of(" \t\r\n") != value.npos)
    return has_any(lower, phrase_words);
  return (value.size() >= shortest_token && begins_with_any(value, token_beginnings)) || has_any(lower, secret_words);
}

std::vector<found_secret> secrets_in(std::string_view name, std::string_view text) {
  return secret_search{}.find(name, text);
}

std::size_t count_secrets(const json::object& entry) {
  std::size_t result = 0;
  json::object copy{entry};
  for_each_text(copy,
                [&](std::string_view name, const json::string& text) { result += secrets_in(name, text).size(); });
  const auto* const url = copy.if_contains("url");
  return result + (url && url->is_string() ? secrets_in("", url->as_string()).size() : 0);
}

void secret_taker::extract_from(std::string_view server, json::object& entry) {
  for_each_text(entry, [&](std::string_view name, json::string& text) {
    const std::string before{text};
    const auto found = secrets_in(name, before);
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
