#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Wildcard characters of a pattern.
struct wildcards {
  char any = '*';
  char one = '?';
};

/// Whether the whole text matches the pattern: `*` matches any characters, `?` exactly one; case matters. The time is
/// bounded by the product of both lengths, for any pattern.
bool fits_glob(std::string_view pattern, std::string_view text, wildcards signs = {});

/// Wildcards as bytes that no UTF-8 text has, so that an escaped `*` in a pattern stays literal.
inline constexpr wildcards unwritten_wildcards{'\xff', '\xfe'};

/// Words that replace the wildcards of a pattern while it is parsed as a URI. They consist of letters and digits, which
/// all parsers leave unchanged, and do not occur in the pattern.
class wildcard_words {
public:
  explicit wildcard_words(std::string_view pattern);

  /// Returns the pattern with the words in place of `*` and `?`.
  std::string put_into(std::string_view pattern) const;
  /// Returns the text with `unwritten_wildcards` in place of the words.
  std::string taken_out_of(std::string text) const;
  bool are_in(std::string_view text) const;

private:
  std::string any_ = "any";
  std::string one_ = "one";
};

/// Returns the error of a pattern for URIs; nullopt for a good one. Bad: a host that no URI could be found to have,
/// such as one with letters outside ASCII, or an escape for a wildcard's byte.
std::optional<std::string> refuse_uri_pattern(std::string_view pattern);

} // namespace troupe::protocol
