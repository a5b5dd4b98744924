#pragma once

#include "protocol/delivery/delivery.hpp"

#include <caf/all.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

namespace troupe::actors {

/// A session as the brokers of its unit know it.
struct local_session {
  std::string id;
  protocol::transport via = protocol::transport::streamable_http;
  /// The server in its path; empty for that of all.
  std::string path;
  caf::actor_addr who;
};

/// The sessions that live on one unit: a broker that lives there too finds them without the registry. Only on the
/// unit's thread.
class local_sessions {
public:
  /// As long as it is not removed, it stays where it is.
  void add(const local_session& one) { known_.emplace(one.id, &one); }
  void remove(const local_session& one) {
    if (auto found = known_.find(one.id); found != known_.end() && found->second == &one)
      known_.erase(found);
  }
  /// Null when it is not here; a session of the other transport or of another path is not known.
  const local_session* find(std::string_view id, protocol::transport via, std::string_view path) const {
    auto found = known_.find(id);
    auto known = found != known_.end() && found->second->via == via && found->second->path == path;
    return known ? found->second : nullptr;
  }

private:
  std::unordered_map<std::string_view, const local_session*> known_;
};

} // namespace troupe::actors
