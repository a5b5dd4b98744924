#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Where the paths of a gateway lead: the name of a server to that one, and the empty path to all of them, merged.
class server_paths {
public:
  struct server {
    std::string name;
    /// Begins again for the sessions of a node that is gone.
    bool is_restored = false;
  };

  /// A single server is not merged with nobody, unless `merges_one`.
  explicit server_paths(bool merges_one) : merges_one_{merges_one} {}

  /// The servers, from now on.
  void serve(std::vector<server> all) { all_ = std::move(all); }

  /// The place of the one server that a path leads to, in the order in which they were told; nothing when it leads to
  /// those that are merged, or to nobody.
  std::optional<std::size_t> find_one(std::string_view path) const;
  bool lead_to_nobody(std::string_view path) const { return !path.empty() && !find_one(path); }
  /// Whether a session of that path can begin again on another node. One of several servers that cannot would leave it
  /// in pieces.
  bool restore(std::string_view path) const;

private:
  bool merges_one_;
  std::vector<server> all_;
};

} // namespace troupe::protocol
