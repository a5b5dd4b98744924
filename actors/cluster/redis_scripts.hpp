#pragma once

#include "net/redis/redis_protocol.hpp"
#include "protocol/cluster/store_effects.hpp"
#include "protocol/cluster/store_writes.hpp"
#include "protocol/cluster/tenure.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace troupe::actors {

/// Layout of sessions in Redis, and the commands that read and write them.
///
/// The hash `<prefix>s:<session>` has `owner`, `taken` (number of the owner's `take_over`), `ends` (when the session
/// would have ended without that `take_over`, in milliseconds since 1970), `record`, `told` (count of all events) and
/// `bytes` (size of the keys below). The stream `<prefix>e:<session>` has the events that are not vital, each `stream
/// place age text`. The sorted set `<prefix>v:<session>` has the vital events, each `stream place
/// age text`, scored by stream. The sorted set `<prefix>p:<session>` has the purposes of the streams, each `stream
/// text`, scored by stream. The oldest entries are dropped first, and a kind only when the kind before is empty; see
/// `append`.
///
/// `<prefix>o:<session>` marks a session that was taken and has ended, for as long as a session is kept: an earlier
/// owner that was out of reach, and finds a store without its later owner, cannot claim it.
///
/// `<prefix>n:<owner>` exists while the owner's tenure runs, and has the number of the connection by which the owner
/// writes: commands of an earlier one, which was lost, may arrive late and are refused (nodes of release 1.0.0 write 1,
/// and accept all). `<prefix>k:<owner>` outlives everything that the owner wrote, and has the numbers of its last
/// renewal and of its last `take_over` (nodes of release 1.0.0 write 1). This way a tenure that ran out differs from
/// one that Redis lost with all its data, or with the last of them.
///
/// `<prefix>server` has the `run_id` of the Redis server: a server with another one was restarted, or promoted, and may
/// lack the last writes. Each node also compares what it has seen itself. After a loss of data `<prefix>emptied` exists
/// for `protocol::tenure::untold_for`, in which owners write their sessions again, and `<prefix>moved`, unless all was
/// lost, for `protocol::tenure::pause_for`, in which no node takes a session. `<prefix>emptied` also exists in a Redis
/// that was without `<prefix>server`: it may have lost all its data. `<prefix>lost` exists for as long as a session is
/// kept after either: a node that renews a tenure that had run out prolongs `<prefix>emptied`, for its claims.
///
/// Session ids are secrets: keys have their SHA-256 instead, so readers of the store cannot use the sessions. Records
/// and events are in plain text. Each command is a script, and so atomic. Expects one Redis without eviction
/// (`maxmemory-policy noeviction`), and no Redis Cluster: scripts build the keys of owners from data. A full Redis
/// refuses only events.
class redis_scripts {
public:
  struct limits {
    std::chrono::milliseconds tenure{};
    std::chrono::milliseconds session_time{};
    std::size_t most_events = 0;
    std::size_t most_bytes = 0;
  };
  /// Most streams of a session whose purpose is stored. No session has that many at a time, unless writes failed.
  static constexpr std::size_t most_streams = 2000;

  redis_scripts(std::string prefix, std::string owner, const limits& of);

  /// Renews this node's tenure. `lapsed`: it had run out. `emptied`: Redis has no trace of this node. `moved`: Redis is
  /// another server than the node has `seen`, or lacks what it has seen; or the tenure had run out, and another node
  /// has noticed a loss.
  net::redis_command renew(const protocol::renew_tenure& what) const;
  /// Returns a write as a command of that connection. `lapsed`: this node's tenure had ended in the store, or was
  /// renewed for a later connection.
  static net::redis_command sent_by(std::uint64_t writer, net::redis_command write);
  net::redis_command save(const std::string& session, const std::string& record) const;
  /// Saves a session of this node. `unknown`: the store has no such session; in a new store it is created, and events
  /// that an older store has of it are dropped: later ones may be missing. A held one is also taken from an owner whose
  /// tenure does not run. `foreign`: another node has it, or has ended it.
  net::redis_command claim(const std::string& session, const std::string& record,
                           const protocol::session_claim& how) const;
  /// Adds an event. To make room, drops the oldest event that is not vital, or else one of the oldest stream.
  net::redis_command append(const std::string& session, const protocol::saved_event& what) const;
  /// Removes all events of the session; keeps the purposes of its streams.
  net::redis_command clear(const std::string& session) const;
  /// Deletes a session; one that was taken is marked as over. A held one is also deleted if the store names an owner
  /// whose tenure does not run.
  net::redis_command forget(const std::string& session, bool is_held) const;
  /// Makes this node the owner if the tenure of the owner has run out. `busy` instead of `unknown`: the tenure of the
  /// node that the id names still runs, and its record may be on its way. `untold`: Redis has lost data, and the owner
  /// may not have claimed the session yet.
  net::redis_command take_over(const std::string& session, std::uint64_t number,
                               const protocol::store_sight& seen) const;
  /// Removes the owner if this node still owns the session by that `take_over`: any node can take the session then.
  net::redis_command give_back(const std::string& session, std::uint64_t taken) const;
  /// Removes the owner: any node can take the session.
  net::redis_command release(const std::string& session) const;
  /// Ends this node's tenure: other nodes can take its sessions at once.
  net::redis_command leave() const;

private:
  net::redis_command noticing(const char* text, net::redis_command keys, net::redis_command arguments,
                              const protocol::store_sight& seen) const;
  /// Keys of a session, with the one of this node's tenure before the last.
  net::redis_command keys_of(const std::string& session) const;
  net::redis_command script(std::string text, const std::string& session, net::redis_command arguments) const;
  net::redis_command log(const char* what, const std::string& session, net::redis_command arguments) const;

  std::string prefix_;
  std::string owner_;
  std::string tenure_;
  std::string untold_;
  std::string session_time_;
  std::string pause_;
  std::string known_time_;
  std::string most_events_;
  std::string most_bytes_;
};

protocol::store_answer read_answer(const net::redis_reply& reply);
/// Reads the answer to `renew`.
protocol::store_answer read_renewal(const net::redis_reply& reply);
/// Reads the answer to `take_over`.
protocol::search_result read_found(std::string session, const net::redis_reply& reply);

} // namespace troupe::actors
