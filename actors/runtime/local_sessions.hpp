#pragma once

#include "net/guarded.hpp"
#include "protocol/delivery/delivery.hpp"
#include "protocol/ids.hpp"

#include <caf/all.hpp>
#include <cstddef>
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

/// Table of the sessions and leases of all units, by id. Leases with a key have a separate table by key: an id from a
/// client never matches a key. Callable from any thread.
class all_sessions {
public:
  /// Stores pointers: `one`, its id and its key must not move or be destroyed before they are removed.
  void add(const local_session& one, std::size_t unit) { add(by_id_, one.id, one, unit); }
  void add(const local_session& one, const protocol::lease_key& by, std::size_t unit) {
    add(by_key_, by.text, one, unit);
  }
  void remove(const local_session& one) { remove(by_id_, one.id, one); }
  void remove(const local_session& one, const protocol::lease_key& by) { remove(by_key_, by.text, one); }
  /// Returns where the session lives; empty when none has that transport, path and owner.
  std::optional<session_home> find(std::string_view id, protocol::transport via, std::string_view path,
                                   std::string_view owner) {
    return find_in(by_id_, id, via, path, owner);
  }
  std::optional<session_home> find(const protocol::lease_key& key, protocol::transport via, std::string_view path,
                                   std::string_view owner) {
    return find_in(by_key_, key.text, via, path, owner);
  }

private:
  struct entry {
    const local_session* what;
    std::size_t unit;
  };
  using table = net::guarded<std::unordered_map<std::string_view, entry>>;

  static void add(table& to, std::string_view by, const local_session& one, std::size_t unit) {
    to.with([&](auto& known) {
      known.erase(by);
      known.emplace(by, entry{&one, unit});
    });
  }
  static void remove(table& from, std::string_view by, const local_session& one) {
    from.with([&](auto& known) {
      if (auto found = known.find(by); found != known.end() && found->second.what == &one)
        known.erase(found);
    });
  }
  static std::optional<session_home> find_in(table& all, std::string_view by, protocol::transport via,
                                             std::string_view path, std::string_view owner) {
    return all.with([&](auto& known) -> std::optional<session_home> {
      auto found = known.find(by);
      if (found == known.end() || !found->second.what->is(via, path, owner))
        return std::nullopt;
      return session_home{found->second.what->who, found->second.unit};
    });
  }

  table by_id_, by_key_;
};

/// Table of the sessions of one unit: brokers of the unit find them here without the registry. Also finds the sessions
/// of other units. Use on the unit's thread only.
class local_sessions {
public:
  /// `unit` is the number of the unit; `all` is null when it is the only one.
  local_sessions(std::size_t unit, std::shared_ptr<all_sessions> all) : unit_{unit}, all_{std::move(all)} {}

  /// Stores pointers: `one`, its id and its key must not move or be destroyed before they are removed.
  void add(const local_session& one) {
    add(by_id_, one.id, one);
    if (all_)
      all_->add(one, unit_);
  }
  void add(const local_session& one, const protocol::lease_key& by) {
    add(by_key_, by.text, one);
    if (all_)
      all_->add(one, by, unit_);
  }
  void remove(const local_session& one) {
    remove(by_id_, one.id, one);
    if (all_)
      all_->remove(one);
  }
  void remove(const local_session& one, const protocol::lease_key& by) {
    remove(by_key_, by.text, one);
    if (all_)
      all_->remove(one, by);
  }
  /// Finds by id or by key. Null when the session is not on this unit, or has another transport, path or owner.
  const local_session* find(std::string_view id, protocol::transport via, std::string_view path,
                            std::string_view owner) const {
    return find_in(by_id_, id, via, path, owner);
  }
  const local_session* find(const protocol::lease_key& key, protocol::transport via, std::string_view path,
                            std::string_view owner) const {
    return find_in(by_key_, key.text, via, path, owner);
  }
  /// Returns where a session of any unit lives; empty when none has that transport, path and owner.
  template <class By>
  std::optional<session_home> find_elsewhere(const By& by, protocol::transport via, std::string_view path,
                                             std::string_view owner) const {
    return all_ ? all_->find(by, via, path, owner) : std::nullopt;
  }

private:
  using table = std::unordered_map<std::string_view, const local_session*>;

  static void add(table& to, std::string_view by, const local_session& one) {
    to.erase(by); // the old key is a view into the old session
    to.emplace(by, &one);
  }
  static void remove(table& from, std::string_view by, const local_session& one) {
    if (auto found = from.find(by); found != from.end() && found->second == &one)
      from.erase(found);
  }
  static const local_session* find_in(const table& all, std::string_view by, protocol::transport via,
                                      std::string_view path, std::string_view owner) {
    auto found = all.find(by);
    return found != all.end() && found->second->is(via, path, owner) ? found->second : nullptr;
  }

  std::size_t unit_;
  table by_id_, by_key_;
  std::shared_ptr<all_sessions> all_;
};

} // namespace troupe::actors
