#pragma once

#include "protocol/http/http.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::net {

/// How the end of an answer is told.
enum class framing { length, chunked, until_close };

/// The status line and the fields of an answer, up to and with the empty line. The text has room for so many bytes
/// more.
std::string head_text(const protocol::http_response& answer, framing body, bool keep_alive, std::size_t room = 0);

/// A chunk of a chunked body (RFC 9112, 7.1). Never empty: an empty chunk would end the body.
std::string chunk_text(std::string_view bytes);
inline constexpr const char* last_chunk = "0\r\n\r\n";

} // namespace troupe::net
