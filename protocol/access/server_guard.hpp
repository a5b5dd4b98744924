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
/// lose the rest, and what is not in them does not exist. A request for it reaches the server under a name that nothing
/// has, so that its answer is that to any unknown name. It sees each request and each answer once.
class server_guard {
public:
  /// Lists whose answers are awaited; further ones are refused.
  static constexpr std::size_t most_lists = 1000;

  /// Without permissions everything passes. `none` are letters and digits that nobody can guess, and nothing's name
  /// ends with.
  server_guard(std::shared_ptr<const permissions> rules, std::string none)
      : rules_{std::move(rules)}, none_{std::move(none)} {}

  /// A message for the server, which may be changed: what it names has to be allowed for `who`. Gives the answer to one
  /// that is not to go on.
  std::optional<message> refuse(message& to_server, const caller& who);
  /// A message of the server; the answer to a request as who asked it may see it.
  message shown(message from_server);

private:
  struct awaited_list {
    listed_things what;
    caller who;
  };

  bool is_idle() const { return !rules_ || !rules_->are_given(); }
  bool allows(const named_thing& one, const principal& who) const;
  void rename_hidden(message& request, const principal& who);
  message with_hidden_names(message from_server) const;

  std::shared_ptr<const permissions> rules_;
  std::string none_;
  /// What the answers to these requests list, by their ids.
  std::map<std::string, awaited_list, std::less<>> lists_;
  /// The server was asked for what nothing is called.
  bool has_renamed_ = false;
};

/// Who asks; for null somebody without credentials, for whom the rules hold as well: he has no scopes, no groups and no
/// name.
const principal& principal_of(const caller& who);

} // namespace troupe::protocol
