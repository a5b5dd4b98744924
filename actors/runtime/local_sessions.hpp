#pragma once

#include "net/guarded.hpp"
#include "protocol/delivery/delivery.hpp"

#include <caf/all.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace troupe::actors {

/// What the brokers of a unit know of a session.
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

/// The sessions of all units of a gateway. Callable from any thread.
class all_sessions {
public:
  /// Keeps pointers: neither `one` nor the text that it is to be found by may move or die before that is removed.
  void add(const local_session& one, std::string_view by, std::size_t unit) {
    known_.with([&](auto& known) {
      known.erase(by);
      known.emplace(by, entry{&one, unit});
    });
  }
  void remove(const local_session& one, std::string_view by) {
    known_.with([&](auto& known) {
      if (auto found = known.find(by); found != known.end() && found->second.what == &one)
        known.erase(found);
    });
  }
  /// Nothing when there is none of that transport, path and owner.
  std::optional<session_home> find(std::string_view id, protocol::transport via, std::string_view path,
                                   std::string_view owner) {
    return known_.with([&](auto& known) -> std::optional<session_home> {
      auto found = known.find(id);
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
  net::guarded<std::unordered_map<std::string_view, entry>> known_;
};

/// The sessions of one unit, where a broker of the same unit finds them without asking the registry, and those of all
/// units. Only on the unit's thread.
class local_sessions {
public:
  /// `unit` is its number; `all` is null when it is the only one.
  local_sessions(std::size_t unit, std::shared_ptr<all_sessions> all) : unit_{unit}, all_{std::move(all)} {}

  /// Keeps pointers: neither `one` nor the text that it is to be found by, such as its id, may move or die before that
  /// is removed.
  void add(const local_session& one, std::string_view by) {
    known_.erase(by); // the key is a view into what it leads to
    known_.emplace(by, &one);
    if (all_)
      all_->add(one, by, unit_);
  }
  void remove(const local_session& one, std::string_view by) {
    if (auto found = known_.find(by); found != known_.end() && found->second == &one)
      known_.erase(found);
    if (all_)
      all_->remove(one, by);
  }
  /// Null when the session is not on this unit, or is of another transport, path or owner.
  const local_session* find(std::string_view id, protocol::transport via, std::string_view path,
                            std::string_view owner) const {
    auto found = known_.find(id);
    return found != known_.end() && found->second->is(via, path, owner) ? found->second : nullptr;
  }
  /// Where a session of any unit lives; nothing when there is none of that transport, path and owner.
  std::optional<session_home> find_elsewhere(std::string_view id, protocol::transport via, std::string_view path,
                                             std::string_view owner) const {
    return all_ ? all_->find(id, via, path, owner) : std::nullopt;
  }

private:
  std::size_t unit_;
  std::unordered_map<std::string_view, const local_session*> known_;
  std::shared_ptr<all_sessions> all_;
};

} // namespace troupe::actors
