#pragma once

#include "actors/access/authenticator.hpp"
#include "actors/access/known_credentials.hpp"
#include "actors/troupe/gateway.hpp"
#include "net/io_thread.hpp"
#include "net/server/server_tls.hpp"
#include "protocol/access/door.hpp"

#include <memory>

namespace troupe::actors {

/// Who may use the gateway, as its options say.
struct access_setup {
  protocol::door_rules door;
  std::shared_ptr<known_credentials> credentials;
  protocol::certificate_rules certificates;
  /// A copy of the issuer's metadata.
  std::shared_ptr<net::guarded<std::string>> issuer_text = std::make_shared<net::guarded<std::string>>();
  /// Null when nothing has to be found out: there are neither keys nor an issuer.
  authenticator_actor authenticator;
};

/// Reads the keys, and begins an AUTHENTICATOR on the unit, which ends with its owner and has signatures checked by the
/// pool. Throws `std::runtime_error` when the keys cannot be used.
access_setup make_access_setup(const gateway_options& options, unit& at, net::io_thread& thread,
                               net::worker_pool& checkers, const credentials_owner_actor& owner);

/// Looks at the keys for the first time. Throws `std::runtime_error` when they cannot be used.
net::changing_file begin_keys(const std::string& path, known_credentials& credentials);

/// Null without TLS. Notes in the log when the files have changed. Throws `std::runtime_error` when they cannot be
/// used.
std::shared_ptr<net::server_tls> make_tls(const gateway_options& options);

/// The gateway's own paths, and those of its options.
protocol::known_paths paths_of(const gateway_options& options);

/// Which requests are let in, whoever asks.
protocol::access_rules make_access_rules(const gateway_options& options, bool is_loopback);

} // namespace troupe::actors
