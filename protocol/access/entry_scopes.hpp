#pragma once

#include "protocol/access/item_authorizer.hpp"
#include "protocol/access/permissions.hpp"
#include "protocol/message/message.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::protocol {

/// Tool, prompt or resource of one server.
struct guarded_item {
  /// Name at the server itself.
  std::string name;
  /// Access rules of the server; never null.
  std::shared_ptr<const permissions> rules;
};
/// Finds the things that a client may mean by a name, up to one a server. Null when all callers may use everything.
using guarded_items = std::function<std::vector<guarded_item>(const named_item& shown)>;

/// Returns the rejection of a POST; nothing when it may proceed, even if only to the error for an unknown name.
///
/// 403 if the caller lacks scopes that would give access to the things named. It lists all scopes needed, those of
/// `every_request` included (2026-07-28, authorization, "Scope Challenge Handling"). 400 if all requests together name
/// more than `most_named` things, or URIs that may be read in too many ways.
std::optional<rejection> refuse_entry(const post_body& body, const guarded_items& meant_by, const principal& who,
                                      const std::vector<std::string>& every_request);

/// Removes the resources hidden from the caller from a `subscriptions/listen`, so that no server is queried for them.
/// Other requests stay as they are.
message without_hidden_subscriptions(message request, const guarded_items& meant_by, const principal& who);

} // namespace troupe::protocol
