#pragma once

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
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// How many sessions each caller holds, a principal or the clients at an address, and whose has to go so that another
/// may begin. The empty one stands for all who are not limited. A process that is being stopped takes the place of a
/// session, too.
class session_places {
public:
  /// A session that was used later than so long ago ends for no other.
  static constexpr std::chrono::seconds least_idle{10};
  /// Most sessions that end in a second for lack of descriptors, memory or processes: one for each start that fails.
  static constexpr std::size_t most_ended = 10;

  /// At most `most` sessions in all, and `most_each` for each caller but the empty one; 0 is no such limit.
  session_places(std::size_t most, std::size_t most_each) : most_{most}, most_each_{most_each} {}

  void take(const std::string& caller);
  void give_back(const std::string& caller);
  /// So many processes are being stopped now.
  void let_stop(std::size_t processes) { stopping_ = processes; }

  std::size_t taken() const { return taken_; }
  std::size_t held_by(const std::string& caller) const;
  bool is_full() const { return taken_ + stopping_ >= most_; }
  /// Whether no session is to end for another before more processes are gone: otherwise clients that come fast enough
  /// would heap up any number of them.
  bool must_wait() const;
  /// Whether the caller holds as many as it may.
  bool is_full_for(const std::string& caller) const;
  /// The caller that has to give up a session before another of `newcomer` begins: its own when that holds as many as
  /// it may; when all places are taken, that which holds most. Nothing when there is room.
  std::optional<std::string> who_makes_room(const std::string& newcomer) const;
  /// A server could not be begun for lack of descriptors, memory or processes. Whether a session that is idle is to end
  /// for it.
  bool ends_one_for_shortage(time_point now);

private:
  std::size_t most_;
  std::size_t most_each_;
  std::size_t taken_ = 0;
  std::size_t stopping_ = 0;
  /// Of the second that began then.
  std::size_t ended_ = 0;
  time_point second_ = {};
  std::unordered_map<std::string, std::size_t> by_caller_;
};

/// Maps the paths of a gateway to servers: the name of a server to that server, the empty path to all servers merged.
class server_paths {
public:
  struct server {
    std::string name;
    /// Its sessions are restored when their node dies.
    bool is_restored = false;
    /// Its tools and prompts have their own names as long as it is the only server.
    bool is_plain_alone = false;
  };

  /// A single server is served as it is, unless `merges_one`.
  explicit server_paths(bool merges_one) : merges_one_{merges_one} {}

  /// The servers, from now on.
  void serve(std::vector<server> all) { all_ = std::move(all); }

  /// The index of the server that a path leads to; nothing when the path is that of the merged servers, or of no
  /// server. For a lease, a single server is never merged that looks the same as it is: what it says to clients of
  /// 2026-07-28 may pass unchanged then. One that is merged with others later gets other leases.
  std::optional<std::size_t> find_one(std::string_view path, bool for_lease = false) const;
  bool lead_to_nobody(std::string_view path) const { return !path.empty() && !find_one(path); }
  /// Whether a session of that path can begin again on another node. One of several servers that cannot would leave it
  /// in pieces.
  bool restore(std::string_view path) const;

private:
  bool merges_one_;
  std::vector<server> all_;
};

/// Where a session stands in its gateway: between the clients of one path and the servers that this leads to.
struct session_place {
  transport via = transport::streamable_http;
  std::string path = {};
  /// The number of the one server that it speaks to; 0 when it is for those that are merged.
  std::uint64_t server = 0;
  /// Whom it belongs to, see `identity_of`; empty for nobody in particular.
  std::string owner = {};

  /// Whether a request for the session is for it indeed: to one of the other transport, of another path or of somebody
  /// else it is not known.
  bool takes(transport from, std::string_view at, std::string_view whose) const {
    return via == from && path == at && owner == whose;
  }
  /// Whether those who listen can go on at another node. A session of HTTP+SSE has but the one stream, and lives with
  /// it.
  bool can_move_listeners() const { return via == transport::streamable_http; }
  bool is_merged() const { return server == 0; }
};

/// Decides which sessions may begin at a gateway, which may be restored there after their node died, and which keep a
/// record in the store. `is_ours` tells whether no other node can own the record in question.
class session_admission {
public:
  /// `merges_one` is for `server_paths`.
  session_admission(session_places places, bool merges_one) : places_{std::move(places)}, paths_{merges_one} {}

  // -- facts
  /// The gateway is a node of a cluster, perhaps with a store that keeps records of sessions.
  void join_cluster(bool has_store);
  server_paths& paths() { return paths_; }
  gateway_drain& stopping() { return stopping_; }
  session_places& places() { return places_; }

  // -- decisions
  const server_paths& paths() const { return paths_; }
  const gateway_drain& stopping() const { return stopping_; }
  /// Why no session begins at a path; nothing when one may, if there is room. `request` is the id of what asks for it,
  /// as a JSON token.
  std::optional<rejection> refuse(std::string_view path, std::string request) const;
  /// Whose session has to end before one of the address may begin; nothing when there is room.
  std::optional<std::string> who_makes_room(const std::string& address) const {
    return places_.who_makes_room(address);
  }
  /// Why none begins, when nobody could make room.
  rejection refuse_for_room(const std::string& address, std::string request) const;
  /// Whether a session keeps a record. One of HTTP+SSE lives with its connection.
  bool keeps(transport via, std::string_view path, bool is_ours) const;
  /// The record that a session goes on from, or why it does not go on here. What can never be restored is gone. What
  /// only cannot be now, another node may have, or this one later.
  std::variant<session_record, rejection> restore(std::string_view record, bool is_ours) const;

private:
  session_places places_;
  bool has_store_ = false;
  server_paths paths_;
  gateway_drain stopping_;
};

} // namespace troupe::protocol
