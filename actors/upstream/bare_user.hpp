#pragma once

#include "actors/messages.hpp"

#include <string>

namespace troupe::actors {

/// For whom a process or connection is begun, and by whom.
struct bare_user {
  server_actor server;
  /// None as long as it waits for one.
  downstream_actor user;
  /// The shortened id of the user's session, for logs.
  std::string session;
  /// Null for nobody in particular.
  protocol::caller caller;
  /// Where the tokens are that a remote server is shown; null when it is shown none of ours.
  token_source_actor tokens;
  /// What the server was found to speak before.
  protocol::server_era known = protocol::server_era::automatic;
};

} // namespace troupe::actors
