#pragma once

#include <functional>
#include <string>
#include <vector>

namespace troupe {

/// Request to begin a session. For stateless (2026-07-28) clients a lease counts as a session: the state shared by all
/// requests that reach the same process of a server, see `gateway_options::lease_time` and `affinity`.
struct session_request {
  /// Name of the server; empty where several are merged.
  std::string server = {};
  /// Caller, by the name that access rules use; empty if anonymous.
  std::string caller = {};
  /// Issuer of the caller's name: that of a token, `key` or `certificate`. `claims` are the other claims of a token, as
  /// a JSON object.
  std::string issuer = {};
  std::string claims = {};
  std::vector<std::string> scopes = {};
  std::vector<std::string> groups = {};
  /// Address of an anonymous client, as limits count it; empty on this machine.
  std::string address = {};
  /// True for stateless (2026-07-28) clients.
  bool is_stateless = false;
  /// Id of the request that begins the session, as `access_record::request`; empty without an access log.
  std::string request = {};
};

/// Returns an empty text if the session may begin; otherwise a reason, in one line, with which the client is answered
/// 403. If it throws, the exception is logged and the client is answered 503.
using session_judge = std::function<std::string(const session_request&)>;

} // namespace troupe
