#pragma once

#include "protocol/http/http.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::net {

/// Ways to mark the end of an answer.
enum class framing { length, chunked, until_close };

/// Returns the status line and the fields of an answer, up to and with the empty line. The text has capacity for `room`
/// more bytes.
std::string head_text(const protocol::http_response& answer, framing body, bool keep_alive, std::size_t room = 0);

/// Returns a chunk of a chunked body (RFC 9112, 7.1). `bytes` is never empty: an empty chunk would end the body.
std::string chunk_text(std::string_view bytes);
inline constexpr const char* last_chunk = "0\r\n\r\n";

} // namespace troupe::net
