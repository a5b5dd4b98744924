#pragma once

#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"

#include <initializer_list>
#include <optional>
#include <string_view>

namespace troupe::protocol {

/// Returns the method as a static text if clients use it in some revision or in a known extension; empty for other
/// methods.
std::string_view known_client_method(std::string_view method);

/// Whether a lenient server may take a method for one of a namespace, such as `tasks`. True if its first word, in any
/// case and after any other characters, is the namespace, or if it has characters that no method has.
bool may_be_of(std::string_view method, std::string_view of_namespace);

/// Whether a server that compares methods leniently may take a method for another one of MCP, whose rules would then
/// have to apply.
bool may_be_mistaken(std::string_view method);

/// Whether a server that reads member names in other spellings may find another method in a request, or another item
/// named by it. See `is_spelling_of`.
bool has_other_spellings(const message& request);

/// Whether a message is a notification whose method begins with `notifications/`, as those of clients do.
inline bool is_client_notification(const message& one) {
  return is_notification(one) && one.method.starts_with("notifications/");
}

/// Refuses a client's message that a server must not get: a request needs an id, without which it would never be
/// answered, and a notification has none (JSON-RPC 2.0, section 4.1).
std::optional<rejection> refuse_form_of(const message& from_client);

/// Request of the session era that 2026-07-28 removed.
struct removed_method {
  std::string_view name;
  /// Description of its replacement.
  std::string_view instead;
};

/// Finds a removed method; null if the method was not removed (2026-07-28, changelog).
const removed_method* find_removed_method(std::string_view name);

/// Whether a server may send requests to the client while it handles this method (2026-07-28, multi round-trip
/// requests).
inline bool is_interactive(std::string_view method) {
  return method == "tools/call" || method == "prompts/get" || method == "resources/read";
}

/// Whether some server takes the key of a member for `name`, which is not empty. Some compare names without regard to
/// case, as Go's standard library does; for others a text ends at a null character, as in C.
bool is_spelling_of(std::string_view key, std::string_view name);

/// Whether such a server takes the key for one of the names, although it is none of them.
bool is_other_spelling(std::string_view key, std::initializer_list<std::string_view> names);

} // namespace troupe::protocol
