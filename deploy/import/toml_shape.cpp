#include "deploy/import/toml_shape.hpp"

#include <algorithm>
#include <cstddef>

namespace troupe::deploy {

namespace {

constexpr std::size_t most_brackets = 32;
constexpr std::size_t most_dots = 16;

/// The size of the string that a text begins with, or of what there is of it.
std::size_t toml_string_size(std::string_view text) {
  const auto quote = text.front();
  const bool is_long = text.size() >= 3 && text[1] == quote && text[2] == quote;
  std::size_t at = is_long ? 3 : 1;
  for (; at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"')
      ++at;
    else if (!is_long && (text[at] == quote || text[at] == '\n'))
      return at + 1;
    else if (is_long && text[at] == quote && text.substr(at, 3) == text.substr(0, 3))
      break;
  }
  // Up to two quotes before the three that end it are its own.
  const auto end = text.find_first_not_of(quote, std::min(at, text.size()));
  return std::min({end, text.size(), at + 5});
}

/// The size of a string or a comment that the text begins with; 0 for anything else.
std::size_t size_to_skip(std::string_view text) {
  const auto c = text.front();
  if (c == '"' || c == '\'')
    return toml_string_size(text);
  return c == '#' ? std::min(text.find('\n'), text.size()) : 0;
}

/// Whether the test is true of one of the characters outside strings and comments.
template <class Is>
bool has_outside_strings(std::string_view text, Is is) {
  while (!text.empty()) {
    const auto skipped = size_to_skip(text);
    if (skipped == 0 && is(text.front()))
      return true;
    text.remove_prefix(std::max<std::size_t>(skipped, 1));
  }
  return false;
}

/// Follows brackets and dots.
class toml_depth {
public:
  /// Whether they are too deep with the next character.
  bool is_beyond(char c) {
    count(c);
    return brackets_ > most_brackets || dots_ > most_dots;
  }

private:
  void count(char c) {
    if (c == '.')
      ++dots_;
    else if (std::string_view("\n=,[]{}").find(c) != std::string_view::npos)
      dots_ = 0;
    if (c == '[' || c == '{')
      ++brackets_;
    else if ((c == ']' || c == '}') && brackets_ > 0)
      --brackets_;
  }

  std::size_t brackets_ = 0;
  std::size_t dots_ = 0;
};

} // namespace

bool is_too_deep_toml(std::string_view text) {
  return has_outside_strings(text, [depth = toml_depth{}](char c) mutable { return depth.is_beyond(c); });
}

bool has_foreign_toml(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark))
    text.remove_prefix(byte_order_mark.size());
  return has_outside_strings(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

} // namespace troupe::deploy
