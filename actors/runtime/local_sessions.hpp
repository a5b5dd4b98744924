#pragma once

#include "protocol/delivery/delivery.hpp"

#include <caf/all.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

namespace troupe::actors {

/// What the brokers of a unit know of a session.
struct local_session {
  std::string id;
  protocol::transport via = protocol::transport::streamable_http;
  /// The server in its path; empty when it is of all servers merged.
  std::string path;
  caf::actor_addr who;
};

/// The sessions of one unit, where a broker of the same unit finds them without asking the registry. Only on the unit's
/// thread.
class local_sessions {
public:
  /// Keeps a pointer: `one` must not move or die before it is removed.
  void add(const local_session& one) { known_.emplace(one.id, &one); }
  void remove(const local_session& one) {
    if (auto found = known_.find(one.id); found != known_.end() && found->second == &one)
      known_.erase(found);
  }
  /// Null when the session is not on this unit, or is of another transport or path.
  const local_session* find(std::string_view id, protocol::transport via, std::string_view path) const {
    auto found = known_.find(id);
    auto known = found != known_.end() && found->second->via == via && found->second->path == path;
    return known ? found->second : nullptr;
  }

private:
  std::unordered_map<std::string_view, const local_session*> known_;
};

} // namespace troupe::actors
