#pragma once

#include "protocol/http/http.hpp"
#include "protocol/http/known_fields.hpp"
#include "protocol/http/known_paths.hpp"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Whether a page of that `Origin` may use the gateway: an origin of this machine on any port, or one of `allowed`,
/// compared as a whole (2025-11-25, transports, "Security Warning"). `*` in `allowed` allows every origin.
bool origin_allowed(std::string_view origin, const std::vector<std::string>& allowed);

/// Whether a `Host` value is among those allowed: names or addresses, with any port or with that one, or `*`.
bool host_allowed(std::string_view host, const std::vector<std::string>& allowed);

/// Whether a `Host` value names this machine, with any port or none, or the address that we listen on.
bool host_is_local(std::string_view host, std::string_view bound_to);

// What a request is for, before anybody knows who asks.

struct wants_health {};
struct wants_readiness {};
/// A browser asks whether it may send the real request.
struct wants_preflight {};
/// The gateway's state, for an operator or a test.
struct wants_state {};
/// The document about an endpoint (RFC 9728), such as `/mcp`.
struct wants_metadata {
  std::string endpoint;
};
/// The metadata of the issuer of tokens, which clients of 2025-03-26 look for here (2025-03-26, authorization, 2.3.2).
struct wants_issuer {};
/// One of the endpoints of MCP.
struct wants_endpoint {
  path at;
  known_fields fields;
};
using entered_request = std::variant<rejection, wants_health, wants_readiness, wants_preflight, wants_state,
                                     wants_metadata, wants_issuer, wants_endpoint>;

/// Lets a request in, or refuses it, by what is the same for all who ask, in this order: Origin, Sec-Fetch-Site and
/// Host (neither for probes of health nor for documents that all may read), path. The views are those of the request.
entered_request enter(const http_request& request, const access_rules& access);

/// Whether a request comes from a program on this machine. A proxy here makes every client look like one of it, so what
/// a proxy adds counts too: the fields by which it says that it is one, and the name by which its clients call it.
bool is_of_this_machine(const http_request& request);

/// Whether it asks if a gateway with these paths lives or is ready.
bool is_probe(const http_request& request, const known_paths& paths);

} // namespace troupe::protocol
