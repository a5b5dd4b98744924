#pragma once

#include "protocol/message/message.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// A message of a session, for who follows that.
struct followed_message {
  const message& what;
  /// `client` or `server`: who has said it.
  std::string_view from;
  /// Of a request or a response: its id as the asker has it, a JSON token.
  std::string_view id;
  /// The tool or prompt that a request names; empty when it names none.
  std::string_view name;
  std::chrono::system_clock::time_point at;
};

/// Its event. What the message says is in it `with_content` only.
std::string followed_event(const followed_message& one, bool with_content);
/// The last event: the session has ended.
std::string end_of_following();

} // namespace troupe::protocol
