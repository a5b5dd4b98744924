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
  /// The number of its unit.
  std::size_t unit = 0;
};

/// Sessions by their ids.
class session_table {
public:
  /// Keeps a pointer: `one` must not move or die before it is removed.
  void add(const local_session& one) { known_.emplace(one.id, &one); }
  void remove(const local_session& one) {
    if (auto found = known_.find(one.id); found != known_.end() && found->second == &one)
      known_.erase(found);
  }
  /// Null when there is none of that transport and path.
  const local_session* find(std::string_view id, protocol::transport via, std::string_view path) const {
    auto found = known_.find(id);
    auto known = found != known_.end() && found->second->via == via && found->second->path == path;
    return known ? found->second : nullptr;
  }

private:
  std::unordered_map<std::string_view, const local_session*> known_;
};

/// The sessions of all units of a gateway. Callable from any thread.
using all_sessions = net::guarded<session_table>;

/// The sessions of one unit, where a broker of the same unit finds them without asking the registry, and those of all
/// units. Only on the unit's thread.
class local_sessions {
public:
  /// `all` is null when there is one unit.
  explicit local_sessions(std::shared_ptr<all_sessions> all) : all_{std::move(all)} {}

  void add(const local_session& one) {
    here_.add(one);
    if (all_)
      all_->with([&](auto& table) { table.add(one); });
  }
  void remove(const local_session& one) {
    here_.remove(one);
    if (all_)
      all_->with([&](auto& table) { table.remove(one); });
  }
  /// Null when the session is not on this unit, or is of another transport or path.
  const local_session* find(std::string_view id, protocol::transport via, std::string_view path) const {
    return here_.find(id, via, path);
  }
  /// A copy of what is known of a session of any unit, without its texts.
  std::optional<local_session> find_elsewhere(std::string_view id, protocol::transport via,
                                              std::string_view path) const {
    if (!all_)
      return std::nullopt;
    return all_->with([&](auto& table) {
      auto known = table.find(id, via, path);
      return known ? std::optional{local_session{{}, via, {}, known->who, known->unit}} : std::nullopt;
    });
  }

private:
  session_table here_;
  std::shared_ptr<all_sessions> all_;
};

} // namespace troupe::actors
