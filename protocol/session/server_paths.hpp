#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Maps the paths of a gateway to servers: the name of a server to that server, the empty path to all servers merged.
class server_paths {
public:
  struct server {
    std::string name;
    /// Its sessions are restored when their node dies.
    bool is_restored = false;
    /// Its tools and prompts have their own names as long as it is the only server.
    bool is_plain_alone = false;
  };

  /// A single server is served as it is, unless `merges_one`.
  explicit server_paths(bool merges_one) : merges_one_{merges_one} {}

  /// The servers, from now on.
  void serve(std::vector<server> all) { all_ = std::move(all); }

  /// The index of the server that a path leads to; nothing when the path is that of the merged servers, or of no
  /// server. For a lease, a single server is never merged that looks the same as it is: what it says to clients of
  /// 2026-07-28 may pass unchanged then. One that is merged with others later gets other leases.
  std::optional<std::size_t> find_one(std::string_view path, bool for_lease = false) const;
  bool lead_to_nobody(std::string_view path) const { return !path.empty() && !find_one(path); }
  /// Whether a session of that path can begin again on another node. One of several servers that cannot would leave it
  /// in pieces.
  bool restore(std::string_view path) const;

private:
  bool merges_one_;
  std::vector<server> all_;
};

} // namespace troupe::protocol
