#include "protocol/text/secret_mask.hpp"

#include "protocol/text/found_secrets.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <utility>

namespace troupe::protocol {

namespace {

constexpr std::string_view mask = "***";

/// Shorter values are in too many words to be replaced.
constexpr std::size_t shortest_masked = 4;
/// Shorter values of letters alone are replaced as whole words only: `postgres`, but not in `postgres-mcp`.
constexpr std::size_t shortest_in_words = 12;
/// Shortest beginning of a secret that is replaced where a text was cut.
constexpr std::size_t shortest_beginning = 4;

/// Ends of the names of variables that hold secrets (`PGPASSWORD`, `API_TOKEN_2`), and of those that hold a secret or
/// something else (`API_KEY`, `SORT_KEY`).
constexpr std::array<std::string_view, 6> secret_endings{"password", "passwd", "passphrase", "pwd", "token", "secret"};
constexpr std::array<std::string_view, 5> doubtful_endings{"key", "auth", "credentials", "cookie", "pat"};
/// Shortest value without a digit that is a secret under a name of the second kind.
constexpr std::size_t shortest_doubtful = 16;

constexpr std::array<std::string_view, 9> plain_words{"true", "false", "yes", "none",    "null",
                                                      "auto", "on",    "off", "disabled"};
constexpr std::array<std::string_view, 6> file_endings{".pem", ".key", ".crt", ".json", ".p12", ".txt"};

bool ends_with_any(std::string_view text, const auto& endings) {
  return std::ranges::any_of(endings, [&](auto end) { return text.ends_with(end); });
}

bool is_secret(std::string_view variable, std::string_view value) {
  const auto name = lower(variable.substr(0, variable.find_last_not_of("0123456789_") + 1));
  return ends_with_any(name, secret_endings) ||
         (ends_with_any(name, doubtful_endings) &&
          (value.size() >= shortest_doubtful || value.find_first_of("0123456789") != value.npos));
}

/// True for a path. A leading `/` alone is not enough, because base64 may begin with it.
bool looks_like_path(std::string_view value) {
  return value.starts_with("~/") || value.starts_with("./") || value.starts_with("../") ||
         (value.starts_with('/') && std::ranges::count(value, '/') > 1) || ends_with_any(value, file_endings);
}

bool is_plain_word(std::string_view value) {
  return std::ranges::any_of(plain_words, [&](auto word) { return same_word(value, word); });
}

bool is_of_word(char c) {
  return c == '_' || c == '-' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/// True if a secret is replaced as a whole word only.
bool is_word(std::string_view secret) {
  return secret.size() < shortest_in_words &&
         std::ranges::all_of(secret, [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; });
}

/// True if what is around a part of a text makes it a part of a longer word.
bool is_in_word(std::string_view text, std::size_t at, std::size_t size) {
  return (at > 0 && is_of_word(text[at - 1])) || (at + size < text.size() && is_of_word(text[at + size]));
}

void replace_all(std::string& text, std::string_view secret) {
  const auto is_whole = is_word(secret);
  for (auto at = text.find(secret); at != text.npos; at = text.find(secret, at))
    if (is_whole && is_in_word(text, at, secret.size()))
      at += secret.size();
    else
      text.replace(std::exchange(at, at + mask.size()), secret.size(), mask);
}

} // namespace

secret_mask::secret_mask(const std::vector<std::pair<std::string, std::string>>& environment) {
  for (auto& [name, value] : environment)
    add_of(name, value);
  std::ranges::sort(secrets_, std::greater{}, &std::string::size);
}

/// Each line of a key in PEM is a secret.
void secret_mask::add_of(std::string_view name, std::string_view value) {
  const auto is_pem = value.find("-----BEGIN") != value.npos;
  for (auto line : words_in(value, "\r\n")) {
    line = without_blanks(line);
    add_parts(line);
    const auto is_readable = looks_like_path(line) || is_plain_word(line) || line.starts_with("-----");
    if (!is_readable && (is_pem || is_secret(name, line)))
      add(line);
  }
}

/// Adds the secrets in a URL, and those in a text such as `Endpoint=x;SharedAccessKey=y`.
void secret_mask::add_parts(std::string_view text) {
  for (const auto& secret : secrets_in("", text))
    add(secret.value);
  for (auto part : words_in(text, "; "))
    if (auto equals = part.find('='); equals != part.npos && is_secret(part.substr(0, equals), part.substr(equals + 1)))
      add(part.substr(equals + 1));
}

void secret_mask::add(std::string_view secret) {
  if (secret.size() >= shortest_masked)
    secrets_.emplace_back(secret);
}

std::string secret_mask::masked(std::string text, bool is_cut) const {
  for (auto& secret : secrets_) {
    replace_all(text, secret);
    if (is_cut)
      mask_cut_end(text, secret);
  }
  return text;
}

void secret_mask::mask_cut_end(std::string& text, std::string_view secret) {
  for (auto size = std::min(secret.size() - 1, text.size()); size >= shortest_beginning; --size)
    if (text.ends_with(secret.substr(0, size))) {
      text.replace(text.size() - size, size, mask);
      return;
    }
}

} // namespace troupe::protocol
