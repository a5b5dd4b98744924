#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace troupe {

/// What all clients at one address may ask for together. Zero: as much as they like. Clients on this machine are not
/// limited; behind a proxy on this machine, or on any other, all clients have its address, unless the proxy is among
/// `limits::trusted_proxies`. An IPv6 host counts with its whole network (/64).
struct address_limits {
  /// Further ones are answered 429 with `Retry-After`; after a rest, twice as many may come at once.
  std::size_t requests_per_second = 1000;
  /// The same for those that begin a session.
  std::size_t initializes_per_minute = 600;
  /// Sessions. When one more begins, the one that was idle for longest ends, if that is ten seconds at least; otherwise
  /// the newcomer is answered 429.
  std::size_t sessions = 1000;
  /// POST requests that await their answer at the same time; a further one is answered 429.
  std::size_t calls = 1000;
  /// Connections; a further one is answered 429. Those of trusted proxies are not counted.
  std::size_t connections = 1000;

  friend bool operator==(const address_limits&, const address_limits&) = default;
};

/// What clients may use up, so that nobody uses up what others need.
struct limits {
  /// Bytes of events that are kept for clients whose connection breaks. Beyond, a session keeps only its last 64 KiB.
  std::size_t event_bytes = 1024 * 1024 * 1024;
  /// Bytes of messages that wait for their client to listen. Beyond, no more than 16 KiB of a session wait.
  std::size_t waiting_bytes = 256 * 1024 * 1024;
  address_limits per_address = {};
  /// Connections of clients. Beyond it the oldest one without a request makes room for a new one, which is answered 503
  /// when there is none. Zero: half of the descriptors that the process may have.
  std::size_t connections = 0;
  /// Bytes of answers and streams that clients have not read, of all connections. Beyond it connections are closed:
  /// first the one that has kept the most for the longest. Zero: no limit.
  std::size_t unsent_bytes = std::size_t{256} * 1024 * 1024;
  /// Proxies, as addresses or networks (`10.0.0.0/8`), that are believed when they say for whom they ask, in
  /// `Forwarded` or `X-Forwarded-For`, `-Proto` and `-Host`, and in `X-Forwarded-Prefix`: the address is the last one
  /// that is not itself such a proxy's.
  std::vector<std::string> trusted_proxies = {};
  /// Longest message of a server, in bytes (1 KiB to 1 GiB): a line of its stdout, or an answer or event of a remote
  /// one. A longer one is skipped, and the call that it answers fails.
  std::size_t message_bytes = 10 * 1024 * 1024;
  /// Processes of servers that live, until they are reaped (1 to 1,000,000). Who needs a further one is answered 503.
  std::size_t processes = 20'000;

  friend bool operator==(const limits&, const limits&) = default;
};

} // namespace troupe
