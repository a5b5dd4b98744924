#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace troupe::deploy {

/// A file's text; when it is longer than `longest`, one byte more than that. Nothing, and the reason in `errno`, when
/// it cannot be read.
std::optional<std::string> file_text(const std::string& path, std::size_t longest);

/// The same of a file that may be anything: what is none of a disk, such as a pipe, is neither waited for nor read.
std::optional<std::string> regular_file_text(const std::string& path, std::size_t longest);

/// Whether there is a file that this process may read.
bool is_readable(const std::string& path);

} // namespace troupe::deploy
