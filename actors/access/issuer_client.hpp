#pragma once

#include "net/client/http_client.hpp"
#include "net/client/http_fetch.hpp"

#include <functional>
#include <string>

namespace troupe::actors {

/// Client of an authorization server: fetches its documents, introspects and requests tokens. URLs that the server
/// names must be public addresses. Only the place that the operator named may be on this machine or its network.
class issuer_client {
public:
  /// `named` is the URL that the operator has given. `ca_file` has certificates that may sign the server's, besides the
  /// system's; empty for none. Use on the thread only.
  issuer_client(net::io_thread& thread, std::string named, const std::string& ca_file);

  /// Calls `then` once, never from inside `ask`, and not after the client's end.
  void ask(net::http_call what, std::function<void(net::fetched)> then);

private:
  std::string named_;
  net::http_client client_;
};

} // namespace troupe::actors
