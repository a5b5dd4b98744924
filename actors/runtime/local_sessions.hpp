#pragma once

#include "net/guarded.hpp"
#include "protocol/delivery/delivery.hpp"
#include "protocol/ids.hpp"

#include <caf/all.hpp>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace troupe::actors {

/// A session or a lease, as the brokers of its unit know it.
struct local_session {
  std::string id;
  protocol::transport via = protocol::transport::streamable_http;
  /// Server in the session's path; empty for all servers merged.
  std::string path;
  caf::actor_addr who;
  /// Owner, see `protocol::identity_of`. For other callers the session does not exist.
  std::string owner = {};

  bool is(protocol::transport by, std::string_view at_path, std::string_view whose) const {
    return via == by && path == at_path && owner == whose;
  }
};

/// Location of a session.
struct session_home {
  caf::actor_addr who;
  /// Number of the session's unit.
  std::size_t unit = 0;
};

/// Id of a session or lease, or the key of a lease: an id from a client never matches a key. A view.
struct session_key {
  template <std::convertible_to<std::string_view> Id>
  session_key(const Id& id) : text{id} {}
  session_key(const protocol::lease_key& by) : text{by.text}, is_of_lease{true} {}

  friend bool operator==(const session_key&, const session_key&) = default;

  std::string_view text;
  bool is_of_lease = false;
};

struct session_key_hash {
  std::size_t operator()(const session_key& of) const { return std::hash<std::string_view>{}(of.text); }
};

/// Table of the sessions and leases of all units. Callable from any thread.
class all_sessions {
public:
  /// Stores pointers: `one` and what `by` views must not move or be destroyed before they are removed.
  void add(const local_session& one, session_key by, std::size_t unit) {
    table_.with([&](auto& known) {
      known.erase(by); // the old key is a view into the old session
      known.emplace(by, entry{&one, unit});
    });
  }
  void remove(const local_session& one, session_key by) {
    table_.with([&](auto& known) {
      if (auto found = known.find(by); found != known.end() && found->second.what == &one)
        known.erase(found);
    });
  }
  /// Returns where the session lives; empty when none has that transport, path and owner.
  std::optional<session_home> find(session_key by, protocol::transport via, std::string_view path,
                                   std::string_view owner) {
    return table_.with([&](auto& known) -> std::optional<session_home> {
      auto found = known.find(by);
      if (found == known.end() || !found->second.what->is(via, path, owner))
        return std::nullopt;
      return session_home{found->second.what->who, found->second.unit};
    });
  }

private:
  struct entry {
    const local_session* what;
    std::size_t unit;
  };

  net::guarded<std::unordered_map<session_key, entry, session_key_hash>> table_;
};

/// Table of the sessions of one unit: brokers of the unit find them here without the registry. Also finds the sessions
/// of other units. Use on the unit's thread only.
class local_sessions {
public:
  /// `unit` is the number of the unit; `all` is null when it is the only one.
  local_sessions(std::size_t unit, std::shared_ptr<all_sessions> all) : unit_{unit}, all_{std::move(all)} {}

  /// Stores pointers: `one` and what `by` views must not move or be destroyed before they are removed.
  void add(const local_session& one, session_key by) {
    table_.erase(by); // the old key is a view into the old session
    table_.emplace(by, &one);
    if (all_)
      all_->add(one, by, unit_);
  }
  void add(const local_session& one) { add(one, one.id); }
  void remove(const local_session& one, session_key by) {
    if (auto found = table_.find(by); found != table_.end() && found->second == &one)
      table_.erase(found);
    if (all_)
      all_->remove(one, by);
  }
  void remove(const local_session& one) { remove(one, one.id); }
  /// Null when the session is not on this unit, or has another transport, path or owner.
  const local_session* find(session_key by, protocol::transport via, std::string_view path,
                            std::string_view owner) const {
    auto found = table_.find(by);
    return found != table_.end() && found->second->is(via, path, owner) ? found->second : nullptr;
  }
  /// Returns where a session of any unit lives; empty when none has that transport, path and owner.
  std::optional<session_home> find_elsewhere(session_key by, protocol::transport via, std::string_view path,
                                             std::string_view owner) const {
    return all_ ? all_->find(by, via, path, owner) : std::nullopt;
  }

private:
  std::size_t unit_;
  std::unordered_map<session_key, const local_session*, session_key_hash> table_;
  std::shared_ptr<all_sessions> all_;
};

} // namespace troupe::actors
