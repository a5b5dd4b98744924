#include "deploy/log/access_line.hpp"

#include "deploy/log/log_line.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string_view>

namespace troupe::deploy {

namespace {

/// Of one value; clients choose some of them.
constexpr std::size_t longest_value = 1024;

std::string cut(const std::string& value) {
  return value.size() <= longest_value ? value : value.substr(0, longest_value) + "...";
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

std::string milliseconds_text(std::chrono::microseconds time) {
  auto result = std::to_string(time.count() / 1000) + '.';
  append_padded(result, time.count() % 1000);
  return result;
}

/// Gives each name and value that a line has, in their order, to `take(name, value, is_number)`; none that is empty.
template <class Take>
void each_field(const access_record& of, Take take) {
  auto text = [&](std::string_view name, const std::string& value) {
    if (!value.empty())
      take(name, value, false);
  };
  auto number = [&](std::string_view name, const std::string& value) { take(name, value, true); };
  text("request_id", of.request);
  text("client", of.client);
  text("principal", of.caller);
  text("http.method", of.http_method);
  text("http.path", of.path);
  if (of.status != 0)
    number("http.status", std::to_string(of.status));
  text("mcp.session.id", of.session);
  text("mcp.method.name", of.method);
  text("gen_ai.tool.name", of.tool);
  text("server", of.server);
  text("error.type", of.error);
  number("duration_ms", milliseconds_text(of.total));
  if (of.in_server.count() != 0)
    number("server_duration_ms", milliseconds_text(of.in_server));
  number("bytes_in", std::to_string(of.bytes_in));
  number("bytes_out", std::to_string(of.bytes_out));
  text("trace_id", of.trace);
}

/// Whether it stands in a JSON string as it is: plain text, which may end in the sign that a session's id is cut off.
bool is_plain(std::string_view text) {
  constexpr std::string_view cut_off = "…";
  if (text.ends_with(cut_off))
    text.remove_suffix(cut_off.size());
  return text.size() <= longest_value &&
         std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

} // namespace

std::string access_json(const access_record& record) {
  std::string result;
  result.reserve(512);
  append_time(result.append(R"({"time":")"), record.at);
  result += '"';
  each_field(record, [&](std::string_view name, const std::string& value, bool is_number) {
    result.append(",\"").append(name).append(is_number ? "\":" : "\":\"");
    result.append(is_number || is_plain(value) ? value : escaped(cut(value)));
    if (!is_number)
      result += '"';
  });
  return result += '}';
}

std::string access_text(const access_record& record) {
  log_record line{.text = "access"};
  each_field(record, [&](std::string_view name, const std::string& value, bool) {
    line.fields.emplace_back(name, cut(value));
  });
  std::string result;
  append_time(result, record.at);
  return result + ' ' + text_line(line);
}

} // namespace troupe::deploy
