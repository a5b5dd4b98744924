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

/// What the brokers of a unit know of a session or a lease.
struct local_session {
  std::string id;
  protocol::transport via = protocol::transport::streamable_http;
  /// The server in its path; empty when it is of all servers merged.
  std::string path;
  caf::actor_addr who;
  /// Whom it belongs to, see `protocol::identity_of`; for anybody else it does not exist.
  std::string owner = {};

  bool is(protocol::transport by, std::string_view at_path, std::string_view whose) const {
    return via == by && path == at_path && owner == whose;
  }
};

/// Where a session lives.
struct session_home {
  caf::actor_addr who;
  /// The number of its unit.
  std::size_t unit = 0;
};

/// The sessions of all units of a gateway, by their ids, and of the leases among them those that have keys also by
/// these: what a client names by an id is never found by a key. Callable from any thread.
class all_sessions {
public:
  /// Keeps pointers: neither `one` nor its id, or the key that it is to be found by, may move or die before that is
  /// removed.
  void add(const local_session& one, std::size_t unit) { add(by_id_, one.id, one, unit); }
  void add(const local_session& one, const protocol::lease_key& by, std::size_t unit) {
    add(by_key_, by.text, one, unit);
  }
  void remove(const local_session& one) { remove(by_id_, one.id, one); }
  void remove(const local_session& one, const protocol::lease_key& by) { remove(by_key_, by.text, one); }
  /// Nothing when there is none of that transport, path and owner.
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

/// The sessions of one unit, where a broker of the same unit finds them without asking the registry, and those of all
/// units. Only on the unit's thread.
class local_sessions {
public:
  /// `unit` is its number; `all` is null when it is the only one.
  local_sessions(std::size_t unit, std::shared_ptr<all_sessions> all) : unit_{unit}, all_{std::move(all)} {}

  /// Keeps pointers: neither `one` nor its id, or the key that it is to be found by, may move or die before that is
  /// removed.
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
  /// Null when the session is not on this unit, or is of another transport, path or owner. By an id, or by a key.
  const local_session* find(std::string_view id, protocol::transport via, std::string_view path,
                            std::string_view owner) const {
    return find_in(by_id_, id, via, path, owner);
  }
  const local_session* find(const protocol::lease_key& key, protocol::transport via, std::string_view path,
                            std::string_view owner) const {
    return find_in(by_key_, key.text, via, path, owner);
  }
  /// Where a session of any unit lives; nothing when there is none of that transport, path and owner.
  template <class By>
  std::optional<session_home> find_elsewhere(const By& by, protocol::transport via, std::string_view path,
                                             std::string_view owner) const {
    return all_ ? all_->find(by, via, path, owner) : std::nullopt;
  }

private:
  using table = std::unordered_map<std::string_view, const local_session*>;

  static void add(table& to, std::string_view by, const local_session& one) {
    to.erase(by); // the key is a view into what it leads to
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
