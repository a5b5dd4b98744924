#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// The parts of a URI, as a library reads them that goes on where RFC 3986 is violated.
struct lenient_uri {
  /// In lower case.
  std::string scheme;
  /// User, host and port; nothing when there is none, not even an empty one.
  std::optional<std::string> authority = {};
  std::string path = {};
  /// With its `?`; empty when there is none.
  std::string query = {};
  /// With its `#`; empty when there is none.
  std::string fragment = {};
  /// Another library may take the host for another one: what it becomes is in tables of Unicode, it is a number, or an
  /// address that can be written otherwise.
  bool has_doubtful_host = false;
};

/// What dots do not lead out of, at the beginning of a file's path: a drive of Windows as WHATWG has it, or whatever
/// begins as one, as Node has it.
enum class drives { of_whatwg, of_node };

/// As browsers, Node and Rust read it (WHATWG URL, 4.4 "URL parsing"); nothing when it has no scheme. Also reads some
/// that these refuse.
std::optional<lenient_uri> read_as_browser(std::string_view uri, drives which);

/// As Python's `urlparse` reads it, and others that leave the path as it is; nothing when it has no scheme.
std::optional<lenient_uri> read_as_python(std::string_view uri);

/// Whether browsers know the scheme, in lower case, and how hosts and ports of it are written (WHATWG URL, 3.1).
bool is_special_scheme(std::string_view scheme);

/// The text with its escapes resolved; what is no escape stays.
std::string leniently_decoded(std::string_view text);

/// The path as a system resolves it: without doubled slashes and dot segments.
std::string resolved_path(std::string_view path);

} // namespace troupe::protocol
