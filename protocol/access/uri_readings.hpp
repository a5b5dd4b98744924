#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// What a URI may be read as: itself, and what libraries make of it that take dot segments, escapes, backslashes,
/// blanks, doubled slashes, query or fragment out (RFC 3986, 6; WHATWG URL). A rule about one of these has to hold for
/// it, for nobody knows how a server reads it.
std::vector<std::string> readings_of_uri(std::string_view uri);

} // namespace troupe::protocol
