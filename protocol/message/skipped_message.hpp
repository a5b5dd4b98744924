#pragma once

#include "protocol/message/message.hpp"
#include "protocol/text/truncated.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// What follows from a server's message that was skipped because it was too long or malformed.
struct skipped_message {
  /// Answers the call that the message answered, with an error.
  std::optional<message> for_user = {};
  /// Answers the question that the message was, with an error.
  std::optional<message> for_server = {};
  /// What the message was, as far as it can be told, and what becomes of it; for the log.
  std::string what;
};

/// Why a message that is longer than this is refused, with the key that allows more; begins with a verb.
std::string too_long_text(std::size_t limit);

/// Judges a skipped message by its beginning and its end. A JSON-RPC response has its id before or after a result that
/// may be as long as it likes. When the id cannot be told, because it stands between two long members or in a batch, no
/// call is failed: it might be another's. Whoever waits for the answer runs into the time limit of the call.
skipped_message judge_skipped(std::string_view head, std::string_view tail, std::size_t limit);
/// Judges a message that could not be read in the same way. `why` is the text of its rejection.
skipped_message judge_malformed(const text_ends& of, std::string_view why);

} // namespace troupe::protocol
