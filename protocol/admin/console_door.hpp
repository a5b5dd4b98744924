#pragma once

#include "protocol/admin/admin_door.hpp"
#include "protocol/http/http.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace troupe::protocol {

/// A file of the operators' console. The texts stay.
struct console_file {
  std::string_view path;
  std::string_view type;
  std::string_view text;
};

/// The answer to a request for one of the files; nothing when it is for none of them. They hold no secret, so that it
/// takes no token, but `Host` and origin are asked for as elsewhere: only to come in by a link of another site is
/// allowed. What a browser is told about a file lets the page have nothing but these files and the operators'
/// interface.
std::optional<http_response> enter_console(const http_request& request, const admin_rules& rules,
                                           std::span<const console_file> files);

} // namespace troupe::protocol
