#pragma once

#include "actors/troupe/gateway.hpp"

#include <cstdint>
#include <string>

namespace troupe::deploy {

/// The ports that a gateway has found, see `gateway::port`, and the file of the token that it has made for operators.
struct bound_ports {
  std::uint16_t clients = 0;
  std::uint16_t operators = 0;
  std::string token_file = {};
};

/// Where clients find a gateway: `http://127.0.0.1:8080/mcp`, or `unix:PATH`.
std::string url_of(const gateway_options& options, std::uint16_t port);

/// What somebody at a terminal is told of a gateway that runs: its servers, where they are, who may come in, and what
/// to put into a client. Has no arguments of programs and of remote servers the host only, for these may be secret.
std::string summary_of(const gateway_options& options, const bound_ports& ports);

} // namespace troupe::deploy
