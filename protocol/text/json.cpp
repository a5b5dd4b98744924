#include "protocol/text/json.hpp"

#include "protocol/text/checked_json.hpp"
#include "protocol/text/json_value.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>

namespace troupe::protocol {

namespace {

/// Parser handler that ignores all events: only the validity of the text matters.
struct verdict_only {
  static constexpr std::size_t max_object_size = std::size_t(-1);
  static constexpr std::size_t max_array_size = std::size_t(-1);
  static constexpr std::size_t max_key_size = std::size_t(-1);
  static constexpr std::size_t max_string_size = std::size_t(-1);
  using error = boost::json::error_code;
  using text = boost::json::string_view;
  bool on_document_begin(error&) { return true; }
  bool on_document_end(error&) { return true; }
  bool on_object_begin(error&) { return true; }
  bool on_object_end(std::size_t, error&) { return true; }
  bool on_array_begin(error&) { return true; }
  bool on_array_end(std::size_t, error&) { return true; }
  bool on_key_part(text, std::size_t, error&) { return true; }
  bool on_key(text, std::size_t, error&) { return true; }
  bool on_string_part(text, std::size_t, error&) { return true; }
  bool on_string(text, std::size_t, error&) { return true; }
  bool on_number_part(text, error&) { return true; }
  bool on_int64(std::int64_t, text, error&) { return true; }
  bool on_uint64(std::uint64_t, text, error&) { return true; }
  bool on_double(double, text, error&) { return true; }
  bool on_bool(bool, error&) { return true; }
  bool on_null(error&) { return true; }
  bool on_comment_part(text, error&) { return true; }
  bool on_comment(text, error&) { return true; }
};

std::string_view without_white(std::string_view text) {
  while (!text.empty() && is_json_space(text.front()))
    text.remove_prefix(1);
  return text;
}

/// Size of the string token that `text` begins with, both quotes included.
std::size_t string_size(std::string_view text) {
  for (std::size_t at = 1;; ++at) {
    at = text.find('"', at); // a memchr
    auto other = at - 1;
    while (text[other] == '\\')
      --other;
    if ((at - other) % 2 == 1)
      return at + 1;
  }
}

/// Size of the object or array that `text` begins with.
std::size_t nested_size(std::string_view text) {
  std::size_t depth = 0, at = 0;
  do {
    switch (text[at]) {
    case '"':
      at += string_size(text.substr(at));
      break;
    case '{':
    case '[':
      ++depth, ++at;
      break;
    case '}':
    case ']':
      --depth, ++at;
      break;
    default:
      ++at;
    }
  } while (depth != 0);
  return at;
}

/// Size of the number, or of `true` and its like, that `text` begins with.
std::size_t word_size(std::string_view text) {
  auto ends = [](char c) { return c == ',' || c == ']' || c == '}' || is_json_space(c); };
  return static_cast<std::size_t>(std::find_if(text.begin(), text.end(), ends) - text.begin());
}

std::size_t value_size(std::string_view text) {
  switch (text.front()) {
  case '"':
    return string_size(text);
  case '{':
  case '[':
    return nested_size(text);
  default:
    return word_size(text);
  }
}

/// Takes the value off the front of `rest`, with white space and a comma after it.
std::string_view take_value(std::string_view& rest) {
  auto value = rest.substr(0, value_size(rest));
  rest = without_white(rest.substr(value.size()));
  if (!rest.empty() && rest.front() == ',')
    rest = without_white(rest.substr(1));
  return value;
}

/// The code unit of the escape `\uXXXX` that `text` begins with.
std::optional<unsigned> escaped_unit(std::string_view text) {
  unsigned unit = 0;
  if (text.size() < 6 || !text.starts_with("\\u"))
    return std::nullopt;
  auto [end, error] = std::from_chars(text.data() + 2, text.data() + 6, unit, 16);
  if (error != std::errc{} || end != text.data() + 6)
    return std::nullopt;
  return unit;
}

bool is_high(std::optional<unsigned> unit) { return unit && (*unit & 0xfc00U) == 0xd800U; }
bool is_low(std::optional<unsigned> unit) { return unit && (*unit & 0xfc00U) == 0xdc00U; }

/// Replaces each half of a surrogate pair by U+FFFD, which leaves the size unchanged. JavaScript writes halves where a
/// string was cut inside a character, and reads them; the parser accepts whole pairs only.
std::string with_whole_characters(std::string_view text) {
  std::string result{text};
  for (auto at = text.find('\\'); at != text.npos; at = text.find('\\', at)) {
    auto unit = escaped_unit(text.substr(at));
    auto next = unit ? at + 6 : at + 2;
    if (is_high(unit) && is_low(escaped_unit(text.substr(std::min(next, text.size())))))
      next += 6;
    else if (is_high(unit) || is_low(unit))
      result.replace(at, 6, "\\ufffd");
    at = std::min(next, text.size());
  }
  return result;
}

/// Whether a byte stands for itself in a JSON string, regardless of its neighbours.
bool stands_for_itself(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }

/// Returns the text after its first bracket; an empty text if it does not begin with that bracket.
std::string_view after(char bracket, std::string_view text) {
  text = without_white(text);
  return text.starts_with(bracket) ? without_white(text.substr(1)) : std::string_view{};
}

bool may_have_halves(std::string_view text) { return text.find("\\ud") != text.npos || text.find("\\uD") != text.npos; }

} // namespace

std::optional<std::string_view> member_start(std::string_view object, std::initializer_list<std::string_view> path) {
  auto rest = trimmed(object);
  for (auto name : path) {
    if (!rest.starts_with('{'))
      return std::nullopt;
    object_reader members{rest};
    if (!members.find(name))
      return std::nullopt;
    rest = members.rest();
  }
  return rest;
}

std::optional<std::string> json_error(std::string_view text) {
  if (surely_valid(text))
    return std::nullopt;
  std::string whole;
  if (may_have_halves(text))
    text = whole = with_whole_characters(text);
  boost::json::parse_options options;
  options.max_depth = max_json_depth;
  boost::json::basic_parser<verdict_only> parser{options};
  boost::json::error_code error;
  auto used = parser.write_some(false, text.data(), text.size(), error);
  if (!error && used < text.size())
    error = boost::json::error::extra_data;
  if (error)
    return error.message() + " at byte " + std::to_string(used);
  return std::nullopt;
}

bool is_json_object(std::string_view text) { return trimmed(text).starts_with('{') && !json_error(text); }

// -- object_reader -------------------------------------------------------------

object_reader::object_reader(std::string_view object) : rest_{after('{', object)} {}

bool object_reader::next() {
  if (!next_key())
    return false;
  value_ = take_value(rest_);
  return true;
}

bool object_reader::next_key() {
  if (rest_.empty() || rest_.front() == '}')
    return false;
  auto token = rest_.substr(0, string_size(rest_));
  key_ = token.substr(1, token.size() - 2);
  if (key_.find('\\') != key_.npos) {
    decoded_ = *string_value(token);
    key_ = decoded_;
  }
  rest_ = without_white(rest_.substr(token.size()));
  rest_ = without_white(rest_.substr(1));
  return true;
}

bool object_reader::find(std::string_view name) {
  while (next_key()) {
    if (key_ == name)
      return true;
    take_value(rest_);
  }
  return false;
}

// -- array_reader --------------------------------------------------------------

array_reader::array_reader(std::string_view array) : rest_{after('[', array)} {}

bool array_reader::next() {
  if (rest_.empty() || rest_.front() == ']')
    return false;
  value_ = take_value(rest_);
  return true;
}

// -- functions -----------------------------------------------------------------

std::vector<std::string_view> members_named(std::string_view object, std::string_view name) {
  std::vector<std::string_view> result;
  for (object_reader members{object}; members.next();)
    if (members.key() == name)
      result.push_back(members.value());
  return result;
}

std::optional<std::string_view> find_member(std::string_view object, std::initializer_list<std::string_view> path) {
  auto start = member_start(object, path);
  return start && path.size() > 0 ? start->substr(0, value_size(*start)) : start;
}

bool has_half_character(std::string_view token) {
  return may_have_halves(token) && with_whole_characters(token) != token;
}

std::optional<std::string> string_value(std::string_view token) {
  if (token.size() < 2 || token.front() != '"')
    return std::nullopt;
  auto characters = token.substr(1, token.size() - 2);
  if (characters.find('\\') == characters.npos)
    return std::string{characters};
  boost::json::error_code error;
  auto value = boost::json::parse(with_whole_characters(token), error);
  if (error)
    return std::nullopt;
  return std::string{value.as_string()};
}

boost::json::value json_value(std::string_view token) {
  boost::json::parse_options options;
  options.max_depth = max_json_depth;
  boost::json::error_code never;
  return boost::json::parse(with_whole_characters(token), never, {}, options);
}

/// Most strings are plain, and fast to write.
std::string quoted(std::string_view characters) {
  if (std::ranges::all_of(characters, stands_for_itself))
    return std::string{'"'}.append(characters).append(1, '"');
  return boost::json::serialize(boost::json::string_view{characters.data(), characters.size()});
}

std::string_view trimmed(std::string_view text) {
  text = without_white(text);
  while (!text.empty() && is_json_space(text.back()))
    text.remove_suffix(1);
  return text;
}

} // namespace troupe::protocol
