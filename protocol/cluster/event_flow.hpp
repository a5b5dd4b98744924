#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

namespace troupe::protocol {

// How much of an answer may be on its way from the node that answers to the one that has the client's connection.

/// On the side that answers: bytes of events that the other node has not passed on yet.
class unread_events {
public:
  /// As much as a connection of a client holds, and the longest message besides.
  static constexpr std::size_t most = 2 * 10 * 1024 * 1024 + 64 * 1024;

  /// False when it is too much: a client that does not read loses its connection. The session keeps what it missed.
  bool sent(std::size_t bytes) { return (bytes_ += bytes) <= most; }
  /// The other node has passed on that much.
  void taken(std::size_t bytes) { bytes_ -= std::min(bytes_, bytes); }

private:
  std::size_t bytes_ = 0;
};

/// On the side of the client: bytes of events that were passed on and that the other node has not heard of.
class untold_events {
public:
  static constexpr std::size_t most = 256 * 1024;

  /// How many bytes the other node is to hear of now; none as long as they are few.
  std::size_t passed_on(std::size_t bytes) {
    bytes_ += bytes;
    return bytes_ >= most ? std::exchange(bytes_, 0) : 0;
  }

private:
  std::size_t bytes_ = 0;
};

} // namespace troupe::protocol
