#pragma once

#include "protocol/message/message.hpp"
#include "protocol/text/sse.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Whether a response on an exchange with this single request answers it. Also accepts an error without an id, and the
/// id as a string.
bool answers(const message& response, const std::string& id);

/// Returns the response with our id in place of the server's.
message under_id(message response, const std::string& id);

/// Body of a remote server's HTTP response as it arrives: one JSON text, a stream of events, or bytes to skip.
class remote_answer {
public:
  enum class form { unread, json, events };

  remote_answer() = default;
  /// `limit` is the longest text or event, in bytes; a longer event is skipped if `skips`.
  remote_answer(form is, std::size_t limit, bool skips = false) : form_{is}, limit_{limit}, decoder_{limit, skips} {}

  form is() const { return form_; }
  /// Returns the events that the bytes complete.
  std::vector<event> feed(std::string_view bytes);
  std::vector<skipped_line> take_skipped() { return decoder_.take_skipped(); }
  /// Returns the JSON text, once the body is complete.
  std::string take_text() { return std::move(text_); }
  /// True if the body, or an event in it, was too long.
  bool overflowed() const { return overflowed_ || decoder_.overflowed(); }
  /// Id to resume after; empty when the server gave none that can be sent back.
  std::string_view last_event_id() const;
  std::optional<std::chrono::milliseconds> retry() const { return decoder_.retry(); }

private:
  form form_ = form::unread;
  std::size_t limit_ = 0;
  std::string text_;
  bool overflowed_ = false;
  sse_decoder decoder_{0};
};

/// Returns the form of a body by its `Content-Type`.
remote_answer::form form_of(std::string_view content_type);

} // namespace troupe::protocol
