#pragma once

#include "net/client/http_client.hpp"
#include "net/client/http_fetch.hpp"

#include <functional>
#include <string>

namespace troupe::actors {

/// Asks an authorization server: for its documents, about tokens, for tokens. What it names may be anywhere on the
/// internet, but nowhere on this machine or its network, unless that is where the operator has said that it is itself.
class issuer_client {
public:
  /// `named` is the URL that the operator has given; `ca_file` has certificates that its own may be signed by besides
  /// the system's, and is empty for none. On the thread alone.
  issuer_client(net::io_thread& thread, std::string named, const std::string& ca_file);

  /// Tells once, never from inside, and not after the client's end.
  void ask(net::http_call what, std::function<void(net::fetched)> then);

private:
  std::string named_;
  net::http_client client_;
};

} // namespace troupe::actors
