#pragma once

#include "net/client/http_client.hpp"

#include <caf/all.hpp>
#include <cstdint>
#include <string>

namespace troupe::actors {

/// Client of an authorization server: fetches its documents, introspects and requests tokens. URLs that the server
/// names must be public addresses. Only the place that the operator named may be on this machine or its network.
class issuer_client {
public:
  /// `named` is the URL that the operator has given. `ca_file` has certificates that may sign the server's, besides the
  /// system's; empty for none. Use on the thread only.
  issuer_client(net::io_thread& thread, std::string named, const std::string& ca_file);

  /// Fetches a document with GET. Sends `document_fetched` with the question 0 to the actor.
  void fetch(std::string url, caf::actor_addr by);
  /// Makes a request. Sends `document_fetched` with that question to the actor, unless the client ends before.
  void ask(net::http_call what, std::uint64_t question, caf::actor_addr by);

private:
  std::string named_;
  net::http_client client_;
};

} // namespace troupe::actors
