#pragma once

#include <atomic>

namespace troupe::actors {

/// Whether another node of the cluster takes new sessions: told by the router, read by the registry. None does until it
/// is told.
class open_nodes {
public:
  void tell(bool are_there) { are_there_.store(are_there, std::memory_order_relaxed); }
  bool are_there() const { return are_there_.load(std::memory_order_relaxed); }

private:
  std::atomic<bool> are_there_ = false;
};

} // namespace troupe::actors
