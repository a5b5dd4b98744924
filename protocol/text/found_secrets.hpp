#pragma once

#include <string_view>
#include <vector>

namespace troupe::protocol {

/// True if a literal value of this variable, header or flag is likely to be secret. Evidence is the name, or a
/// beginning as of tokens of well-known services. False for references to variables, and for paths.
bool looks_secret(std::string_view name, std::string_view value);

/// Part of a text that looks secret, and its name.
struct found_secret {
  std::string_view name;
  std::string_view value;
};

/// Returns the parts of a text that look secret, in order: all of it, or the part after `Bearer ` or a flag's `=`. Also
/// values of `--header` and `--env`, tokens of well-known services anywhere, and passwords and parameters of URLs.
std::vector<found_secret> secrets_in(std::string_view name, std::string_view text);

} // namespace troupe::protocol
