#pragma once

#include "net/byte_stream.hpp"
#include "net/io_thread.hpp"
#include "net/spare_connections.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>

namespace troupe::net {

/// Connections without a call, kept for the next one to the same server.
///
/// Each is read from, so that one that the server closes is noticed at once. Only on the io thread; closing it closes
/// them all.
class http_client_pool : public std::enable_shared_from_this<http_client_pool> {
public:
  using connection_ptr = std::shared_ptr<byte_stream>;

  http_client_pool(io_thread& thread, std::size_t limit, std::chrono::milliseconds patience)
      : thread_{thread}, limit_{limit}, patience_{patience} {}
  http_client_pool(const http_client_pool&) = delete;
  http_client_pool& operator=(const http_client_pool&) = delete;

  /// The one to this origin that was used last; null when there is none.
  connection_ptr take(const std::string& origin);
  /// The oldest one goes when there are too many.
  void keep(connection_ptr one, std::string origin);
  /// Keeps none from now on.
  void close();

private:
  struct kept {
    connection_ptr connection;
    std::string origin;
    io_thread::appointment end;
    spare_connections::number spare;
  };

  void drop(const byte_stream* which);
  kept remove(const std::deque<kept>::iterator& at);
  void close_oldest();

  io_thread& thread_;
  std::size_t limit_;
  std::chrono::milliseconds patience_;
  bool is_closed_ = false;
  /// Oldest first.
  std::deque<kept> idle_;
};

} // namespace troupe::net
