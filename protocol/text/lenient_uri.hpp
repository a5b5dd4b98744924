#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Parts of a URI, as parsed by a library that goes on where RFC 3986 is violated.
struct lenient_uri {
  /// Scheme in lower case.
  std::string scheme;
  /// User, host and port; nullopt if there is no authority, not even an empty one.
  std::optional<std::string> authority = {};
  std::string path = {};
  /// Query with its `?`; empty if there is none.
  std::string query = {};
  /// Fragment with its `#`; empty if there is none.
  std::string fragment = {};
  /// Whether another library may read another host: the host depends on Unicode tables, is a number, or is an address
  /// with other spellings.
  bool has_doubtful_host = false;
};

/// Drives of Windows at the beginning of a file's path, which dot segments cannot remove: exact drives, as in WHATWG,
/// or any segment that begins as a drive, as in Node.
enum class drives { of_whatwg, of_node };

/// Parses a URI as browsers, Node and Rust do (WHATWG URL, 4.4 "URL parsing"); nullopt if it has no scheme. Also
/// accepts some URIs that they refuse.
std::optional<lenient_uri> read_as_browser(std::string_view uri, drives which);

/// Parses a URI as Python's `urlparse` does, and others that keep the path as it is; nullopt if it has no scheme.
std::optional<lenient_uri> read_as_python(std::string_view uri);

/// Whether browsers know the scheme, given in lower case, and the syntax of its hosts and ports (WHATWG URL, 3.1).
bool is_special_scheme(std::string_view scheme);

/// Resolves the escapes of a text; malformed ones stay.
std::string leniently_decoded(std::string_view text);

/// Resolves a path as a system does: removes doubled slashes and dot segments.
std::string resolved_path(std::string_view path);

} // namespace troupe::protocol
