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

/// The bytes of a link between nodes, for the thread that carries them, which waits for the descriptor by itself.
///
/// `read`, `write` and `has_unread` are for one thread at a time, the others for any. Nothing blocks. Destroying it
/// ends the link.
class node_link_stream {
public:
  using clock = std::chrono::steady_clock;
  /// What becomes of the socket in the end, on the thread that destroys the stream.
  using on_end = std::function<void(owned_descriptor)>;

  /// `first` was received and decrypted already.
  node_link_stream(secure_connection from, std::string first, on_end ends);
  ~node_link_stream();
  node_link_stream(const node_link_stream&) = delete;
  node_link_stream& operator=(const node_link_stream&) = delete;

  int descriptor() const { return socket_.descriptor; }
  /// Another descriptor of the socket, for who closes those that it waits for; none when the process may not open more.
  owned_descriptor duplicate() const;

  /// Reads so much at most; 0 bytes when nothing has come, nothing when nothing more will.
  std::optional<std::size_t> read(char* to, std::size_t most);
  /// Writes what the socket takes: of what it did not, the next call begins with the same bytes. Nothing when nobody
  /// will read it.
  std::optional<std::size_t> write(const char* from, std::size_t size);
  /// Whether there is something to read that was received already, so that the descriptor does not tell of it.
  bool has_unread() const;

  /// When something came last.
  clock::time_point heard() const { return heard_.load(std::memory_order_relaxed); }
  void heard_now() { heard_.store(clock::now(), std::memory_order_relaxed); }
  /// Whether something has come that was not read.
  bool has_arrived() const;
  /// Lets both sides see the end.
  void cut() const;

private:
  owned_descriptor owned_;
  bio_socket socket_;
  std::unique_ptr<SSL, void (*)(SSL*)> tls_;
  std::string first_;
  on_end ends_;
  std::atomic<clock::time_point> heard_{clock::now()};
};

} // namespace troupe::net
