#include "deploy/operator/readable.hpp"

#include "deploy/log/log_line.hpp"
#include "deploy/operator/json_fields.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/json_value.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <optional>

namespace troupe::deploy {

namespace {

/// Formats a time in the operator's time zone: `14:03:59.120`.
std::string clock_text(std::chrono::milliseconds since_epoch) {
  const auto seconds = static_cast<std::time_t>(since_epoch.count() / 1000);
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%02d:%02d:%02d.%03d", parts.tm_hour, parts.tm_min, parts.tm_sec,
                static_cast<int>(since_epoch.count() % 1000));
  return text.data();
}

/// Returns a JSON-RPC id, without the quotes of a string.
std::string id_text(const std::string& token) {
  const auto characters = protocol::json_error(token) ? std::nullopt : protocol::string_value(token);
  return escaped(characters.value_or(token));
}

std::string message_line(std::string_view data) {
  const auto value = protocol::json_value(data);
  auto result = clock_text(time_at(value, "at_ms")) + " from " + escaped(text_at(value, "from"));
  for (const auto* name : {"kind", "method", "name"})
    if (const auto text = text_at(value, name); !text.empty())
      result += ' ' + escaped(text);
  if (const auto id = text_at(value, "id"); !id.empty())
    result += " id " + id_text(id);
  if (const auto error = text_at(value, "error"); !error.empty())
    result += " error " + escaped(error);
  result += ", " + whole_number_text_at(value, "bytes") + " bytes";
  if (const auto message = protocol::find_member(data, {"message"}))
    result += ' ' + safe_json(*message);
  return result;
}

using namespace std::chrono_literals;

struct character_range {
  char32_t first;
  char32_t last;
};

/// Characters two columns wide: East Asian scripts and pictographs.
constexpr character_range wide_ranges[] = {
    {0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
    {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1faff}, {0x20000, 0x3fffd}};
/// Characters of no width, which combine with the character before.
constexpr character_range joining_ranges[] = {
    {0x0300, 0x036f}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};

template <std::size_t Count>
bool is_in_ranges(const character_range (&ranges)[Count], char32_t code) {
  return std::ranges::any_of(ranges, [=](auto& range) { return code >= range.first && code <= range.last; });
}

struct shown_character {
  std::size_t size;
  std::size_t columns;
};

shown_character first_shown(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  std::size_t size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  size = std::min(size, text.size());
  char32_t code = size == 1 ? lead : lead & (0xffU >> (size + 1));
  for (const unsigned char byte : text.substr(1, size - 1))
    code = code << 6U | (byte & 0x3fU);
  return {size, is_in_ranges(joining_ranges, code) ? 0U : is_in_ranges(wide_ranges, code) ? 2U : 1U};
}

std::string formatted_number(const char* format, double number) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, number);
  return text.data();
}

std::string whole_units(std::chrono::milliseconds time, std::chrono::milliseconds unit, const char* name) {
  return std::to_string(time / unit) + ' ' + name;
}

} // namespace

std::string followed_line(const protocol::event& event) {
  if (protocol::json_error(event.data))
    return {};
  if (event.type == "lost")
    return whole_number_text_at(protocol::json_value(event.data), "messages") +
           " messages are missing here: they came too fast";
  return event.type == "message" ? message_line(event.data) : "";
}

std::string terminal_text(std::string_view text) {
  auto result = escaped(text);
  for (std::size_t at = result.find('\\'); at != result.npos; at = result.find('\\', at + 1))
    if (result[at + 1] == '"' || result[at + 1] == '\\')
      result.erase(at, 1);
  return result;
}

std::string readable_duration(std::chrono::milliseconds time) {
  if (time < 1s)
    return whole_units(time, 1ms, "ms");
  if (time < 10s)
    return std::to_string(time / 1s) + '.' + std::to_string(time % 1s / 100ms) + " s";
  if (time < 1min)
    return whole_units(time, 1s, "s");
  if (time < 1h)
    return whole_units(time, 1min, "min");
  return time < 24h ? whole_units(time, 1h, "h") : whole_units(time, 24h, "d");
}

std::string readable_bytes(std::uint64_t bytes) {
  constexpr std::array units{"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024)
    return std::to_string(bytes) + " B";
  auto number = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; number >= 1024 && unit + 1 < units.size(); ++unit)
    number /= 1024;
  return formatted_number(number < 9.95 ? "%.1f" : "%.0f", number) + ' ' + units[unit];
}

std::string readable_rate(double per_second) {
  if (!(per_second > 0))
    return "0";
  return formatted_number(per_second < 0.995 ? "%.2f" : per_second < 9.95 ? "%.1f" : "%.0f", per_second);
}

std::size_t columns_of(std::string_view text) {
  std::size_t result = 0;
  while (!text.empty()) {
    const auto [size, columns] = first_shown(text);
    result += columns;
    text.remove_prefix(size);
  }
  return result;
}

std::string cut_to(std::string_view text, std::size_t columns) {
  std::size_t kept = 0; // bytes that leave a column for the ellipsis
  std::size_t taken = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto next = first_shown(text.substr(at));
    taken += next.columns;
    if (taken > columns)
      return columns == 0 ? "" : std::string{text.substr(0, kept)} + "…";
    at += next.size;
    if (taken < columns)
      kept = at;
  }
  return std::string{text};
}

std::string safe_json(std::string_view json) {
  std::string result;
  result.reserve(json.size());
  while (!json.empty()) {
    const auto size = std::min(json.find_first_of("\"\\\n\r\t"), json.size());
    result += escaped(json.substr(0, size));
    json.remove_prefix(size);
    if (json.empty())
      break;
    const auto is_of_a_string = json.front() == '"' || json.front() == '\\';
    result += is_of_a_string ? json.front() : ' ';
    json.remove_prefix(1);
  }
  return result;
}

} // namespace troupe::deploy
