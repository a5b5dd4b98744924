#pragma once

#include "actors/access/authenticator.hpp"
#include "actors/access/known_credentials.hpp"
#include "actors/troupe/gateway.hpp"
#include "net/io_thread.hpp"
#include "net/server/server_tls.hpp"
#include "protocol/access/endpoint_guard.hpp"

#include <memory>

namespace troupe::actors {

/// Access rules of a gateway, and the state that authenticates callers.
struct access_setup {
  protocol::endpoint_guard_rules endpoint_guard;
  std::shared_ptr<known_credentials> credentials;
  protocol::certificate_rules certificates;
  /// Copy of the issuer's metadata.
  std::shared_ptr<net::guarded<std::string>> issuer_text = std::make_shared<net::guarded<std::string>>();
  /// Null if there are neither keys nor an issuer.
  authenticator_actor authenticator;
};

/// Reads the keys, and spawns an AUTHENTICATOR on the unit. It exits with `owner` and checks signatures on `checkers`.
/// Throws `std::runtime_error` if the keys cannot be used.
access_setup make_access_setup(const gateway_options& options, unit& at, net::io_thread& thread,
                               net::worker_pool& checkers, const credentials_owner_actor& owner);

/// Reads the keys for the first time. Throws `std::runtime_error` if they cannot be used.
net::watched_file begin_keys(const std::string& path, known_credentials& credentials);

/// Null without TLS. Logs changes of the files. Throws `std::runtime_error` if they cannot be used.
std::shared_ptr<net::server_tls> make_tls(const gateway_options& options);

/// Paths of the gateway itself, and of its options.
protocol::known_paths paths_of(const gateway_options& options);

/// Rules for requests that do not depend on the caller.
protocol::access_rules make_access_rules(const gateway_options& options, bool is_loopback);

} // namespace troupe::actors
