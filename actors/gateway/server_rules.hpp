#pragma once

#include "actors/troupe/gateway.hpp"
#include "protocol/options/server_rules.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::actors {

/// Default name of a server: the file name of a program, the host of a URL, or the name in a hosted server's own info.
/// Empty for actors and for servers without a source.
std::string own_name(const server_source& source);

/// Fills in the names of servers.
std::vector<server_options> named(std::vector<server_options> servers);

/// True if the server receives values that depend on the caller.
bool receives_caller(const server_options& server);
/// True if all users share one process of a server that speaks 2026-07-28. False if the process receives values of its
/// caller at start.
bool shares_modern(const server_options& server);
/// True if callers' tokens are exchanged for tokens of the server.
bool exchanges_tokens(const server_options& server);

/// Returns which facts about callers a server needs, and which are available.
protocol::caller_needs needs_of(const server_options& server, const gateway_options& options);

/// Returns in one line why a gateway cannot serve these servers; empty if it can. The line has names of servers but no
/// other values. The servers must have names.
std::optional<std::string> why_not_serve(const std::vector<server_options>& servers, bool merged);

} // namespace troupe::actors
