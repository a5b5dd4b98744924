#pragma once

#include "protocol/message/message.hpp"
#include "protocol/remote/remote_effects.hpp"
#include "protocol/text/sse.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Whether a response that came over an exchange with this one request is the answer to it: an error without an id, or
/// its id as a string, is for that one too.
bool answers(const message& response, const std::string& id);

/// The response under our id, whatever id the server gave it.
message under_id(message response, const std::string& id);

/// The body of a remote server's HTTP answer as it arrives: one JSON text, a stream of events, or bytes that are
/// skipped.
class remote_answer {
public:
  enum class form { unread, json, events };

  remote_answer() = default;
  /// `limit` is the longest text or event, in bytes; a longer event is skipped if `skips`.
  remote_answer(form is, std::size_t limit, bool skips = false) : form_{is}, limit_{limit}, decoder_{limit, skips} {}

  form is() const { return form_; }
  /// The events that the bytes complete.
  std::vector<event> feed(std::string_view bytes);
  std::vector<skipped_line> take_skipped() { return decoder_.take_skipped(); }
  /// The JSON text, once the body is complete.
  std::string take_text() { return std::move(text_); }
  /// The body, or an event of it, was too long.
  bool overflowed() const { return overflowed_ || decoder_.overflowed(); }
  /// The id to resume after; empty when the server gave none that we would send back.
  std::string_view last_event_id() const;
  std::optional<std::chrono::milliseconds> retry() const { return decoder_.retry(); }

private:
  form form_ = form::unread;
  std::size_t limit_ = 0;
  std::string text_;
  bool overflowed_ = false;
  sse_decoder decoder_{0};
};

/// What a `Content-Type` says of the body.
remote_answer::form form_of(std::string_view content_type);

} // namespace troupe::protocol
