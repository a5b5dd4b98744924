#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// The text from the value under a path of member names on: what `find_member` finds, without a look for its end. For
/// readers of objects and arrays, which stop there by themselves, and for what only depends on how the value begins.
std::optional<std::string_view> member_start(std::string_view object, std::initializer_list<std::string_view> path);

/// Deepest nesting of a message that is accepted; tool schemas in the wild exceed 32.
inline constexpr std::size_t max_json_depth = 128;

/// A part of a text, in bytes.
struct slice {
  std::size_t at = 0;
  std::size_t size = 0;
};

/// White space between the tokens of a JSON text (RFC 8259, section 2).
constexpr bool is_json_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/// Says what is wrong with a JSON text: its syntax, its depth or its UTF-8. Nothing when it is valid.
std::optional<std::string> json_error(std::string_view text);

/// Whether a text is a JSON object, with white space around it if need be.
bool is_json_object(std::string_view text);

/// Walks the members of an object, without copying. Only for a text that `json_error` found valid.
class object_reader {
public:
  explicit object_reader(std::string_view object);
  /// Goes to the next member; false when there is none.
  bool next();
  /// The member's name with its escapes resolved; valid until `next`.
  std::string_view key() const { return key_; }
  /// The member's value as it stands in the text.
  std::string_view value() const { return value_; }

  /// Goes to the next member of that name without reading its value: afterwards `rest` begins with the value, and
  /// `value` is not set. False when there is none.
  bool find(std::string_view name);
  std::string_view rest() const { return rest_; }

private:
  bool next_key();

  std::string_view rest_;
  std::string_view key_;
  std::string_view value_;
  std::string decoded_;
};

/// Walks the elements of an array, without copying. Only for a text that `json_error` found valid.
class array_reader {
public:
  explicit array_reader(std::string_view array);
  bool next();
  std::string_view value() const { return value_; }

private:
  std::string_view rest_;
  std::string_view value_;
};

/// The value under a path of member names, such as `{"params", "protocolVersion"}`.
std::optional<std::string_view> find_member(std::string_view object, std::initializer_list<std::string_view> path);

/// A JSON string's characters; nothing when the token is no string.
std::optional<std::string> string_value(std::string_view token);

/// Whether a JSON string has an escape for half of a surrogate pair only. Peers disagree on what such a character is,
/// and `string_value` reads every one of them as U+FFFD.
bool has_half_character(std::string_view token);

/// A string as a JSON token, quotes included.
std::string quoted(std::string_view characters);

/// The JSON text without the white space around it.
std::string_view trimmed(std::string_view text);

/// The characters of the string under a path of member names; empty when there is no string.
inline std::string string_member(std::string_view object, std::initializer_list<std::string_view> path) {
  auto token = find_member(object, path);
  return token ? string_value(*token).value_or("") : "";
}

} // namespace troupe::protocol
