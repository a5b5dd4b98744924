#pragma once

#include "actors/troupe/gateway.hpp"

#include <string>
#include <string_view>

namespace troupe::deploy {

/// `text` as the inside of a JSON string. Nothing that could start a line, colour a terminal or break a parser is
/// left as it was: control characters and line separators become `\u` escapes, a byte that is no UTF-8 `\ufffd`.
std::string escaped(std::string_view text);

/// A record for people: `listening url=http://127.0.0.1:8080/mcp`. Values are quoted where they need it.
std::string text_line(const log_record& record);

/// A record as the members of a JSON object: `"msg":"listening","url":"http://127.0.0.1:8080/mcp"`.
std::string json_members(const log_record& record);

} // namespace troupe::deploy
