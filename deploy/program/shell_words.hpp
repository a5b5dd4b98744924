#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// The words of a command line, split by the shell's quoting rules (single quotes, double quotes, backslash) and
/// by nothing else of the shell: no variables, patterns or pipes. Nothing when a quote is left open or a backslash
/// stands at the end.
std::optional<std::vector<std::string>> shell_words(std::string_view line);

} // namespace troupe::deploy
