#pragma once

#include "actors/troupe/gateway.hpp"
#include "protocol/options/server_rules.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::actors {

/// The names of servers that are given none: a program's is its file's, a remote server's its host, a hosted server's
/// what it calls itself. Actors have none, nor has what does not say where it comes from.
std::string own_name(const server_source& source);

/// The servers with all names in place.
std::vector<server_options> named(std::vector<server_options> servers);

/// Whether what a server is told of its callers is another thing for each of them.
bool is_told_of_callers(const server_options& server);
/// Whether all users use one process of it if it speaks 2026-07-28. One that is told who asks hears that when it
/// starts.
bool shares_modern(const server_options& server);
/// Whether callers' tokens are exchanged for those that it is shown.
bool exchanges_tokens(const server_options& server);

/// What it needs to know of its callers, and what of that there is.
protocol::caller_needs needs_of(const server_options& server, const gateway_options& options);

/// Why a gateway cannot serve these servers, which have their names, in one line that has no value of an option but
/// names of servers; nothing when it can. `merged` is whether they are merged.
std::optional<std::string> why_not_serve(const std::vector<server_options>& servers, bool merged);

} // namespace troupe::actors
