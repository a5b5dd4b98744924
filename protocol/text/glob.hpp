#pragma once

#include <optional>
#include <string>
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

/// Bytes that no text in UTF-8 has: so a `*` that was escaped in a pattern is itself.
inline constexpr wildcards unwritten_wildcards{'\xff', '\xfe'};

/// Words that stand for the wildcards of a pattern while it is read as a URI: letters and digits, which all readers
/// leave as they are, and which the pattern does not have.
class wildcard_words {
public:
  explicit wildcard_words(std::string_view pattern);

  /// The pattern with the words in place of `*` and `?`.
  std::string put_into(std::string_view pattern) const;
  /// The text with `unwritten_wildcards` in place of the words.
  std::string taken_out_of(std::string text) const;
  bool are_in(std::string_view text) const;

private:
  std::string any_ = "any";
  std::string one_ = "one";
};

/// What is wrong with a pattern for URIs: its host is written so that no URI could be found to have it, as with letters
/// that are not ASCII, or it has an escape for a wildcard's byte. Nothing for a good one.
std::optional<std::string> refuse_uri_pattern(std::string_view pattern);

} // namespace troupe::protocol
