#pragma once

#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"

#include <initializer_list>
#include <optional>
#include <string_view>

namespace troupe::protocol {

/// The method of a request that clients make in some revision, or in an extension that is known here, as a text that
/// stays; empty for all others.
std::string_view known_client_method(std::string_view method);

/// Whether a server that compares methods leniently may take this one for one of a namespace, such as `tasks`: it
/// begins with that word in any case, whatever precedes it, or has characters that no method has.
bool may_be_of(std::string_view method, std::string_view of_namespace);

/// Whether a server that compares methods leniently may take this one for another method of MCP, so that rules about
/// that one would hold for it.
bool may_be_mistaken(std::string_view method);

/// Whether a server that reads names of members in other spellings may find another method in a request, or another
/// thing named by it. See `is_spelling_of`.
bool has_other_spellings(const message& request);

/// Whether it is a notification as clients have it.
inline bool is_client_notification(const message& one) {
  return one.kind == message_kind::notification && one.method.starts_with("notifications/");
}

/// Why a server must not get a message of a client: a request needs an id, without which nobody would answer for it,
/// and a notification has none (JSON-RPC 2.0, section 4.1).
std::optional<rejection> refuse_form_of(const message& from_client);

/// A request of the session era that 2026-07-28 has no more.
struct removed_method {
  std::string_view name;
  /// What does its work now.
  std::string_view instead;
};

/// The method when it was removed, otherwise null (2026-07-28, changelog).
const removed_method* find_removed_method(std::string_view name);

/// Whether a server may have questions for the client while it works on a request of that method (2026-07-28, multi
/// round-trip requests).
inline bool is_interactive(std::string_view method) {
  return method == "tools/call" || method == "prompts/get" || method == "resources/read";
}

/// Whether some server takes the key of a member for that name: one that compares names without regard to case, as Go's
/// standard library does, or one for which a text ends at a null character, as in C. No name is empty.
bool is_spelling_of(std::string_view key, std::string_view name);

/// Whether such a server takes the key for one of the names, though it is none of them.
bool is_other_spelling(std::string_view key, std::initializer_list<std::string_view> names);

} // namespace troupe::protocol
