#pragma once

#include "protocol/text/host_port.hpp"

#include <boost/url/url_view.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

// How the URLs of every scheme are read (RFC 3986). `why_not` says in one line which part is wrong, without repeating
// it: any part may be a secret.

/// A URL that begins with its scheme and `//`. It refers to the text.
std::optional<boost::urls::url_view> parse_parts(std::string_view text, std::string& why_not);

/// The host in lower case and the port of a URL; the port is the scheme's own when none is written.
std::optional<host_port> place_of(const boost::urls::url_view& url, std::uint16_t own_port, std::string& why_not);

} // namespace troupe::protocol
