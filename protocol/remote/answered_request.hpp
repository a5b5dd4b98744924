#pragma once

#include "protocol/message/message.hpp"

#include <string>

namespace troupe::protocol {

/// Whether a response that came over an exchange with this one request is the answer to it: an error without an id, or
/// its id as a string, is for that one too.
bool answers(const message& response, const std::string& id);

/// The response under our id, whatever id the server gave it.
message under_id(message response, const std::string& id);

} // namespace troupe::protocol
