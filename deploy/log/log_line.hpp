#pragma once

#include "actors/troupe/access_record.hpp"
#include "actors/troupe/gateway.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::deploy {

/// Longest text of an access record, in bytes: longer texts are cut and end in `...`.
inline constexpr std::size_t longest_access_value = 1024;

/// Appends a time in UTC, to the millisecond: `2026-01-31T12:00:00.000Z`.
std::string& append_time(std::string& to, std::chrono::system_clock::time_point at);

/// Appends a record as a JSON object in one line, without empty texts. `server_duration_ms` is absent when the request
/// reached no server.
void append_access_json(std::string& to, const access_record& record);

/// Appends a record for people: its time, the word `access`, then the same names and values, quoted where necessary.
void append_access_text(std::string& to, const access_record& record);

/// Upper bound of a packed record, in bytes.
inline constexpr std::size_t largest_packed = 128 + 12 * (longest_access_value + 1);

/// Packs a record with its texts, to which it only refers, and returns the end. Packing is far quicker than formatting.
/// Texts are cut to the size that a line shows.
char* pack(char* to, const access_record& record);

/// Returns a packed record. Its texts point into `packed`.
access_record unpacked(std::string_view packed);

/// Returns `text` escaped for a JSON string. Control characters and line separators become `\u` escapes, a byte that is
/// no UTF-8 `\ufffd`: no input can start a line, colour a terminal or break a parser.
std::string escaped(std::string_view text);

/// Formats a record for people: `listening url=http://127.0.0.1:8080/mcp`. Values are quoted where necessary.
std::string text_line(const log_record& record);

/// Formats a record as the members of a JSON object: `"msg":"listening","url":"http://127.0.0.1:8080/mcp"`.
std::string json_members(const log_record& record);

} // namespace troupe::deploy
