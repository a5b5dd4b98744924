#pragma once

#include "net/io_thread.hpp"
#include "net/server/connection_limits.hpp"
#include "net/server/connection_socket.hpp"
#include "net/server/connections.hpp"
#include "net/write_queue.hpp"
#include "protocol/http/http.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::net {

/// Ways to mark the end of an answer.
enum class framing { length, chunked, until_close };

/// Returns the status line and the fields of an answer, up to and with the empty line. The text has capacity for `room`
/// more bytes.
std::string head_text(const protocol::http_response& answer, framing body, bool keep_alive, std::size_t room = 0);

/// Returns a chunk of a chunked body (RFC 9112, 7.1). `bytes` is never empty: an empty chunk would end the body.
std::string chunk_text(std::string_view bytes);
inline constexpr const char* last_chunk = "0\r\n\r\n";

/// Writes the answers of one connection, one after the other: frames each as its request allows, and keeps all bytes
/// that the client has not taken.
///
/// Added texts wait for a write. At most one write is under way, and only during that are there a deadline and a share
/// of the budget. Lives on the thread of its connection, which keeps it alive during a write; never blocks.
class answer_writer {
public:
  using time_point = io_thread::clock::time_point;

  // -- the answer
  /// Begins an answer. Another may follow if `keep_alive`; events come in chunks if `chunked`, else until the close.
  void begin(bool keep_alive, bool chunked) {
    keep_alive_ = keep_alive;
    chunked_ = chunked;
  }
  /// Makes the present answer the last.
  void make_last() { keep_alive_ = false; }
  bool is_last() const { return !keep_alive_; }
  /// Lets the client send the body of its request.
  void add_continue() { queue_.add("HTTP/1.1 100 Continue\r\n\r\n"); }
  /// Adds a whole answer, of which an answer to HEAD leaves out the body.
  void respond(protocol::http_response answer, bool has_body);
  /// Adds the head of an event stream. Makes the answer the last if only the close can end it.
  void begin_events(const protocol::http_response& head);
  void write_events(std::string events);
  /// Adds the end of the events; false when that is the close.
  bool end_events();

  // -- unsent bytes
  bool is_empty() const { return queue_.is_empty(); }
  /// Whether a write is under way.
  bool is_writing() const { return queue_.is_writing(); }
  /// Whether more bytes than that wait for a write.
  bool waiting_exceeds(std::size_t limit) const { return queue_.waiting_exceeds(limit); }
  /// Whether more bytes than that are kept, with those of the write under way.
  bool held_exceeds(std::size_t limit) const { return queue_.held_exceeds(limit); }
  /// Whether the client was once slow to read its answers.
  bool was_held() const { return was_held_; }

  // -- writing
  /// Whether the owner is to post a write: true once, until `posted_write_begins`.
  bool is_post_due() { return queue_.is_post_due(); }
  void posted_write_begins() { queue_.posted_write_begins(); }
  /// Writes what the client takes at once. Returns the rest, to be followed by `end_write`; nullopt if none is left or
  /// another write is under way.
  std::optional<write_queue::rest> begin_write(connection_socket& to) { return queue_.begin_at_once(to); }
  /// Limits the time of the write that has begun. Returns its deadline.
  time_point limit_write(const connection_limits& limits, time_point now);
  /// Updates the budget. A connection that the budget drops is closed, by `drop`, as if its client had left.
  template <class Drop>
  void hold(unsent_bytes& budget, time_point now, Drop drop) {
    was_held_ = true;
    if (!unsent_)
      unsent_ = budget.begin(std::move(drop), now);
    unsent_->hold(queue_.held(), now);
  }
  void end_write();
  /// Time when the client has to have taken the write under way; max() without one.
  time_point deadline() const { return deadline_; }

private:
  bool keep_alive_ = true;
  bool chunked_ = true;

  write_queue queue_;
  time_point deadline_ = time_point::max();
  /// Share of the budget of all connections, while a write is under way.
  std::unique_ptr<unsent_bytes::share> unsent_;
  bool was_held_ = false;
};

} // namespace troupe::net
