#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// What a text that is to be a configuration file may be, by its first lines.
enum class text_format { json, toml, yaml };
text_format format_of(std::string_view text);

/// Makes plain JSON of the JSON that editors write: comments, trailing commas and a byte order mark become blanks, so
/// that everything else stays at its byte and on its line.
void blank_comments(std::string& text);

/// Where the lines of a text begin.
class line_index {
public:
  explicit line_index(std::string_view text);
  /// The number of the line that holds the byte; the first is 1.
  std::size_t line_of(std::size_t byte) const;

private:
  std::vector<std::size_t> begins_;
};

} // namespace troupe::deploy
