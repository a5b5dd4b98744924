#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

namespace troupe::protocol {

// Flow control of an answer on its way from the node that answers to the node that has the client's connection.

/// Flow control on the answering side: bytes of events that the other node has not passed on yet.
class unacknowledged_events {
public:
  /// Capacity of a client's connection, in bytes, plus the longest message.
  static constexpr std::size_t most = 2 * 10 * 1024 * 1024 + 64 * 1024;

  /// False above the limit: a client that does not read loses its connection. The session keeps the missed events.
  bool sent(std::size_t bytes) { return (bytes_ += bytes) <= most; }
  /// Notes that the other node has passed on so many bytes.
  void taken(std::size_t bytes) { bytes_ -= std::min(bytes_, bytes); }

private:
  std::size_t bytes_ = 0;
};

/// Flow control on the client's side: bytes passed on to the client that the other node was not notified of.
class unreported_events {
public:
  static constexpr std::size_t most = 256 * 1024;

  /// Returns how many bytes to report to the other node now; 0 while they are few.
  std::size_t passed_on(std::size_t bytes) {
    bytes_ += bytes;
    return bytes_ >= most ? std::exchange(bytes_, 0) : 0;
  }

private:
  std::size_t bytes_ = 0;
};

} // namespace troupe::protocol
