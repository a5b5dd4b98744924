#pragma once

#include "net/io_thread.hpp"
#include "net/owned_descriptor.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::net {

// Framed texts between two processes, through a pair of unix sockets that only they have. On the wire each text follows
// its size in four bytes, the most significant first.

/// Makes two sockets, each of which reads the bytes written to the other. Throws `std::runtime_error` with one line
/// when there is no descriptor left.
std::pair<owned_descriptor, owned_descriptor> make_socket_pair();

/// Duplicates a socket. Throws as `make_socket_pair` does.
owned_descriptor copy_of(const owned_descriptor& socket);

/// Whether the other end is closed, whatever it has sent before.
bool is_abandoned(int socket);

/// Writes a short text that the socket takes at once. False if it does not take all of it.
bool write_frame(int socket, std::string_view text);
/// Reads one short text, and no bytes after it. Returns nullopt if none is complete within the limit, which may be
/// zero, or if it is longer than 64 KiB. Blocks the caller.
std::optional<std::string> read_frame(int socket, std::chrono::milliseconds limit);

/// End of a socket pair, served by an io thread. Callbacks run on that thread, never inside a call.
///
/// Destroying it stops reading, writes pending texts if the other process takes them within a second, and closes the
/// socket. The destructor is callable from any thread.
class frame_stream {
public:
  /// Longest text, in bytes. The other process is the same user's program, so the limit only protects memory.
  static constexpr std::size_t longest = 1U << 30;

  /// Calls `on_text` with each text, and `on_end` once, when the other process has closed or sent an invalid frame.
  frame_stream(io_thread& thread, owned_descriptor socket, std::function<void(std::string)> on_text,
               std::function<void()> on_end);
  ~frame_stream();
  frame_stream(const frame_stream&) = delete;
  frame_stream& operator=(const frame_stream&) = delete;

  /// Writes a text. Only on the thread. Ends the stream if the text is longer than `longest`, or if the other process
  /// leaves more bytes than that unread.
  void write(std::string_view text);

private:
  class state;
  std::shared_ptr<state> state_;
};

} // namespace troupe::net
