#pragma once

#include "actors/troupe/access_record.hpp"
#include "actors/troupe/gateway.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::deploy {

/// Of one text, in bytes: a longer one is cut, and ends in `...`.
inline constexpr std::size_t longest_access_value = 1024;

/// Appends a record as a JSON object in one line. What is empty is left out, and so is `server_duration_ms` when no
/// server was asked.
void append_access_json(std::string& to, const access_record& record);

/// Appends a record for people: its time, the word `access`, and the same names with their values, quoted where they
/// need it.
void append_access_text(std::string& to, const access_record& record);

/// `text` as the inside of a JSON string. Nothing that could start a line, colour a terminal or break a parser is
/// left as it was: control characters and line separators become `\u` escapes, a byte that is no UTF-8 `\ufffd`.
std::string escaped(std::string_view text);

/// A record for people: `listening url=http://127.0.0.1:8080/mcp`. Values are quoted where they need it.
std::string text_line(const log_record& record);

/// A record as the members of a JSON object: `"msg":"listening","url":"http://127.0.0.1:8080/mcp"`.
std::string json_members(const log_record& record);

} // namespace troupe::deploy
