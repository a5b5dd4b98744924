#include "deploy/program/shell_words.hpp"

#include <utility>

namespace troupe::deploy {

namespace {

/// Splitter of a command line into words.
class splitter {
public:
  explicit splitter(std::string_view line) : rest_(line) {}

  bool at_end() {
    const auto begin = rest_.find_first_not_of(" \t\n");
    rest_.remove_prefix(begin == std::string_view::npos ? rest_.size() : begin);
    return rest_.empty();
  }

  std::optional<std::string> word() {
    std::string result;
    while (!rest_.empty() && std::string_view(" \t\n").find(rest_.front()) == std::string_view::npos)
      if (!piece(result))
        return std::nullopt;
    return result;
  }

private:
  bool piece(std::string& word) {
    switch (const char c = next()) {
    case '\'':
      return single_quoted(word);
    case '"':
      return double_quoted(word);
    case '\\':
      return escaped(word);
    default:
      word += c;
      return true;
    }
  }

  bool single_quoted(std::string& word) {
    const auto end = rest_.find('\'');
    if (end == std::string_view::npos)
      return false;
    word += rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return true;
  }

  bool double_quoted(std::string& word) {
    while (!rest_.empty()) {
      const char c = next();
      if (c == '"')
        return true;
      // In double quotes, a backslash quotes only these characters.
      if (c == '\\' && !rest_.empty() && std::string_view("$`\"\\\n").find(rest_.front()) != std::string_view::npos)
        escaped(word);
      else
        word += c;
    }
    return false;
  }

  bool escaped(std::string& word) {
    if (rest_.empty())
      return false;
    if (const char c = next(); c != '\n') // a quoted line break continues the line
      word += c;
    return true;
  }

  char next() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  std::string_view rest_;
};

} // namespace

std::optional<std::vector<std::string>> shell_words(std::string_view line) {
  std::vector<std::string> result;
  splitter words{line};
  while (!words.at_end()) {
    auto word = words.word();
    if (!word)
      return std::nullopt;
    result.push_back(std::move(*word));
  }
  return result;
}

} // namespace troupe::deploy
