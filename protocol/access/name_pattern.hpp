#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// The kinds of things that a server offers.
enum class offered { tool, prompt, resource };

/// The pattern of a rule, for the names of things or the URIs of resources; see `fits_glob`. One for URIs is the same
/// in whatever spelling it is written: with escapes or without, with the host of this machine, with dot segments. An
/// escaped `*` or `?` stands for itself.
class name_pattern {
public:
  name_pattern(offered kind, std::string text);

  /// As it was written.
  const std::string& text() const { return text_; }
  /// What it takes to compare it with a name, in about the bytes that are looked at.
  std::size_t effort_for(std::string_view name) const;
  /// Whether it fits a name, or one of the readings of a URI.
  bool fits(std::string_view name) const;
  /// Whether it is about files of that host by name, in lower case; a `*` alone names none.
  bool names_file_host(std::string_view host) const;

  friend bool operator==(const name_pattern&, const name_pattern&) = default;

private:
  struct spelling {
    /// With `unwritten_wildcards`.
    std::string text;
    /// How much of it comes before the first of these.
    std::size_t literal;

    friend bool operator==(const spelling&, const spelling&) = default;
  };

  static spelling spelled(std::string text);
  static bool begins_as(const spelling& one, std::string_view name);

  std::string text_;
  std::vector<spelling> spellings_;
  std::vector<std::string> file_hosts_;
};

} // namespace troupe::protocol
