#include "protocol/text/found_secrets.hpp"

#include "protocol/text/words.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

namespace troupe::protocol {

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
constexpr std::string_view bearer_scheme = "bearer ";
constexpr std::string_view schemes[] = {bearer_scheme, "basic ", "token ", "apikey ", "bot "};
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

bool is_decimal(unsigned char c) { return c >= '0' && c <= '9'; }
bool is_token_part(unsigned char c) {
  return is_decimal(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' || c == '-' || c == '.';
}

bool is_placeholder(std::string_view value) {
  const auto letters = lower(value);
  return value.starts_with('<') || letters.starts_with("your") || letters.find("xxxx") != std::string::npos ||
         std::ranges::all_of(value, is_decimal);
}

/// True if a value is a path. A leading `/` alone is not enough, because base64 may begin with it.
bool is_path(std::string_view name, std::string_view value) {
  if (value.starts_with("~/") || value.starts_with("./") || value.starts_with("../"))
    return true;
  return value.starts_with('/') && (has_any(name, path_words) || begins_with_any(lower(value), path_beginnings));
}

/// Returns the size of the scheme before the secret in a header such as `Authorization`.
std::size_t scheme_size(std::string_view value) {
  const auto letters = lower(value.substr(0, shortest_secret));
  const auto* const found = std::ranges::find_if(schemes, [&](auto one) { return letters.starts_with(one); });
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
    const auto before = text.substr(at - std::min(bearer_scheme.size(), at), std::min(bearer_scheme.size(), at));
    const auto is_of_bearer = lower(before) == bearer_scheme;
    const auto word = word_at(rest, is_of_bearer ? "+/=~" : "");
    if (std::ranges::any_of(word, is_decimal) && looks_secret(is_of_bearer ? bearer_scheme : "", word))
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

} // namespace

bool looks_secret(std::string_view name, std::string_view value) {
  const auto letters = lower(name);
  if (value.size() < shortest_secret || value.find("${") != value.npos || is_placeholder(value) ||
      is_path(letters, value))
    return false;
  if (value.find_first_of(" \t\r\n") != value.npos)
    return has_any(letters, phrase_words);
  return (value.size() >= shortest_token && begins_with_any(value, token_beginnings)) || has_any(letters, secret_words);
}

std::vector<found_secret> secrets_in(std::string_view name, std::string_view text) {
  return secret_search{}.find(name, text);
}

} // namespace troupe::protocol
