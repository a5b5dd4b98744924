#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// What a URI may be read as: itself, and what lenient libraries make of it that take dot segments, escapes,
/// backslashes, blanks, doubled slashes, users, query or fragment out (RFC 3986, 6; WHATWG URL; Python's urllib). A
/// rule about one of these has to hold for it, for nobody knows how a server reads it.
struct uri_readings {
  std::vector<std::string> texts;
  /// The hosts of a `file:` URI, in lower case, this machine not among them. A server that takes what follows `file://`
  /// for the path finds another file there, in whatever folder it runs.
  std::vector<std::string> file_hosts = {};
};

/// Nothing when it cannot be told what a URI is read as: it has no scheme, is a file's without an absolute path, or has
/// a host that is written as hardly anybody writes hosts, or may be read in too many ways. The bytes of what it was
/// read as until then are added to `effort`, unless that is null.
std::optional<uri_readings> readings_of_uri(std::string_view uri, std::size_t* effort = nullptr);

/// The ways of writing a URI that mean the same as it does: what `readings_of_uri` gives for one that means the same
/// has one of them. Less than its readings, of which a rule for a part would hold for the whole: user and host of a
/// file, query and fragment stay.
uri_readings spellings_of_uri(std::string_view uri);

} // namespace troupe::protocol
