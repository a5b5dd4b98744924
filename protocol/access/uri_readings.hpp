#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Possible readings of a URI: itself, and the results of lenient libraries (RFC 3986, 6; WHATWG URL; Python's urllib).
/// These remove dot segments, escapes, backslashes, blanks, doubled slashes, users, query or fragment. A rule that
/// matches one reading applies to the URI, since the server's reading is unknown.
struct uri_readings {
  std::vector<std::string> texts;
  /// Hosts of a `file:` URI, in lower case, except this machine. A server that takes the text after `file://` for the
  /// path finds another file there, depending on its folder.
  std::vector<std::string> file_hosts = {};
};

/// Returns the readings of a URI; nothing when they cannot be determined. Such a URI has no scheme, is a file's without
/// an absolute path, has a host in an unusual notation, or has too many readings. In that case the bytes of the
/// readings found so far are added to `effort`, unless that is null.
std::optional<uri_readings> readings_of_uri(std::string_view uri, std::size_t* effort = nullptr);

/// Returns the equivalent spellings of a URI: the `readings_of_uri` of any equivalent URI contain one of them. They are
/// fewer than its readings, by which a rule for a part would apply to the whole. User and host of a file, query and
/// fragment stay.
uri_readings spellings_of_uri(std::string_view uri);

} // namespace troupe::protocol
