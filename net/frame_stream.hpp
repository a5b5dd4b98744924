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

// Texts between two processes, through a pair of unix sockets that only these have. On the way each is preceded by its
// size in four bytes, the most significant first.

/// Two sockets, each of which reads what is written to the other. Throws `std::runtime_error` with one line when there
/// is no descriptor left.
std::pair<owned_descriptor, owned_descriptor> make_socket_pair();

/// The same socket, once more. Throws as above.
owned_descriptor copy_of(const owned_descriptor& socket);

/// Whether the other end is closed, whatever it has said before.
bool is_abandoned(int socket);

/// Writes a short text, which the socket takes at once. False when it does not.
bool write_frame(int socket, std::string_view text);
/// Reads a short text, and nothing that comes after it. Nothing when none is complete within the time, which may be
/// zero, or when it is longer than 64 KiB. Blocks the caller.
std::optional<std::string> read_frame(int socket, std::chrono::milliseconds limit);

/// One end of such a pair, on a thread. What it is given is called there, never from inside a call to it.
///
/// Destroying it ends the reading, writes what was told before, if the other process takes it within a second, and
/// closes the socket; callable from any thread.
class frame_stream {
public:
  /// Of a text; the other process is the same user's program, so that only its memory is guarded by it.
  static constexpr std::size_t longest = 1U << 30;

  /// `on_text` is called with each text, `on_end` once, when the other process is gone or sends what is none.
  frame_stream(io_thread& thread, owned_descriptor socket, std::function<void(std::string)> on_text,
               std::function<void()> on_end);
  ~frame_stream();
  frame_stream(const frame_stream&) = delete;
  frame_stream& operator=(const frame_stream&) = delete;

  /// Only on the thread. A text longer than `longest` ends the stream, and so do more bytes that the other process does
  /// not read.
  void write(std::string_view text);

private:
  class state;
  std::shared_ptr<state> state_;
};

} // namespace troupe::net
