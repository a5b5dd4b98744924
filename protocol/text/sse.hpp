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

/// One event of an SSE stream: on the wire, a block of fields that a blank line ends (WHATWG HTML, 9.2.5).
struct event {
  /// The event's own `id` field, if it has one; a client resumes with it as `Last-Event-ID`. Never holds CR, LF
  /// or NUL.
  std::optional<std::string> id = {};
  /// The `event` field. Empty means it is not written; a reader then takes it as `message`.
  std::string type = {};
  /// The text; its line breaks, LF, CR or CRLF, arrive as LF. Empty in an event that only carries an id or a retry.
  std::string data = {};
  /// How long a client waits before it connects again; never negative.
  std::optional<std::chrono::milliseconds> retry = {};

  friend bool operator==(const event&, const event&) = default;
};

/// The bytes of an event: `event`, `id`, `retry` where present, always `data`, then the blank line. Without data that
/// is the priming event of 2025-11-25, transports, "Sending Messages to the Server" 6: an id and an empty data field.
std::string encode(const event& e);
/// The same behind other bytes.
void encode_to(std::string& out, const event& e);

/// The bytes of a comment, which every reader skips; keeps connections alive. Several lines become several comments.
/// May stand between events only: it ends with a blank line.
std::string comment(std::string_view text);

/// The longest retry that a decoder reports; a longer one is taken as this. Keeps a peer's number from overflowing
/// the caller's clock.
inline constexpr std::chrono::milliseconds longest_retry = std::chrono::hours{24};

/// An SSE decoder turns the bytes of one connection, in whatever pieces they arrive, into events.
///
/// Follows WHATWG HTML, 9.2.6, "Interpreting an event stream", with two differences: an event whose data is empty is
/// not returned, since MCP has no empty message (its id and retry count), and text is returned as it came, valid UTF-8
/// or not. An event that the end of the connection cuts off is lost, as it must be, together with its id.
class sse_decoder {
public:
  /// `event_limit` bounds one event, in bytes as they came: the sum of its lines with field names and without
  /// terminators. Comments and unknown fields count only while they are being read.
  /// A longer one ends the decoding, or is skipped if `skips`.
  explicit sse_decoder(std::size_t event_limit, bool skips = false) : event_limit_(event_limit), skips_(skips) {}

  /// The events that `bytes` complete, oldest first; their type is never empty. Once the decoder has overflowed it
  /// returns nothing.
  std::vector<event> feed(std::string_view bytes);

  /// The events that were skipped since this was last called, and have ended; oldest first. Of each
  /// the lines, where the name of the first field is left out.
  std::vector<skipped_line> take_skipped() { return std::exchange(skipped_, {}); }

  /// Whether an event was too long, and not skipped. Known as soon as it exceeds the limit, not only when it ends.
  bool overflowed() const { return overflowed_; }

  /// The id to resume after: that of the last complete event that had one, with data or without. Empty when there was
  /// none, or when the peer took it back with an empty one. Valid until the next `feed`.
  std::string_view last_event_id() const { return last_event_id_; }

  /// The last valid retry that the peer asked for.
  std::optional<std::chrono::milliseconds> retry() const { return retry_; }

private:
  void take(std::string_view line, std::vector<event>& events);
  bool take_field(std::string_view name, std::string_view value);
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
  /// The event that is being skipped, whether its current line is empty so far, and those before it.
  std::optional<skipped_line> skipping_;
  bool is_empty_line_ = false;
  std::vector<skipped_line> skipped_;
};

} // namespace troupe::protocol
