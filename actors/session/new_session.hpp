#pragma once

#include "actors/access/caller_tokens.hpp"
#include "actors/messages.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/session/client_operations.hpp"
#include "actors/session/session_servers.hpp"
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

/// Since when a session is idle, and whether servers would end with it: told by the session on its unit's thread, read
/// by its owner on another.
class idle_mark {
public:
  /// `since` is nothing while it is used; `own_servers` are those that no other session uses.
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

/// By what a session survives its node: the store that has its record, and the tenure by which the record is this
/// node's. A session and its registry share it, on their threads.
struct kept_session {
  store_actor store;
  /// Whether the tenure has run ever since a term until now. Callable from any thread; empty when there is no tenure,
  /// and the record always this node's.
  std::function<bool(protocol::time_point now, std::uint64_t since)> holds_tenure = {};
  /// The term of the tenure by which the record is this node's; the registry changes it.
  std::atomic<std::uint64_t> term = 0;

  bool has_tenure() const { return holds_tenure != nullptr; }
  bool is_ours(protocol::time_point now) const { return !has_tenure() || holds_tenure(now, term); }
};

/// What all sessions of a gateway share.
struct session_setup {
  protocol::session_limits limits;
  /// How long what a caller of 2026-07-28 uses is kept after its last call.
  std::chrono::milliseconds lease_time = std::chrono::minutes{5};
  protocol::http_limits http;
  protocol::catalog_limits catalog;
  /// What every request needs, see `protocol::door_rules`: a client that lacks other scopes is told of these, too.
  std::vector<std::string> scopes = {};
  /// Secrets: what is sealed with one of them is ours. The first is for what is new.
  std::function<std::vector<std::string>()> seal_keys = {};
  /// The tokens that callers have shown.
  std::shared_ptr<const caller_tokens> callers = std::make_shared<const caller_tokens>();
  /// Where clients of HTTP+SSE are told to POST.
  protocol::known_paths paths = {};
  operation_watch watch = {};
  event_log log;
};

/// The parameters of a new session, or of a new lease.
struct new_session {
  std::string id;
  protocol::transport via = protocol::transport::streamable_http;
  /// The server in the session's path; empty when all are merged.
  std::string path;
  /// Whom it belongs to; null for nobody in particular.
  protocol::caller caller = {};
  /// The one server that it speaks to, and who may use what of it, see `member`; none when it is for those that are
  /// merged.
  server_actor server = {};
  std::shared_ptr<const protocol::permissions> access = {};
  std::shared_ptr<const protocol::operation_peer> peer = {};
  protocol::roots_rule roots = {};
  std::vector<member> members = {};
  /// How long its calls may take.
  std::chrono::milliseconds request = {};
  /// Null when it does not survive this node. Only over Streamable HTTP.
  std::shared_ptr<kept_session> kept = {};
  /// What the store has of it when it is restored, otherwise null.
  std::unique_ptr<protocol::restored_session> restored = {};
  /// What the clients of a lease can be asked.
  protocol::client_profile can = {};
  /// How long a lease is kept while nobody uses it.
  std::chrono::milliseconds lease_time = {};
  /// By what a lease is found; empty when it serves one request.
  protocol::lease_key key = {};
  /// Whether a lease was begun by a request that may be anybody's, see `client_post`.
  bool is_strangers = false;
  /// Its client is on this machine, see `client_post`.
  bool is_local = false;
  /// Whether its requests may pass as they are, see `protocol::server_as_modern_rules::passes`.
  bool passes = true;
  /// The request that begins it, as the access log calls it; may be empty.
  std::string request_id = {};
  /// The path behind which its client finds those of the gateway. Of no meaning but over HTTP+SSE.
  std::string prefix = {};
  /// Where it tells since when it is idle.
  std::shared_ptr<idle_mark> idle = std::make_shared<idle_mark>();
};

/// Logs that a session or a lease begins, and by which request, if that has a name.
void note_begin(const event_log& log, const char* what, std::string_view id, const std::string& request);

/// Gives what only we can make of a text, and of whom it is for.
std::function<std::vector<std::string>(std::string_view)> seal_for(const protocol::caller& caller,
                                                                   std::shared_ptr<const session_setup> setup);

/// The servers of a new session or lease, which it is given.
session_servers::servers servers_of(registry_actor registry, new_session& what,
                                    const std::shared_ptr<const session_setup>& setup);

} // namespace troupe::actors
