#include "deploy/operator/followed.hpp"

#include "deploy/log/log_line.hpp"
#include "deploy/operator/json_fields.hpp"
#include "deploy/operator/readable.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/json_value.hpp"

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
  result += ", " + whole_text_at(value, "bytes") + " bytes";
  if (const auto message = protocol::find_member(data, {"message"}))
    result += ' ' + safe_json(*message);
  return result;
}

} // namespace

std::string followed_line(const protocol::event& event) {
  if (protocol::json_error(event.data))
    return {};
  if (event.type == "lost")
    return whole_text_at(protocol::json_value(event.data), "messages") +
           " messages are missing here: they came too fast";
  return event.type == "message" ? message_line(event.data) : "";
}

} // namespace troupe::deploy
