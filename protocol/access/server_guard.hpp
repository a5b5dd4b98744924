#pragma once

#include "protocol/access/permissions.hpp"
#include "protocol/access/thing_judge.hpp"
#include "protocol/message/message.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::protocol {

/// Stands between one user and one server, and lets the user see and use what the permissions of who asks allow: lists
/// lose the rest, and what is not in them does not exist. A request for it reaches the server under a name that nothing
/// has, so that its answer is that to any unknown name; no answer may be kept for others than who asked. It sees each
/// request and each answer once.
class server_guard {
public:
  /// Requests whose answers are awaited because they have to be changed; further ones are refused.
  static constexpr std::size_t most_awaited = 1000;

  /// Without permissions everything passes. `none` are letters and digits that nobody can guess, so that no name begins
  /// with them. Requests and lists that exceed their budget fail.
  server_guard(std::shared_ptr<const permissions> rules, std::string none, judging_budgets budgets = {})
      : rules_{std::move(rules)}, none_{std::move(none)}, budgets_{budgets} {}

  /// A message for the server, which may be changed: what it names has to be allowed for `who`. Gives the answer to one
  /// that is not to go on.
  std::optional<message> refuse(message& to_server, const caller& who);
  /// A message of the server: the answer to a request as who asked it may see it, any other as `who` may. Nothing when
  /// it is about a resource that does not exist for `who`.
  std::optional<message> shown(message from_server, const caller& who);

private:
  struct awaited_list {
    listed_things what;
    caller who;
  };

  struct hidden_name {
    std::string made_up;
    /// Between the quotes of JSON.
    std::string original;
  };
  /// By the numbers in them.
  using hidden_names = std::map<std::uint64_t, hidden_name>;

  bool is_idle() const { return !rules_ || !rules_->are_given(); }
  bool allows(thing_judge& judge, const named_thing& one, const principal& who) const;
  hidden_names rename_hidden(message& request, const std::vector<naming>& named, thing_judge& judge,
                             const principal& who);
  bool tells_of_hidden(const message& from_server, const principal& who) const;
  message answer_shown(message answer);
  message with_hidden_names(message from_server) const;
  const hidden_name* hidden_at(std::string_view text, std::size_t at) const;
  void remember(const std::string& request, hidden_names names);
  void forget(const std::string& request);
  void forget_names(const std::string& request);

  std::shared_ptr<const permissions> rules_;
  std::string none_;
  judging_budgets budgets_;
  /// What the answers to these requests list, by their ids.
  std::map<std::string, awaited_list, std::less<>> lists_;
  /// The numbers in what the server is asked for instead, by the ids of the requests.
  std::map<std::string, std::vector<std::uint64_t>, std::less<>> renamed_;
  hidden_names hidden_;
  std::uint64_t last_hidden_ = 0;
};

} // namespace troupe::protocol
