#pragma once

#include "protocol/access/named_things.hpp"
#include "protocol/access/permissions.hpp"
#include "protocol/message/message.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// A server as a session knows it, and who may use what of it.
struct guarded_server {
  /// Gives the server's own name of a thing that clients call by this one; nothing when it is none of the server's.
  std::function<std::optional<std::string>(const named_thing& shown)> own_name;
  /// Never null.
  std::shared_ptr<const permissions> rules;
};

/// The scopes that the requests of a POST need, all of them, when the caller lacks some of them and may have what they
/// name by them; nothing when they may go on, if only to be told that there is no such thing (2026-07-28,
/// authorization, "Scope Challenge Handling").
std::optional<std::vector<std::string>> scopes_lacked(const post_body& body, const std::vector<guarded_server>& servers,
                                                      const principal& who);

/// A `subscriptions/listen` without the resources that are hidden from who asks: a server is not asked for these. Any
/// other request as it is.
message without_hidden_subscriptions(message request, const std::vector<guarded_server>& servers, const principal& who);

} // namespace troupe::protocol
