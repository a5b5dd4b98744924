#pragma once

#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"

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

} // namespace troupe::protocol
