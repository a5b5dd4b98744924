#pragma once

#include "protocol/message/message.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Copies of the beginning and the end of a text, for use after the text itself is gone. Does not allocate.
class text_ends {
public:
  explicit text_ends(std::string_view of) : size_{of.size()} {
    of.copy(head_.data(), most);
    of.substr(of.size() - kept()).copy(tail_.data(), most);
  }

  std::string_view head() const { return {head_.data(), kept()}; }
  std::string_view tail() const { return {tail_.data(), kept()}; }
  /// Whether the text is longer than its kept beginning.
  bool is_cut() const { return size_ > most; }

private:
  static constexpr std::size_t most = 200;

  std::size_t kept() const { return std::min(size_, most); }

  std::size_t size_;
  std::array<char, most> head_;
  std::array<char, most> tail_;
};

/// Member of a JSON object, as it stands in the text.
struct cut_member {
  /// Name without its quotes, escapes unresolved.
  std::string_view key;
  /// Value; empty if the text is cut before the value ends.
  std::string_view value;
};

/// Returns the members at the beginning of a JSON object whose middle is missing, such as one too long to be stored.
/// The text need not be valid: reading stops where it no longer looks like an object.
///
/// The result has views into the argument.
std::vector<cut_member> members_of_head(std::string_view head);
/// Like `members_of_head`, but from the end, last member first. Omits a member whose value began before the tail.
std::vector<cut_member> members_of_tail(std::string_view tail);

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
