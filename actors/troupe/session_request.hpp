#pragma once

#include <functional>
#include <string>
#include <vector>

namespace troupe {

/// Who wants to begin a session, and with which server. Clients of revision 2026-07-28 have no sessions: for them, what
/// `gateway_options::lease_time` and `affinity` speak of, which all their requests share that meet the same process of
/// a server, is one.
struct session_request {
  /// The server; empty where several are merged.
  std::string server = {};
  /// Who asks, as rules name him; empty for nobody in particular.
  std::string caller = {};
  /// Who vouches for him: the issuer of a token, `key` or `certificate`. What else a token says of him, as a JSON
  /// object.
  std::string issuer = {};
  std::string claims = {};
  std::vector<std::string> scopes = {};
  std::vector<std::string> groups = {};
  /// Where nobody in particular asks from, as limits count him; empty on this machine.
  std::string address = {};
  /// Whether it is of revision 2026-07-28.
  bool is_stateless = false;
  /// The request by which it is to begin, as `access_record::request`; empty without an access log.
  std::string request = {};
};

/// Gives why it may not begin, in one line for its client, who is answered 403 with it; an empty text when it may. What
/// it throws goes to the log, and the client is answered 503.
using session_judge = std::function<std::string(const session_request&)>;

} // namespace troupe
