#pragma once

#include "actors/troupe/gateway.hpp"
#include "protocol/options/cluster_rules.hpp"
#include "protocol/options/option_row.hpp"
#include "protocol/options/server_rules.hpp"

namespace troupe::actors::option_table {

using namespace protocol;
using enum protocol::flag_group;
using enum protocol::text_form;

// Options of a gateway that are a number, a time, a switch, a text or a list of texts, by section of the configuration
// file. `deploy/config/` reads the sections that have another form.

/// Most bytes of events, of waiting messages, and of a server's memory.
inline constexpr auto most_bytes = std::uint64_t{1} << 50;
/// Spans that may wait to be sent, and each number that OpenTelemetry's variables have.
inline constexpr bounds span_bounds{1, 1'000'000};

inline constexpr option_row<gateway_options> gateway_rows[] = {
    option_row("host", &gateway_options::host, {}, "Address to listen on.", {"--host", "ADDRESS", access}),
    option_row("port", &gateway_options::port, {0, 65535}, "Port to listen on; 0 picks a free one.",
               {"--port", "PORT", access}),
    option_row("allowedHosts", &gateway_options::allowed_hosts, {},
               "Name or address that clients may send as Host, with any port or with this one, besides names of this "
               "machine; * admits all. Beyond loopback any Host is admitted if none is given.",
               {"--allowed-host", "HOST[:PORT]", access}),
    option_row("allowOrigins", &gateway_options::allow_origins, {},
               "Web origin that may connect, besides those of this machine; * admits all.",
               {"--allow-origin", "ORIGIN", access}),
    option_row("mcpPaths", &gateway_options::mcp_paths, http_path, "Further path of Streamable HTTP, besides /mcp.",
               {"--mcp-path", "PATH", access}),
    option_row("ssePaths", &gateway_options::sse_paths, http_path, "Further path of HTTP+SSE, besides /sse.",
               {"--sse-path", "PATH", access}),
    option_row("messagePaths", &gateway_options::message_paths, http_path,
               "Further path to which clients of HTTP+SSE post, besides /messages; they are sent to the first one.",
               {"--message-path", "PATH", access}),
    option_row("healthPaths", &gateway_options::health_paths, http_path,
               "Further path that answers while the process lives, besides /healthz and /health.",
               {"--health-path", "PATH", access}),
    option_row("sessionTimeout", &gateway_options::session_timeout, above_zero,
               "Time without a request, a call in flight or an open stream after which a session ends.",
               {"--session-timeout", "TIME"}),
    option_row(
        "abandonedTimeout", &gateway_options::abandoned_timeout, above_zero,
        "The same for a session whose client had a stream open and lost it; never longer than the session timeout.",
        {"--abandoned-timeout", "TIME"}),
    option_row("leaseTime", &gateway_options::lease_time, above_zero,
               "Time after the last call of a caller of revision 2026-07-28 for which its servers' processes, waiting "
               "calls and subscriptions are kept.",
               {"--lease-time", "TIME"}),
    option_row("requestTimeout", &gateway_options::request_timeout, above_zero,
               "Time without an answer or progress after which a call fails.", {"--request-timeout", "TIME"}),
    option_row("initializeTimeout", &gateway_options::initialize_timeout, above_zero,
               "Time without an answer to `initialize` after which a server has failed."),
    option_row("listPatience", &gateway_options::list_patience, above_zero,
               "Time that a merged list waits for each server. A slower one is left out until it has answered."),
    option_row("instructionsPatience", &gateway_options::instructions_patience, zero_or_above,
               "Time that the start of a merged session waits for the instructions of servers that have never answered "
               "before. Eager servers have up to `initializeTimeout`."),
    option_row("streamTime", &gateway_options::stream_time, zero_or_above,
               "Time after which a stream's connection is closed, and its client comes back for the rest; never if 0.",
               {"--stream-time", "TIME"}),
    option_row("grace", &gateway_options::grace, zero_or_above,
               "Time that calls in flight may still run once the gateway drains."),
    option_row("upgradeTime", &gateway_options::upgrade_time, above_zero,
               "Longest time that a process keeps its sessions after it has handed over to another by SIGUSR2."),
    option_row("maxBody", &gateway_options::max_body, {1, std::uint64_t{1} << 30},
               "Longest request body, in bytes; a longer one is answered 413.", {"--max-body", "BYTES"}),
    option_row("maxSessions", &gateway_options::max_sessions, {1, 10'000'000},
               "Sessions at the same time. One more ends the session that was idle for longest, or is answered 503.",
               {"--max-sessions", "N"}),
    option_row("threads", &gateway_options::threads, {1, 1024},
               "Threads for sockets and pipes (default: one for two processors).", {"--threads", "N", process}),
    option_row("debugState", &gateway_options::debug_state, {},
               "Show counts of sessions, servers and streams at /debug/state, to this machine only.",
               {"--debug-state", "", process})};

inline constexpr option_row<limits> limit_rows[] = {
    option_row("connections", &limits::connections, {0, 10'000'000},
               "Connections of clients. One more replaces the oldest connection without a request. 0: half of the open "
               "files that are allowed."),
    option_row("unsentBytes", &limits::unsent_bytes, {0, std::uint64_t{1} << 40},
               "Bytes that clients have not read yet, over all connections. Above it, the connection that has kept the "
               "most for the longest time is closed. 0: no limit."),
    option_row("eventBytes", &limits::event_bytes, {1, most_bytes},
               "Bytes of events that are kept for clients whose connection breaks. Above it, a session keeps only its "
               "last 64 KiB."),
    option_row("waitingBytes", &limits::waiting_bytes, {1, most_bytes},
               "Bytes of messages that wait for their client to listen, or for Redis. Above it, no more than 16 KiB of "
               "a session wait."),
    option_row("messageBytes", &limits::message_bytes, {1024, std::uint64_t{1} << 30},
               "Longest message of a server, in bytes. A longer one is skipped, and the call that it answers fails."),
    option_row(
        "processes", &limits::processes, {1, 1'000'000},
        "Processes of servers, including those that are being stopped. A request that needs one more is answered 503."),
    option_row("trustedProxies", &limits::trusted_proxies, network,
               "Address or network of a proxy whose Forwarded or X-Forwarded-For, -Proto and -Host, and "
               "X-Forwarded-Prefix, are believed.",
               {"--trusted-proxy", "CIDR", access})};

inline constexpr bounds each_caller{0, 1'000'000};

inline constexpr option_row<address_limits> address_rows[] = {
    option_row("requestsPerSecond", &address_limits::requests_per_second, each_caller,
               "Requests in a second; further ones are answered 429. After a rest, twice as many may arrive at once."),
    option_row("initializesPerMinute", &address_limits::initializes_per_minute, each_caller,
               "Requests in a minute that begin a session; counted and refused in the same way."),
    option_row("sessions", &address_limits::sessions, each_caller,
               "Sessions. One more ends the session that was idle for longest, or is answered 429."),
    option_row("calls", &address_limits::calls, each_caller,
               "POST requests that wait for their answer at the same time."),
    option_row("connections", &address_limits::connections, each_caller,
               "Connections, except those of trusted proxies.")};

inline constexpr option_row<tls_options> tls_rows[] = {
    option_row("cert", &tls_options::certificate, readable_file,
               "Certificate of the gateway (PEM), followed by its chain to an authority.",
               {"--tls-cert", "FILE", access}),
    option_row("key", &tls_options::private_key, readable_file, "Private key of that certificate (PEM).",
               {"--tls-key", "FILE", access}),
    option_row("clientCa", &tls_options::client_ca, readable_file,
               "Authorities of clients' certificates (PEM). Clients are then asked for a certificate, and need one "
               "unless they have a key or a token.",
               {"--tls-client-ca", "FILE", access}),
    option_row("clientCrl", &tls_options::client_crl, readable_file,
               "Certificate revocation lists of those authorities (PEM). Every authority needs a list that has not "
               "expired; otherwise its clients are refused.",
               {"--tls-client-crl", "FILE", access})};

inline constexpr option_row<auth_options> auth_rows[] = {
    option_row("keys", &auth_options::keys_file, readable_file,
               "File of clients' keys, with lines as `troupe key new` prints them; read again when it changes.",
               {"--keys", "FILE", access}),
    option_row("allowAnonymous", &auth_options::allow_anonymous, {},
               "Admit clients without a key, token or certificate, also from other machines.",
               {"--allow-anonymous", "", access}),
    option_row("url", &auth_options::url, expanded,
               "URL at which clients know the gateway. It has a path if a proxy serves the gateway below one.")};

inline constexpr option_row<admin_options> admin_rows[] = {
    option_row("tokenFile", &admin_options::token_file, readable_file,
               "File whose only line, of 16 to 4096 visible characters, operators show as their token; needed beyond "
               "this machine. Without it, the gateway makes a token on loopback, which its own commands find.",
               {"--admin-token-file", "FILE", access}),
    option_row("open", &admin_options::open, {},
               "Ask operators for no token; on loopback only, where every program and every tool that fetches URLs can "
               "then query and control the gateway.",
               {"--admin-open", "", access}),
    option_row("content", &admin_options::content, {},
               "Show the content of messages, such as arguments and results, to operators who follow a session.")};

inline constexpr option_row<cluster_options> cluster_rows[] = {
    option_row("node", &cluster_options::name, expanded,
               "Name of this node of a cluster; each node has a name of its own.", {"--node", "NAME", cluster}),
    option_row("advertise", &cluster_options::advertise, host_port,
               "Address at which other nodes reach this one (default: where it listens).",
               {"--cluster-advertise", "HOST:PORT", cluster}),
    option_row("plain", &cluster_options::plain, {},
               "Speak with other machines without certificates: the key alone protects.",
               {"--cluster-plain", "", cluster}),
    option_row("heartbeat", &cluster_options::heartbeat, above_zero,
               "Silence after which a node counts as lost; 0.2 to 300 seconds.", {"--heartbeat", "TIME", cluster}),
    option_row(
        "store", &cluster_options::store, expanded,
        "Redis that keeps the sessions of servers with `recovery`: redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE], "
        "or rediss:// in TLS. A password is safer in the file.",
        {"--store", "URL", cluster}),
    option_row("storeCa", &cluster_options::store_ca_file, readable_file,
               "Certificates (PEM) that may sign the certificate of Redis, besides the system's; for rediss://.",
               {"--store-ca", "FILE", cluster}),
    option_row("restoresPerSecond", &cluster_options::restores_per_second, {1, protocol::most_restores_per_second},
               "Sessions of lost nodes that may be restored here per second. Further requests wait for their turn, or "
               "are answered 503.",
               {"--restores-per-second", "COUNT", cluster}),
    option_row("membersFile", &cluster_options::members_file, file,
               "File that keeps the addresses of the other nodes for the next start of this one (default: members in "
               "systemd's STATE_DIRECTORY).",
               {"--members-file", "FILE", cluster})};

inline constexpr option_row<cluster_options> cluster_tls_rows[] = {
    option_row("cert", &cluster_options::certificate, readable_file,
               "Certificate of the node (PEM), for TLS between nodes.", {"--cluster-cert", "FILE", cluster}),
    option_row("key", &cluster_options::private_key, readable_file, "Private key of that certificate (PEM).",
               {"--cluster-cert-key", "FILE", cluster}),
    option_row("ca", &cluster_options::ca_file, readable_file, "Authorities of the certificates of all nodes (PEM).",
               {"--cluster-ca", "FILE", cluster})};

// -- servers

inline constexpr option_row<server_options> server_rows[] = {
    option_row("poolSize", &server_options::pool_size, {1, protocol::largest_pool},
               "Processes that wait for sessions, with `sharing` `pool`."),
    option_row("eager", &server_options::eager, {}, "Start the server before its first use."),
    option_row(
        "essential", &server_options::essential, {},
        "Answer /readyz with 503 while the server does not start. To find out, it is started with the gateway.")};

inline constexpr option_row<restart_options> restart_rows[] = {
    option_row("firstDelay", &restart_options::first_delay, above_zero,
               "Pause before the first restart; each further one is twice as long."),
    option_row("longestDelay", &restart_options::longest_delay, above_zero, "Longest pause."),
    option_row("attempts", &restart_options::attempts, {1, protocol::most_attempts},
               "Losses, each before the server was steady, after which it is left alone."),
    option_row("steady", &restart_options::steady, above_zero, "Time after which a running server is steady."),
    option_row("rest", &restart_options::rest, above_zero,
               "First pause after that. Each further pause doubles, up to five times this one, and up to 5 minutes.")};

/// The least memory is what programs need to start.
inline constexpr option_row<process_limits> process_limit_rows[] = {
    option_row("memory", &process_limits::memory, {1024 * 1024, most_bytes},
               "Bytes of address space, of which runtimes such as Node reserve many times what they use."),
    option_row("files", &process_limits::files, {8, 1'000'000'000}, "Open files, sockets and pipes."),
    option_row("processes", &process_limits::processes, {1, 4'194'304},
               "Processes and threads of its user, started by any program. No effect for root.")};

} // namespace troupe::actors::option_table
