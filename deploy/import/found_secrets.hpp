#pragma once

#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Whether a literal value under this name, of a variable, a header or a flag, is likely to be secret: by its name, or
/// because it begins as tokens of well-known services do. What refers to a variable is not, nor is a path.
bool looks_secret(std::string_view name, std::string_view value);

/// A part of a text that looks secret, and what it is called there.
struct found_secret {
  std::string_view name;
  std::string_view value;
};

/// The parts of a text under this name, from its beginning on: all of it, what follows `Bearer ` or the `=` of a flag,
/// the value of a header behind `--header` and of a variable behind `--env`, tokens of well-known services wherever
/// they stand, and the password and parameters of URLs.
std::vector<found_secret> secrets_in(std::string_view name, std::string_view text);

} // namespace troupe::deploy
