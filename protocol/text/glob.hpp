#pragma once

#include <string_view>

namespace troupe::protocol {

/// The characters of a pattern that stand for others.
struct wildcards {
  char any = '*';
  char one = '?';
};

/// Whether the whole text fits the pattern, in which `*` stands for any characters and `?` for exactly one; case
/// matters. The time is bounded by the product of both lengths, whatever the pattern.
bool fits_glob(std::string_view pattern, std::string_view text, wildcards signs = {});

} // namespace troupe::protocol
