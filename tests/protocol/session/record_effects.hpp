#pragma once

#include "tests/support/session_driver.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace troupe::tests {

/// The record of a session that keeps one and began with `hello("\"i\"")`.
inline session_record record(bool is_initialized = true) {
  return {.path = "p", .initialize = hello("\"i\""), .version = "2025-11-25", .initialized = is_initialized};
}

/// Effects of such a session: a changed record, an event of a stream, and the purpose of a stream.
inline remember remembers(const session_record& one) { return {record_text(one)}; }
inline keep_event keeps(exchange_id stream, std::uint64_t position, std::string text, bool vital) {
  return {{stream, position, std::move(text), vital}};
}
inline keep_event keeps_listener(exchange_id stream) { return keeps(stream, 0, R"({"listens":true})", false); }
inline keep_event keeps_call(exchange_id stream, const std::string& ids) {
  return keeps(stream, 0, R"({"answers":[)" + ids + "]}", false);
}

} // namespace troupe::tests
