#include "protocol/text/secret_mask.hpp"

#include "protocol/text/found_secrets.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>

namespace troupe::protocol {

namespace {

constexpr std::string_view mask = "***";

/// Shorter values are in too many words to be replaced.
constexpr std::size_t shortest_masked = 4;
/// Shortest line of a secret of several lines, such as a key in PEM.
constexpr std::size_t shortest_line = 16;
/// Shortest beginning of a secret that is replaced where a text was cut.
constexpr std::size_t shortest_beginning = 4;

/// Last part of the name of a variable that holds a secret.
constexpr std::array<std::string_view, 9> secret_names{"password", "passwd", "passphrase", "pass", "pwd",
                                                       "token",    "secret", "key",        "pat"};
constexpr std::array<std::string_view, 9> plain_words{"true", "false", "yes", "none",    "null",
                                                      "auto", "on",    "off", "disabled"};

bool is_any_of(std::string_view text, const auto& words) {
  return std::ranges::any_of(words, [&](auto word) { return same_word(text, word); });
}

bool names_secret(std::string_view variable) {
  const auto last = variable.find_last_of("_-.");
  return is_any_of(last == variable.npos ? variable : variable.substr(last + 1), secret_names);
}

bool looks_like_path(std::string_view value) {
  return value.starts_with("~/") || value.starts_with("./") || value.starts_with("../") ||
         (value.starts_with('/') && std::ranges::count(value, '/') > 1);
}

bool has_digit(std::string_view value) { return value.find_first_of("0123456789") != value.npos; }

} // namespace

secret_mask::secret_mask(const std::vector<std::pair<std::string, std::string>>& environment) {
  for (auto& [name, value] : environment)
    add_of(name, value);
  std::ranges::sort(secrets_, std::greater{}, &std::string::size);
}

void secret_mask::add_of(std::string_view name, std::string_view value) {
  if (value.find('\n') != value.npos) {
    for (auto line : words_in(value, "\r\n"))
      if (line.size() >= shortest_line && !line.starts_with("-----"))
        add(line);
  } else if (value.find("://") != value.npos) {
    for (const auto& secret : secrets_in("", value))
      add(secret.value);
  } else if (!looks_like_path(value) && !is_any_of(value, plain_words) &&
             (names_secret(name) || (looks_secret(name, value) && has_digit(value)))) {
    add(value);
  }
}

void secret_mask::add(std::string_view secret) {
  if (secret.size() >= shortest_masked)
    secrets_.emplace_back(secret);
}

std::string secret_mask::masked(std::string text, bool is_cut) const {
  for (auto& secret : secrets_) {
    for (auto at = text.find(secret); at != text.npos; at = text.find(secret, at + mask.size()))
      text.replace(at, secret.size(), mask);
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
