#include "deploy/log/access_line.hpp"

#include "deploy/log/log_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string_view>

namespace troupe::deploy {

namespace {

/// Of one value; clients choose some of them.
constexpr std::size_t longest_value = 1024;

std::string cut(std::string_view value) {
  std::string result{value.substr(0, longest_value)};
  return value.size() > longest_value ? result += "..." : result;
}

/// The time to the second, as it stands in a line: most lines of a thread are of the same.
const std::string& whole_seconds(std::chrono::sys_seconds at) {
  thread_local std::chrono::sys_seconds known{};
  thread_local std::string text;
  if (known == at && !text.empty())
    return text;
  const auto seconds = std::chrono::system_clock::to_time_t(at);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> formatted{};
  text.assign(formatted.data(), std::strftime(formatted.data(), formatted.size(), "%Y-%m-%dT%H:%M:%S", &parts));
  known = at;
  return text;
}

void append_padded(std::string& to, std::int64_t number) {
  for (auto unit : {100, 10, 1})
    to += static_cast<char>('0' + number / unit % 10);
}

void append_time(std::string& to, std::chrono::system_clock::time_point at) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(at);
  to.append(whole_seconds(whole)) += '.';
  append_padded(to, std::chrono::duration_cast<std::chrono::milliseconds>(at - whole).count());
  to += 'Z';
}

/// The name of a field, as it stands in a JSON object before a string.
class field_name {
public:
  template <std::size_t Size>
  consteval field_name(const char (&name)[Size]) : size_{Size + 4} {
    constexpr std::string_view before = ",\"", after = "\":\"";
    auto end = std::ranges::copy(before, in_json_.begin()).out;
    end = std::ranges::copy(std::string_view{name}, end).out;
    std::ranges::copy(after, end);
  }

  std::string_view text() const { return {in_json_.data() + 2, size_ - 5}; }
  std::string_view before_string() const { return {in_json_.data(), size_}; }
  std::string_view before_number() const { return {in_json_.data(), size_ - 1}; }

private:
  std::array<char, 32> in_json_{};
  std::size_t size_;
};

/// A number as it stands in a line.
class number_text {
public:
  explicit number_text(std::uint64_t number) { append(number); }
  /// In milliseconds.
  explicit number_text(std::chrono::microseconds time) {
    const auto count = static_cast<std::uint64_t>(time.count());
    append(count / 1000);
    *end_++ = '.';
    for (auto unit : {100, 10, 1})
      *end_++ = static_cast<char>('0' + count % 1000 / static_cast<unsigned>(unit) % 10);
  }

  operator std::string_view() const {
    return {characters_.data(), static_cast<std::size_t>(end_ - characters_.data())};
  }

private:
  void append(std::uint64_t number) { end_ = std::to_chars(end_, characters_.data() + characters_.size(), number).ptr; }

  std::array<char, 32> characters_;
  char* end_ = characters_.data();
};

/// Gives each name and value that a line has, in their order, to `text` or to `number`; no text that is empty.
template <class Text, class Number>
void each_field(const access_record& of, Text text, Number number) {
  auto text_if_any = [&](const field_name& name, std::string_view value) {
    if (!value.empty())
      text(name, value);
  };
  text_if_any("request_id", of.request);
  text_if_any("client", of.client);
  text_if_any("principal", of.caller);
  text_if_any("http.method", of.http_method);
  text_if_any("http.path", of.path);
  if (of.status != 0)
    number("http.status", number_text{static_cast<std::uint64_t>(of.status)});
  text_if_any("mcp.session.id", of.session);
  text_if_any("mcp.method.name", of.method);
  text_if_any("gen_ai.tool.name", of.tool);
  text_if_any("server", of.server);
  text_if_any("error.type", of.error);
  number("duration_ms", number_text{of.total});
  if (of.in_server.count() != 0)
    number("server_duration_ms", number_text{of.in_server});
  number("bytes_in", number_text{of.bytes_in});
  number("bytes_out", number_text{of.bytes_out});
  text_if_any("trace_id", of.trace);
}

/// Bytes that stand in a JSON string as they are.
constexpr auto plain_bytes = [] {
  std::array<bool, 256> result{};
  for (unsigned char c = ' '; c <= '~'; ++c)
    result[c] = c != '"' && c != '\\';
  return result;
}();

/// Whether it stands in a JSON string as it is: plain text, which may end in the sign that a session's id is cut off.
bool is_plain(std::string_view text) {
  constexpr std::string_view cut_off = "…";
  if (text.ends_with(cut_off))
    text.remove_suffix(cut_off.size());
  return text.size() <= longest_value && std::ranges::all_of(text, [](unsigned char c) { return plain_bytes[c]; });
}

} // namespace

std::string access_json(const access_record& record) {
  std::string result;
  result.reserve(512);
  append_time(result.append(R"({"time":")"), record.at);
  result += '"';
  each_field(
      record,
      [&](const field_name& name, std::string_view value) {
        result += name.before_string();
        if (is_plain(value))
          result += value;
        else
          result += escaped(cut(value));
        result += '"';
      },
      [&](const field_name& name, std::string_view value) { result.append(name.before_number()).append(value); });
  return result += '}';
}

std::string access_text(const access_record& record) {
  log_record line{.text = "access"};
  auto add = [&](const field_name& name, std::string_view value) { line.fields.emplace_back(name.text(), cut(value)); };
  each_field(record, add, add);
  std::string result;
  append_time(result, record.at);
  return result + ' ' + text_line(line);
}

} // namespace troupe::deploy
