#include "deploy/log/access_line.hpp"

#include "deploy/log/log_line.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::deploy {

namespace {

/// Of one value; clients choose some of them.
constexpr std::size_t longest_value = 1024;

std::string cut(const std::string& value) {
  return value.size() <= longest_value ? value : value.substr(0, longest_value) + "...";
}

std::string iso_time(std::chrono::system_clock::time_point at) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(at);
  const auto part = std::chrono::duration_cast<std::chrono::milliseconds>(at - whole);
  const auto seconds = std::chrono::system_clock::to_time_t(whole);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const auto size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S.", &parts);
  std::snprintf(text.data() + size, text.size() - size, "%03dZ", static_cast<int>(part.count()));
  return text.data();
}

std::string milliseconds_text(std::chrono::microseconds time) {
  std::array<char, 32> text{};
  const auto count = static_cast<long long>(time.count());
  std::snprintf(text.data(), text.size(), "%lld.%03lld", count / 1000, count % 1000);
  return text.data();
}

/// One name and its value.
struct access_field {
  std::string_view name;
  std::string value;
  bool is_number = false;
};

/// In the order in which they stand in a line, but for the time; empty ones too.
std::vector<access_field> fields_of(const access_record& of) {
  return {{"request_id", of.request},
          {"client", of.client},
          {"principal", of.caller},
          {"http.method", of.http_method},
          {"http.path", of.path},
          {"http.status", of.status == 0 ? "" : std::to_string(of.status), true},
          {"mcp.session.id", of.session},
          {"mcp.method.name", of.method},
          {"gen_ai.tool.name", of.tool},
          {"server", of.server},
          {"error.type", of.error},
          {"duration_ms", milliseconds_text(of.total), true},
          {"server_duration_ms", of.in_server.count() == 0 ? "" : milliseconds_text(of.in_server), true},
          {"bytes_in", std::to_string(of.bytes_in), true},
          {"bytes_out", std::to_string(of.bytes_out), true},
          {"trace_id", of.trace}};
}

} // namespace

std::string access_json(const access_record& record) {
  auto result = R"({"time":")" + iso_time(record.at) + '"';
  for (const auto& [name, value, is_number] : fields_of(record)) {
    if (value.empty())
      continue;
    (result += ",\"") += name;
    result += is_number ? "\":" + value : "\":\"" + escaped(cut(value)) + '"';
  }
  return result + '}';
}

std::string access_text(const access_record& record) {
  log_record line{.text = "access"};
  for (auto& [name, value, is_number] : fields_of(record))
    if (!value.empty())
      line.fields.emplace_back(name, cut(value));
  return iso_time(record.at) + ' ' + text_line(line);
}

} // namespace troupe::deploy
