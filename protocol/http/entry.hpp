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

/// Whether a `Host` value is allowed. `allowed` has names or addresses, with any port or with that one, or `*`.
bool host_allowed(std::string_view host, const std::vector<std::string>& allowed);

/// Whether a `Host` value names this machine, with any port or none, or the address that the gateway listens on.
bool host_is_local(std::string_view host, std::string_view bound_to);

// Purposes of a request, determined before authentication.

struct health_request {};
struct readiness_request {};
/// Preflight: a browser checks whether it may send the real request.
struct preflight_request {};
/// State of the gateway, for an operator or a test.
struct state_request {};
/// Document about an endpoint (RFC 9728), such as `/mcp`.
struct metadata_request {
  std::string endpoint;
};
/// Metadata of the token issuer, which clients of 2025-03-26 look for here (2025-03-26, authorization, 2.3.2).
struct issuer_request {};
/// Endpoint of MCP.
struct mcp_request {
  path at;
  known_fields fields;
};
using entered_request = std::variant<rejection, health_request, readiness_request, preflight_request, state_request,
                                     metadata_request, issuer_request, mcp_request>;

/// Allows or refuses a request by the rules that are equal for all callers, in this order: Origin, Sec-Fetch-Site and
/// Host (neither for health probes nor for public documents), path. The views are those of the request.
entered_request enter(const http_request& request, const access_rules& access);

/// Whether a request comes from a program on this machine. A proxy here makes every client look local, so the traces of
/// a proxy count too: the fields by which it identifies itself, and the name by which its clients call it.
bool is_of_this_machine(const http_request& request, const known_fields& fields);

/// Whether a request probes the health or readiness of a gateway with these paths.
bool is_probe(const http_request& request, const known_paths& paths);

} // namespace troupe::protocol
