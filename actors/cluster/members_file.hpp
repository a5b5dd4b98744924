#pragma once

#include "actors/runtime/event_log.hpp"
#include "net/guarded.hpp"
#include "net/worker_pool.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::actors {

/// File with the addresses of the members, for the next start of this node. Without it the node still works: a failure
/// is logged once, until a write succeeds. Destroying it waits for the last write.
class members_file {
public:
  members_file(std::string path, std::string node, event_log log)
      : path_{std::move(path)}, node_{std::move(node)}, log_{std::move(log)} {}

  /// Returns the addresses that the last run kept; none on the first start, or if the file is broken. Blocks.
  std::optional<std::vector<std::string>> read() const;
  /// Writes the file on a thread of its own. Never blocks. If a write takes long, only the newest addresses follow.
  void write(const std::vector<std::string>& addresses);

private:
  void write_newest();

  const std::string path_;
  const std::string node_;
  event_log log_;
  net::guarded<std::optional<std::string>> newest_;
  /// Used on the writer's thread only.
  bool is_failing_ = false;
  net::worker_pool writer_{1, 1};
};

} // namespace troupe::actors
