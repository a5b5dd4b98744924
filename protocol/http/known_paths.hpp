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

  path read(std::string_view path_and_query) const;
  /// The path and query that clients of HTTP+SSE POST to.
  std::string messages(std::string_view server, std::string_view session) const;

private:
  std::string first(endpoint to) const;

  std::vector<std::pair<endpoint, std::string>> more_;
};

/// Why a path cannot be one of these, to be read after it; empty when it can. A path begins with `/`, does not end with
/// it, has no query, no empty parts and none that begins with a dot, at most 256 bytes, and is none of the gateway's
/// own.
std::string fault_of_path(std::string_view path);

} // namespace troupe::protocol
