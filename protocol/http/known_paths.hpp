#pragma once

#include "protocol/http/path.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// The paths at which a gateway answers: its own, and further ones for all servers merged, which it was told of.
class known_paths {
public:
  /// A further path of an endpoint; the first one of `messages` is told to clients of HTTP+SSE.
  void add(endpoint to, std::string path) { more_.emplace_back(to, std::move(path)); }

  /// Clients find all paths behind this one, such as `/troupe`, which a proxy takes away, or may not.
  void stand_behind(std::string prefix) { prefix_ = std::move(prefix); }

  path read(std::string_view path_and_query) const;
  /// A path without that prefix, unless it is one of ours with it.
  std::string_view without_prefix(std::string_view path_and_query) const;
  /// The path and query that clients of HTTP+SSE POST to.
  std::string messages(std::string_view server, std::string_view session) const;

private:
  path find(std::string_view path_and_query) const;
  std::string first(endpoint to) const;

  std::string prefix_;
  std::vector<std::pair<endpoint, std::string>> more_;
};

/// Why a path cannot be one of these, to be read after it; empty when it can. A path begins with `/`, does not end with
/// it, has no query, no empty parts and none that begins with a dot, at most 256 bytes, and is none of the gateway's
/// own.
std::string fault_of_path(std::string_view path);

/// Why clients cannot find the gateway behind a path, to be read after it; empty when they can. It has the form of a
/// further path, and only characters that need no escape in a URL.
std::string fault_of_prefix(std::string_view path);
/// What stands behind a prefix, with its slash; nothing when the path is none behind it.
std::string_view behind_prefix(std::string_view prefix, std::string_view path_and_query);

} // namespace troupe::protocol
