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

/// Follows brackets and dots outside strings and comments.
class toml_depth {
public:
  bool is_too_deep(std::string_view text) {
    while (!text.empty() && !is_beyond())
      text.remove_prefix(take(text));
    return is_beyond();
  }

private:
  bool is_beyond() const { return brackets_ > most_brackets || dots_ > most_dots; }

  std::size_t take(std::string_view text) {
    const auto c = text.front();
    if (c == '"' || c == '\'')
      return toml_string_size(text);
    if (c == '#')
      return std::min(text.find('\n'), text.size());
    count(c);
    return 1;
  }

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

bool is_too_deep_toml(std::string_view text) { return toml_depth{}.is_too_deep(text); }

} // namespace troupe::deploy
