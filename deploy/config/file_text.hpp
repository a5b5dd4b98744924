#pragma once

#include <cstddef>
#include <optional>
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

/// A file's text; when it is longer than `longest`, one byte more than that. Nothing, and the reason in `errno`, when
/// it cannot be read.
std::optional<std::string> file_text(const std::string& path, std::size_t longest);

/// The same of a file that may be anything: what is none of a disk, such as a pipe, is neither waited for nor read.
std::optional<std::string> regular_file_text(const std::string& path, std::size_t longest);

/// Whether there is a file that this process may read.
bool is_readable(const std::string& path);

} // namespace troupe::deploy
