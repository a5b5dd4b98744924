#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// What a URI may be read as: itself, and what lenient libraries make of it that take dot segments, escapes,
/// backslashes, blanks, doubled slashes, users, query or fragment out (RFC 3986, 6; WHATWG URL; Python's urllib). A
/// rule about one of these has to hold for it, for nobody knows how a server reads it. Nothing when it cannot be told
/// what it is read as: it has no scheme, is a file's without an absolute path, or has a host that is written as hardly
/// anybody writes hosts, or may be read in too many ways.
std::optional<std::vector<std::string>> readings_of_uri(std::string_view uri);

} // namespace troupe::protocol
