#pragma once

#include "protocol/access/item_authorizer.hpp"
#include "protocol/access/permissions.hpp"
#include "protocol/message/message.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::protocol {

/// Filters the messages between one user and one server by the permissions of the caller. Lists lose the things that
/// are not allowed. A request for such a thing reaches the server under a name that does not exist, and gets the answer
/// for any unknown name. Answers must not be cached for other callers. The guard sees each request and each answer
/// once.
class server_guard {
public:
  /// Most requests whose answers are awaited in order to change them; further ones are refused.
  static constexpr std::size_t most_awaited = 1000;

  /// Without permissions everything passes. `none` consists of letters and digits that cannot be guessed, so that no
  /// name begins with it. Requests and lists that exceed their budget fail.
  server_guard(std::shared_ptr<const permissions> rules, std::string none, authorization_budgets budgets = {})
      : rules_{std::move(rules)}, none_{std::move(none)}, budgets_{budgets} {}

  /// Checks a message for the server, and may change it: `who` must be allowed to use the things named. Returns the
  /// answer to a message that must not be forwarded.
  std::optional<message> refuse(message& to_server, const caller& who);
  /// Filters a message of the server: an answer for the caller of its request, any other for `who`. Returns nothing
  /// when it is about a resource that is hidden from `who`.
  std::optional<message> for_client(message from_server, const caller& who);

private:
  /// How to change the answer to a request.
  struct awaited_answer {
    /// Kind of the list; empty if the answer is none.
    std::optional<listed_items> list;
    /// Caller of the request.
    caller who;
    /// Numbers in the replacements of hidden names that the request contains.
    std::vector<std::uint64_t> renamed;
  };

  struct hidden_name {
    std::string made_up;
    /// Text between the quotes of a JSON string.
    std::string original;
  };
  /// Hidden names, by the numbers in their replacements.
  using hidden_names = std::map<std::uint64_t, hidden_name>;

  bool is_idle() const { return !rules_ || !rules_->are_given(); }
  bool allows(item_authorizer& judge, const named_item& one, const principal& who) const;
  hidden_names rename_hidden(message& request, const std::vector<naming>& named, item_authorizer& judge,
                             const principal& who);
  bool tells_of_hidden(const message& from_server, const principal& who) const;
  message response_for_client(message answer);
  message with_hidden_names(message from_server) const;
  const hidden_name* hidden_at(std::string_view text, std::size_t at) const;
  void await(const std::string& request, awaited_answer what, hidden_names names);
  awaited_answer take_awaited(const std::string& request);

  std::shared_ptr<const permissions> rules_;
  std::string none_;
  authorization_budgets budgets_;
  /// Answers that are to be changed, by request id.
  std::map<std::string, awaited_answer, std::less<>> awaited_;
  hidden_names hidden_;
  std::uint64_t last_hidden_ = 0;
};

} // namespace troupe::protocol
