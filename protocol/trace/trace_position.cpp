#include "protocol/trace/trace_position.hpp"

#include "protocol/text/base_encodings.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <charconv>

namespace troupe::protocol {

namespace {

constexpr std::size_t traceparent_size = 55;
constexpr std::uint8_t sampled_flag = 0x01;
constexpr std::uint8_t random_flag = 0x02;

bool is_lower_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

template <class Number>
std::optional<Number> read_lower_hex(std::string_view digits) {
  Number number{};
  if (!std::ranges::all_of(digits, is_lower_hex))
    return std::nullopt;
  std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return number;
}

bool has_dashes(std::string_view text) { return text[2] == '-' && text[35] == '-' && text[52] == '-'; }

/// Whether a text has the length of its version. Those of newer versions may continue after a further dash.
bool has_form_of_version(std::string_view text, std::uint8_t version) {
  if (version == 0xff)
    return false;
  return text.size() == traceparent_size || (version > 0 && text[traceparent_size] == '-');
}

bool is_passable(char c) { return c >= ' ' && c <= '~'; }

} // namespace

std::optional<trace_position> read_traceparent(std::string_view text) {
  if (text.size() < traceparent_size || !has_dashes(text))
    return std::nullopt;
  auto version = read_lower_hex<std::uint8_t>(text.substr(0, 2));
  auto high = read_lower_hex<std::uint64_t>(text.substr(3, 16)),
       low = read_lower_hex<std::uint64_t>(text.substr(19, 16));
  auto span = read_lower_hex<std::uint64_t>(text.substr(36, 16));
  auto flags = read_lower_hex<std::uint8_t>(text.substr(53, 2));
  if (!version || !high || !low || !span || !flags || !has_form_of_version(text, *version))
    return std::nullopt;
  if ((*high == 0 && *low == 0) || *span == 0)
    return std::nullopt;
  return trace_position{.high = *high,
                        .low = *low,
                        .span = *span,
                        .is_sampled = (*flags & sampled_flag) != 0,
                        .is_random = (*flags & random_flag) != 0};
}

std::string traceparent_text(const trace_position& of) {
  std::string result;
  append_traceparent(result, of);
  return result;
}

void append_traceparent(std::string& to, const trace_position& of) {
  const auto at = to.size();
  to += "00-00000000000000000000000000000000-0000000000000000-00";
  write_trace_id(of, &to[at + 3]);
  write_hex(of.span, &to[at + 36]);
  to.back() = static_cast<char>('0' + (of.is_sampled ? sampled_flag : 0) + (of.is_random ? random_flag : 0));
}

std::string trace_id_text(const trace_position& of) {
  std::string result(32, '0');
  write_trace_id(of, result.data());
  return result;
}

void write_trace_id(const trace_position& of, char* to) {
  write_hex(of.high, to);
  write_hex(of.low, to + 16);
}

std::string span_id_text(std::uint64_t id) { return hex(id); }

std::string passable(std::string_view text, std::size_t longest) {
  text = without_blanks(text);
  return text.size() <= longest && std::ranges::all_of(text, is_passable) ? std::string{text} : std::string{};
}

} // namespace troupe::protocol
