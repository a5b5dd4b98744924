#pragma once

#include "actors/troupe/gateway.hpp"

#include <cstdint>
#include <string>

namespace troupe::deploy {

/// Ports that a gateway listens on, see `gateway::port`, and the file with its generated admin token.
struct bound_ports {
  std::uint16_t clients = 0;
  std::uint16_t operators = 0;
  std::string token_file = {};
};

/// Returns the gateway's URL for clients: `http://127.0.0.1:8080/mcp`, or `unix:PATH`.
std::string url_of(const gateway_options& options, std::uint16_t port);

/// Returns the summary of a running gateway for a terminal: its servers, URLs, access, and a configuration for clients.
/// Omits arguments of programs, and all but the host of remote servers, which may be secret.
std::string summary_of(const gateway_options& options, const bound_ports& ports);

} // namespace troupe::deploy
