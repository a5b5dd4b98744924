#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Format of a text that is meant to be a configuration file, by its first lines.
enum class text_format { json, toml, yaml };
text_format format_of(std::string_view text);

/// Turns the JSON of editors into plain JSON: comments, trailing commas and a byte order mark become blanks. All other
/// text keeps its byte and line.
void blank_comments(std::string& text);

/// Index of the beginnings of lines.
class line_index {
public:
  explicit line_index(std::string_view text);
  /// Returns the number of the line that holds the byte; the first is 1.
  std::size_t line_of(std::size_t byte) const;

private:
  std::vector<std::size_t> begins_;
};

/// Reads a file, but no more than one byte beyond `longest`. If it cannot be read, returns empty with the reason in
/// `errno`.
std::optional<std::string> file_text(const std::string& path, std::size_t longest);

/// Reads a file as `file_text` does, but only from a disk: does not wait for or read pipes and other kinds.
std::optional<std::string> regular_file_text(const std::string& path, std::size_t longest);

/// True if the file exists and this process may read it.
bool is_readable(const std::string& path);

} // namespace troupe::deploy
