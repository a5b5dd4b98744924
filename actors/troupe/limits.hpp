#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace troupe {

/// Limits for each caller, or for all clients without credentials at one address. Zero: no limit. Clients on this
/// machine without credentials are not limited. Behind a proxy, all clients have its address, unless the proxy is among
/// `limits::trusted_proxies`. An IPv6 host counts with its whole network (/64).
struct address_limits {
  /// Further requests are answered 429 with `Retry-After`. After a rest, twice as many may arrive at once.
  std::size_t requests_per_second = 1000;
  /// Requests that begin a session, counted and refused as above.
  std::size_t initializes_per_minute = 600;
  /// Sessions. One more ends the longest idle session, if idle for at least ten seconds; otherwise the new client is
  /// answered 429.
  std::size_t sessions = 1000;
  /// POST requests that wait for their answer at the same time; further requests are answered 429.
  std::size_t calls = 1000;
  /// Connections; further ones are answered 429. Connections of trusted proxies are not counted.
  std::size_t connections = 1000;

  friend bool operator==(const address_limits&, const address_limits&) = default;
};

/// Limits of the resources that clients share, so that no client exhausts them.
struct limits {
  /// Bytes of events kept for clients that disconnect. Above the limit, a session keeps only its last 64 KiB.
  std::size_t event_bytes = 1024 * 1024 * 1024;
  /// Bytes of messages that wait for their client to listen. Above the limit, up to 16 KiB of a session wait.
  std::size_t waiting_bytes = 256 * 1024 * 1024;
  address_limits per_address = {};
  /// Connections of clients. Zero: half of the descriptors that the process may have. A further connection replaces the
  /// oldest one without a request, or is answered 503 if there is none.
  std::size_t connections = 0;
  /// Bytes of answers and streams not yet read by clients, over all connections. Zero: no limit. Above the limit,
  /// connections are closed: first the one that has kept the most for the longest time.
  std::size_t unsent_bytes = std::size_t{256} * 1024 * 1024;
  /// Proxies, as addresses or networks (`10.0.0.0/8`), whose `Forwarded` or `X-Forwarded-For`, `-Proto` and `-Host`,
  /// and `X-Forwarded-Prefix` are believed. The client's address is the last one that is not itself a trusted proxy's.
  std::vector<std::string> trusted_proxies = {};
  /// Longest message of a server, in bytes (1 KiB to 1 GiB): a line of stdout, or an answer or event of a remote
  /// server. A longer message is skipped, and the call that it answers fails.
  std::size_t message_bytes = 10 * 1024 * 1024;
  /// Processes of servers that are not reaped yet (1 to 1,000,000). Clients that need a further one are answered 503.
  std::size_t processes = 20'000;

  friend bool operator==(const limits&, const limits&) = default;
};

} // namespace troupe
