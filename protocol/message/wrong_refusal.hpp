#pragma once

#include "protocol/message/client_profile.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Says what a server of 2026-07-28 has refused when its error, an object, is about what the gateway told it of a
/// request, and nothing that the client could mend: header fields, the version, or the lack of capabilities that the
/// client has, or that the error does not name. Nothing for all other errors (2026-07-28, "Error Codes").
std::optional<std::string> wrong_refusal(std::string_view error, const client_profile& can);

} // namespace troupe::protocol
