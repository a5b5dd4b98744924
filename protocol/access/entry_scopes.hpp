#pragma once

#include "protocol/access/permissions.hpp"
#include "protocol/access/thing_judge.hpp"
#include "protocol/message/message.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// A thing of one server.
struct guarded_thing {
  /// The server's own name of it.
  std::string name;
  /// The access rules of the server; never null.
  std::shared_ptr<const permissions> rules;
};
/// Finds the things that a client may mean by a name, one of each server that may have it. Null when all may use all.
using guarded_things = std::function<std::vector<guarded_thing>(const named_thing& shown)>;

/// Why a POST does not go on. Nothing when it does, if only to be told that there is no such thing.
///
/// 403 with all scopes that its requests need, and `every_request` does, when the caller lacks some of them and may
/// have what they name by them (2026-07-28, authorization, "Scope Challenge Handling"). 400 when all its requests
/// together name more than `most_named`, or URIs that may be read in too many ways.
std::optional<rejection> refuse_entry(const post_body& body, const guarded_things& meant_by, const principal& who,
                                      const std::vector<std::string>& every_request);

/// A `subscriptions/listen` without the resources that are hidden from who asks: a server is not asked for these. Any
/// other request as it is.
message without_hidden_subscriptions(message request, const guarded_things& meant_by, const principal& who);

} // namespace troupe::protocol
