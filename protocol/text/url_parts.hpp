#pragma once

#include "protocol/text/host_port.hpp"

#include <boost/url/url_view.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

// Parsing that URLs of all schemes share (RFC 3986). `why_not` gets one line that names the wrong part but never
// repeats it: any part may be a secret.

/// Parses a URL that begins with a scheme and `//`. The result refers to the text.
std::optional<boost::urls::url_view> parse_parts(std::string_view text, std::string& why_not);

/// The host, in lower case, and the port of a URL, `default_port` when it has none.
std::optional<host_port> host_port_of(const boost::urls::url_view& url, std::uint16_t default_port,
                                      std::string& why_not);

} // namespace troupe::protocol
