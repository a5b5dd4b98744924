#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Returns the text from the value under a path of member names on, without a search for the end of the value. For
/// object and array readers, which stop there by themselves, and for checks of how a value begins.
std::optional<std::string_view> member_start(std::string_view object, std::initializer_list<std::string_view> path);

/// Maximum nesting depth of a message; tool schemas in the wild exceed 32.
inline constexpr std::size_t max_json_depth = 128;

/// Range of a text, in bytes.
struct slice {
  std::size_t at = 0;
  std::size_t size = 0;
};

/// Whether a character is white space between the tokens of a JSON text (RFC 8259, section 2).
constexpr bool is_json_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/// Returns the error of a JSON text in its syntax, depth or UTF-8; nullopt if it is valid.
std::optional<std::string> json_error(std::string_view text);

/// Whether a text is a JSON object, possibly with white space around it.
bool is_json_object(std::string_view text);

/// Walks the members of an object, without copying; a text that is no object has none. Requires a text that
/// `json_error` found valid, or an empty one.
class object_reader {
public:
  explicit object_reader(std::string_view object);
  /// Advances to the next member; false if there is none.
  bool next();
  /// Name of the member with its escapes resolved; valid until `next`.
  std::string_view key() const { return key_; }
  /// Value of the member as it stands in the text.
  std::string_view value() const { return value_; }

  /// Advances to the next member of that name without reading its value: `rest` then begins with the value, and `value`
  /// is not set. False if there is none.
  bool find(std::string_view name);
  std::string_view rest() const { return rest_; }

private:
  bool next_key();

  std::string_view rest_;
  std::string_view key_;
  std::string_view value_;
  std::string decoded_;
};

/// Walks the elements of an array, without copying; a text that is no array has none. Requires a text that `json_error`
/// found valid, or an empty one.
class array_reader {
public:
  explicit array_reader(std::string_view array);
  bool next();
  std::string_view value() const { return value_; }

private:
  std::string_view rest_;
  std::string_view value_;
};

/// Finds the value under a path of member names, such as `{"params", "protocolVersion"}`.
std::optional<std::string_view> find_member(std::string_view object, std::initializer_list<std::string_view> path);

/// Returns the characters of a JSON string; nullopt if the token is not a string.
std::optional<std::string> string_value(std::string_view token);

/// Returns the values of all members of that name; none if the text is no object.
std::vector<std::string_view> members_named(std::string_view object, std::string_view name);

/// Whether a JSON string has an escape for half of a surrogate pair only. Peers disagree on such characters, and
/// `string_value` decodes every one of them as U+FFFD.
bool has_half_character(std::string_view token);

/// Encodes a string as a JSON token, quotes included.
std::string quoted(std::string_view characters);

/// Removes the white space around a JSON text.
std::string_view trimmed(std::string_view text);

/// Returns the characters of the string under a path of member names; nullopt if there is no string.
inline std::optional<std::string> find_string(std::string_view object, std::initializer_list<std::string_view> path) {
  auto token = find_member(object, path);
  return token ? string_value(*token) : std::nullopt;
}

/// Like `find_string`; an empty text if there is no string.
inline std::string string_member(std::string_view object, std::initializer_list<std::string_view> path) {
  return find_string(object, path).value_or("");
}

} // namespace troupe::protocol
