#pragma once

#include "protocol/access/named_things.hpp"
#include "protocol/access/permissions.hpp"
#include "protocol/message/message.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace troupe::protocol {

/// Stands between one user and one server, and lets the user see and use what the permissions of who asks allow: lists
/// lose the rest, and what is not in them does not exist. It sees each request and each answer once.
class server_guard {
public:
  /// Without permissions, or for nobody in particular where none are asked for, everything passes. Lists whose answers
  /// are awaited; of further ones the items are lost.
  static constexpr std::size_t most_lists = 1000;

  explicit server_guard(std::shared_ptr<const permissions> rules) : rules_{std::move(rules)} {}

  /// A message for the server. Gives the answer to a request that names what does not exist for `who`; nothing when the
  /// message is to go on.
  std::optional<message> refuse(const message& to_server, const principal& who);
  /// A message of the server, as `who` may see it.
  message shown(message from_server, const principal& who);

private:
  bool is_idle() const { return !rules_ || !rules_->are_given(); }
  bool allows(const named_thing& one, const principal& who) const;

  std::shared_ptr<const permissions> rules_;
  /// What the answers to these requests list, by their ids.
  std::map<std::string, listed_things, std::less<>> lists_;
};

/// Somebody without credentials, for whom the rules hold as well: he has no scopes, no groups and no name.
const principal& nobody();

} // namespace troupe::protocol
