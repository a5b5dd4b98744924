#pragma once

#include "actors/access/caller_tokens.hpp"
#include "actors/cluster_messages.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/session/request_records.hpp"
#include "actors/session/session_servers.hpp"
#include "actors/session_messages.hpp"
#include "actors/upstream_messages.hpp"
#include "protocol/delivery/http_delivery.hpp"
#include "protocol/http/known_paths.hpp"
#include "protocol/message/client_profile.hpp"
#include "protocol/session/session_limits.hpp"
#include "protocol/session/session_record.hpp"
#include "protocol/time.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::actors {

/// Idle state of a session: since when it is idle, and whether servers would end with it. Written by the session on its
/// unit's thread, read by its owner on another.
class idle_mark {
public:
  /// `since` is empty while the session is in use; `own_servers` counts servers that no other session uses.
  void tell(std::optional<protocol::time_point> since, std::size_t own_servers) {
    since_.store(since ? since->time_since_epoch() : used, std::memory_order_relaxed);
    has_own_server_.store(own_servers != 0, std::memory_order_relaxed);
  }
  std::optional<protocol::time_point> since() const {
    const auto told = since_.load(std::memory_order_relaxed);
    return told == used ? std::nullopt : std::optional{protocol::time_point{told}};
  }

  bool has_own_server() const { return has_own_server_.load(std::memory_order_relaxed); }

private:
  using duration = protocol::time_point::duration;
  static constexpr duration used = duration::max();

  std::atomic<duration> since_ = used;
  std::atomic<bool> has_own_server_ = false;
};

/// How a session survives its node: the store with its record, and the tenure by which the record is this node's.
/// Shared by the session and the registry, on their threads.
struct session_persistence {
  store_actor store;
  /// Whether this node still owns a session that it has owned since a term. Callable from any thread. Empty when there
  /// is no tenure: then the record is always this node's.
  std::function<bool(std::uint64_t since)> holds_tenure = {};
  /// Term of the tenure by which the record is this node's; changed by the registry.
  std::atomic<std::uint64_t> term = 0;
  /// Whether another node may have taken the session although the tenure has not run out; changed by the registry.
  std::atomic<bool> is_doubted = false;
  /// Whether the session is on its way to another node, which may take it before its release is confirmed here; changed
  /// by the session.
  std::atomic<bool> is_handed_over = false;

  bool has_tenure() const { return holds_tenure != nullptr; }
  bool is_ours() const { return !has_tenure() || (!is_doubted && holds_tenure(term)); }
  /// Whether this node must claim the session to own it in that term.
  bool awaits_claim(std::uint64_t in) const { return has_tenure() && (is_doubted || term < in); }
};

/// Setup that all sessions of a gateway share.
struct session_setup {
  protocol::session_limits limits;
  /// How long a lease is kept after its last call.
  std::chrono::milliseconds lease_time = std::chrono::minutes{5};
  protocol::http_limits http;
  protocol::catalog_limits catalog;
  /// Scopes that every request needs, see `protocol::endpoint_guard_rules`. A client that lacks other scopes gets these
  /// listed, too.
  std::vector<std::string> scopes = {};
  /// Secret keys of seals. The first makes new seals; all are accepted.
  std::function<std::vector<std::string>()> seal_keys = {};
  /// Tokens that callers have shown.
  std::shared_ptr<const caller_tokens> callers = std::make_shared<const caller_tokens>();
  /// Paths, for the one that HTTP+SSE clients are to POST to.
  protocol::known_paths paths = {};
  operation_watch watch = {};
  event_log log;
};

/// Parameters of a new session or a new lease.
struct new_session {
  std::string id;
  protocol::transport via = protocol::transport::streamable_http;
  /// Server in the session's path; empty when all are merged.
  std::string path;
  /// Owner of the session; null for anonymous clients.
  protocol::caller caller = {};
  /// The single server, and who may use what of it, see `member`; none for a session of merged servers.
  server_actor server = {};
  std::shared_ptr<const protocol::permissions> access = {};
  std::shared_ptr<const protocol::operation_peer> peer = {};
  protocol::roots_rule roots = {};
  std::vector<member> members = {};
  /// Time limit of calls.
  std::chrono::milliseconds request = {};
  /// Null when the session does not survive this node. Streamable HTTP only.
  std::shared_ptr<session_persistence> kept = {};
  /// Data from the store for a restored session; otherwise null.
  std::unique_ptr<protocol::restored_session> restored = {};
  /// Capabilities of a lease's clients.
  protocol::client_profile can = {};
  /// How long an unused lease is kept.
  std::chrono::milliseconds lease_time = {};
  /// Key by which requests find a lease; empty when it serves one request.
  protocol::lease_key key = {};
  /// Whether an anonymous remote request began a lease, see `request_head`.
  bool is_anonymous_remote = false;
  /// Whether the client is on this machine, see `request_head`.
  bool is_local = false;
  /// Whether requests may pass unchanged, see `protocol::server_as_modern_rules::passes`.
  bool passes = true;
  /// Access log id of the request that begins the session; may be empty.
  std::string request_id = {};
  /// Path prefix under which the client reaches the gateway's paths. HTTP+SSE only.
  std::string prefix = {};
  /// Receives the session's idle state.
  std::shared_ptr<idle_mark> idle = std::make_shared<idle_mark>();
};

/// Logs that a session or a lease begins, and by which request, if its id is not empty.
void note_begin(const event_log& log, const char* what, std::string_view id, const std::string& request);

/// Returns a function that seals a text for the caller: one digest for each of the gateway's secret keys.
std::function<std::vector<std::string>(std::string_view)> seal_for(const protocol::caller& caller,
                                                                   std::shared_ptr<const session_setup> setup);

/// Returns the servers of a new session or lease; moves them out of `what`.
session_servers::servers servers_of(registry_actor registry, new_session& what,
                                    const std::shared_ptr<const session_setup>& setup);

} // namespace troupe::actors
