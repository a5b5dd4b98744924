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

/// Why a POST does not go on. Nothing when it does, if only to be told that there is no such thing.
///
/// 403 with all scopes that its requests need, and `every_request` does, when the caller lacks some of them and may
/// have what they name by them (2026-07-28, authorization, "Scope Challenge Handling"). 400 when all its requests
/// together name more than `most_named`, or URIs that may be read in too many ways.
std::optional<rejection> refuse_entry(const post_body& body, const std::vector<guarded_server>& servers,
                                      const principal& who, const std::vector<std::string>& every_request);

/// A `subscriptions/listen` without the resources that are hidden from who asks: a server is not asked for these. Any
/// other request as it is.
message without_hidden_subscriptions(message request, const std::vector<guarded_server>& servers, const principal& who);

} // namespace troupe::protocol
