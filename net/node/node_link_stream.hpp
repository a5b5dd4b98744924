#pragma once

#include "net/tls.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <openssl/types.h>
#include <optional>
#include <string>

namespace troupe::net {

/// Byte stream of a link between nodes, for the thread that carries it and polls the descriptor itself.
///
/// `read`, `write` and `has_unread` are for one thread at a time, the others for any. Nothing blocks. Destroying it
/// ends the link.
class node_link_stream {
public:
  using clock = std::chrono::steady_clock;
  /// Receives the socket in the end, on the thread that destroys the stream.
  using on_end = std::function<void(owned_descriptor)>;

  /// Bytes in `first` were received and decrypted already.
  node_link_stream(secure_connection from, std::string first, on_end ends);
  ~node_link_stream();
  node_link_stream(const node_link_stream&) = delete;
  node_link_stream& operator=(const node_link_stream&) = delete;

  int descriptor() const { return socket_.descriptor; }
  /// Duplicates the descriptor, for users that close the descriptors that they wait for; none if no descriptor is left.
  owned_descriptor duplicate() const;

  /// Reads at most `most` bytes; 0 when nothing has arrived, nullopt when nothing more will.
  std::optional<std::size_t> read(char* to, std::size_t most);
  /// Writes the bytes that the socket takes; the next call begins with the same bytes that were left. Returns nullopt
  /// when the other side will not read them.
  std::optional<std::size_t> write(const char* from, std::size_t size);
  /// Whether received bytes are left to read, of which the descriptor gives no sign.
  bool has_unread() const;

  /// Time when something was last received.
  clock::time_point last_received() const { return last_received_.load(std::memory_order_relaxed); }
  void note_received() { last_received_.store(clock::now(), std::memory_order_relaxed); }
  /// Whether something has arrived that was not read.
  bool has_arrived() const;
  /// Shuts the socket down, so that both sides see the end.
  void cut() const;

private:
  owned_descriptor owned_;
  bio_socket socket_;
  std::unique_ptr<SSL, void (*)(SSL*)> tls_;
  std::string first_;
  on_end ends_;
  std::atomic<clock::time_point> last_received_{clock::now()};
};

} // namespace troupe::net
