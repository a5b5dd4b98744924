#pragma once

#include "protocol/counts_by_key.hpp"
#include "protocol/delivery/delivery.hpp"
#include "protocol/rejection.hpp"
#include "protocol/session/gateway_drain.hpp"
#include "protocol/session/session_record.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Counts of sessions for each caller: a principal, or the clients at an address. Chooses the caller that gives up a
/// session for a new one. The empty caller stands for all without a limit. A process that is being stopped counts as a
/// session, too.
class session_places {
public:
  /// Idle time from which a session may be ended for a new one.
  static constexpr std::chrono::seconds least_idle{10};
  /// Limit of sessions ended in a second for lack of descriptors, memory or processes: one for each failed start.
  static constexpr std::size_t most_ended = 10;

  /// Limits: `most` sessions in all, and `most_each` for each caller except the empty one; 0 means no such limit.
  session_places(std::size_t most, std::size_t most_each) : most_{most}, most_each_{most_each} {}

  void acquire(const std::string& caller);
  void give_back(const std::string& caller);
  /// Sets the number of processes that are being stopped.
  void set_stopping(std::size_t processes) { stopping_ = processes; }

  std::size_t taken() const { return taken_; }
  std::size_t held_by(const std::string& caller) const { return by_caller_.of(caller); }
  bool is_full() const { return taken_ + stopping_ >= most_; }
  /// True if no session may end for another until more processes have stopped: otherwise fast clients could pile up any
  /// number of stopping processes.
  bool must_wait() const;
  /// True if the caller has reached its limit.
  bool is_full_for(const std::string& caller) const;
  /// Returns the caller that must give up a session before `newcomer` begins one: `newcomer` itself at its limit; if
  /// all places are taken, the caller with most sessions. Empty if there is room.
  std::optional<std::string> caller_to_evict(const std::string& newcomer) const;
  /// A server could not start for lack of descriptors, memory or processes. Returns whether an idle session should end
  /// for it.
  bool ends_one_for_shortage(time_point now);

private:
  std::size_t most_;
  std::size_t most_each_;
  std::size_t taken_ = 0;
  std::size_t stopping_ = 0;
  /// Sessions ended in the second that began at `second_`.
  std::size_t ended_ = 0;
  time_point second_ = {};
  counts_by_key<std::string> by_caller_;
};

/// Map from the paths of a gateway to servers: a server's name to that server, the empty path to all servers merged.
class server_paths {
public:
  struct server {
    std::string name;
    /// True if sessions of the server are restored when their node dies.
    bool is_restored = false;
    /// True if tools and prompts keep the server's own names while it is the only server.
    bool is_plain_alone = false;
  };

  /// A single server is not merged, unless `merges_one`.
  explicit server_paths(bool merges_one) : merges_one_{merges_one} {}

  /// Sets the servers.
  void serve(std::vector<server> all) { all_ = std::move(all); }

  /// Returns the index of the server at a path; empty for merged servers and for unknown paths. For a lease, a single
  /// server that keeps its own names is never merged: its answers to stateless (2026-07-28) clients may pass unchanged
  /// then. Once merged with others, the server gets other leases.
  std::optional<std::size_t> find_one(std::string_view path, bool for_lease = false) const;
  bool is_unknown(std::string_view path) const { return !path.empty() && !find_one(path); }
  /// True if a session of that path can be restored on another node. All merged servers must be able to: otherwise the
  /// session would come back incomplete.
  bool restore(std::string_view path) const;

private:
  bool merges_one_;
  std::vector<server> all_;
};

/// Binding of a session to the clients of one transport, path and owner, and to the servers of that path.
struct session_binding {
  transport via = transport::streamable_http;
  std::string path = {};
  /// Number of the session's server; 0 for merged servers.
  std::uint64_t server = 0;
  /// Owner of the session, see `identity_of`; empty for anonymous callers.
  std::string owner = {};

  /// True if a request belongs to the session. For another transport, path or owner the session is unknown.
  bool accepts(transport from, std::string_view at, std::string_view whose) const {
    return via == from && path == at && owner == whose;
  }
  /// True if listening clients can continue at another node. A session of HTTP+SSE ends with its only stream.
  bool can_move_listeners() const { return via == transport::streamable_http; }
  bool is_merged() const { return server == 0; }
};

/// Admission control: which sessions may begin at a gateway, be restored there after their node died, and keep a record
/// in the store. `is_ours`: no other node can own the record.
class session_admission {
public:
  /// `merges_one`: see `server_paths`.
  session_admission(session_places places, bool merges_one) : places_{std::move(places)}, paths_{merges_one} {}

  // -- facts
  /// The gateway is a node of a cluster; `has_store` if a store keeps records of sessions.
  void join_cluster(bool has_store);
  server_paths& paths() { return paths_; }
  gateway_drain& stopping() { return stopping_; }
  session_places& places() { return places_; }

  // -- decisions
  const server_paths& paths() const { return paths_; }
  const gateway_drain& stopping() const { return stopping_; }
  /// Returns why no session may begin at a path; empty if one may, given room. `request` is the id of the request that
  /// needs the session, as a JSON token.
  std::optional<rejection> refuse(std::string_view path, std::string request) const;
  /// Returns the caller whose session must end before `address` may begin one; empty if there is room.
  std::optional<std::string> caller_to_evict(const std::string& address) const {
    return places_.caller_to_evict(address);
  }
  /// Returns the refusal for a session for which no other can end.
  rejection refuse_for_room(const std::string& address, std::string request) const;
  /// True if a session keeps a record. A session of HTTP+SSE ends with its connection, and has none.
  bool keeps(transport via, std::string_view path, bool is_ours) const;
  /// Returns the record to restore a session from, or the reason why not here. A session that can never be restored is
  /// gone; others may be restored at another node, or here later.
  std::variant<session_record, rejection> restore(std::string_view record, bool is_ours) const;

private:
  session_places places_;
  bool has_store_ = false;
  server_paths paths_;
  gateway_drain stopping_;
};

} // namespace troupe::protocol
