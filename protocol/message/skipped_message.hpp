#pragma once

#include "protocol/message/message.hpp"
#include "protocol/text/truncated.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Consequences of a server's message that was skipped because it was too long or malformed.
struct skipped_message {
  /// Error response for the call that the message answered.
  std::optional<message> for_user = {};
  /// Error response to the server, if the message was its request.
  std::optional<message> for_server = {};
  /// Description of the message, as far as known, and of the consequence; for the log.
  std::string what;
};

/// Returns why a message longer than this is refused, with the configuration key of the limit; begins with a verb.
std::string too_long_text(std::size_t limit);

/// Judges a skipped message by its beginning and its end. A JSON-RPC response has its id before or after a result of
/// any length. If the id is unknown, because it is between two long members or in a batch, no call fails: the answer
/// may belong to another. The call then runs into its time limit.
skipped_message classify_skipped(std::string_view head, std::string_view tail, std::size_t limit);
/// Judges a message that could not be parsed, like `classify_skipped`. `why`: text of its rejection.
skipped_message classify_malformed(const text_ends& of, std::string_view why);

} // namespace troupe::protocol
