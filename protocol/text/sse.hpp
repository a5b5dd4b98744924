#pragma once

#include "protocol/text/line_reader.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Event of an SSE stream: on the wire, a block of fields that a blank line ends (WHATWG HTML, 9.2.5).
struct event {
  /// `id` field of the event, if it has one; a client resumes with it as `Last-Event-ID`. Never contains CR, LF or NUL.
  std::optional<std::string> id = {};
  /// `event` field. If empty, the field is not written, and readers assume `message`.
  std::string type = {};
  /// Text of the event; its line breaks, LF, CR or CRLF, arrive as LF. Empty in an event that only carries an id or a
  /// retry.
  std::string data = {};
  /// Time that a client waits before it connects again; never negative.
  std::optional<std::chrono::milliseconds> retry = {};

  friend bool operator==(const event&, const event&) = default;
};

/// Encodes an event: `event`, `id`, `retry` where present, always `data`, then the blank line. Without data, this is
/// the priming event of 2025-11-25, transports, "Sending Messages to the Server" 6: an id and an empty data field.
std::string encode(const event& e);
/// Appends an encoded event to `out`.
void encode_to(std::string& out, const event& e);

/// Encodes a comment, which every reader skips; keeps connections alive. Several lines become several comments. Allowed
/// only between events, because it ends with a blank line.
std::string comment(std::string_view text);

/// Longest retry that a decoder reports; longer ones are cut to it. Keeps a peer's number from overflowing the clock of
/// the code that uses it.
inline constexpr std::chrono::milliseconds longest_retry = std::chrono::hours{24};

/// Decodes the bytes of one connection, arriving in any pieces, into SSE events.
///
/// Follows WHATWG HTML, 9.2.6, "Interpreting an event stream", with two differences. An event with empty data is not
/// returned, since MCP has no empty message (its id and retry count). Text is returned as received, valid UTF-8 or not.
/// An event cut off by the end of the connection is dropped together with its id, as required.
class sse_decoder {
public:
  /// `event_limit`: maximum size of one event, in bytes as received: the sum of its lines with field names and without
  /// terminators. Comments and unknown fields count only while they are being read. A longer event ends the decoding,
  /// or is skipped if `skips`.
  explicit sse_decoder(std::size_t event_limit, bool skips = false) : event_limit_(event_limit), skips_(skips) {}

  /// Returns the events that `bytes` complete, oldest first; their type is never empty. Returns nothing once the
  /// decoder has overflowed.
  std::vector<event> feed(std::string_view bytes);

  /// Returns the skipped events that have ended since the last call, oldest first: the lines of each, without the name
  /// of the first field.
  std::vector<skipped_line> take_skipped() { return std::exchange(skipped_, {}); }

  /// Whether an event was too long and not skipped. Known as soon as it exceeds the limit, not only when it ends.
  bool overflowed() const { return overflowed_; }

  /// Id to resume after: the id of the last complete event that had one, with data or without. Empty if there was none,
  /// or if the peer withdrew it with an empty id. Valid until the next `feed`.
  std::string_view last_event_id() const { return last_event_id_; }

  /// Last valid retry that the peer sent.
  std::optional<std::chrono::milliseconds> retry() const { return retry_; }

private:
  void process_line(std::string_view line, std::vector<event>& events);
  bool store_field(std::string_view name, std::string_view value);
  void dispatch(std::vector<event>& events);
  void overflow();
  void begin_skip(std::string_view piece, bool ended);
  void skip(std::string_view piece, bool ended);

  std::size_t event_limit_;
  std::size_t event_size_ = 0;
  std::string rest_;
  event event_;
  std::string last_event_id_;
  std::optional<std::chrono::milliseconds> retry_;
  bool first_line_ = true;
  bool after_cr_ = false;
  bool overflowed_ = false;
  bool skips_;
  /// Event that is being skipped, whether its current line is empty so far, and the skipped events before it.
  std::optional<skipped_line> skipping_;
  bool is_empty_line_ = false;
  std::vector<skipped_line> skipped_;
};

} // namespace troupe::protocol
