#pragma once

#include "protocol/access/permissions.hpp"
#include "protocol/message/message.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Tool, prompt or resource that a request names.
struct named_item {
  offered kind = offered::tool;
  std::string name;
  friend bool operator==(const named_item&, const named_item&) = default;
};

/// Most things that the requests of a POST may name where there are rules: all rules are applied to each.
inline constexpr std::size_t most_named = 1000;
/// Longest name or URI, as JSON, in bytes, where there are rules. A request with a longer one is refused, and a thing
/// with a longer one is hidden.
inline constexpr std::size_t longest_named = 8192;

/// Name of a thing in a message: a JSON token in its text.
struct naming {
  offered kind = offered::tool;
  std::string_view token;
};
/// Returns the names in a `tools/call`, `prompts/get`, `resources/read`, `resources/subscribe`,
/// `resources/unsubscribe`, `completion/complete`, `subscriptions/listen` or `notifications/resources/updated`; none
/// for other messages. A repeated member gives several, since readers may take either. Stops at one more than
/// `most_named`.
std::vector<naming> namings_in(const message& from);

/// Returns the lists of URIs in a `subscriptions/listen`, as JSON arrays in its text; none for other requests
/// (2026-07-28, subscriptions).
std::vector<std::string_view> subscriptions_in(const message& request);

/// Contents of a list: the kind of its items, and the names of the members with the items and with each item's name.
struct listed_items {
  offered kind = offered::tool;
  std::string_view items;
  std::string_view key;
};
/// Returns the contents of the answer to `tools/list` and so on; nothing for other methods.
std::optional<listed_items> items_listed_by(std::string_view method);

/// Returns the possible readings of a thing's name. Resources have the `readings_of_uri`, which explains `effort`.
/// Other names may also be read up to a null character, which ends a text for some servers. Returns nothing when the
/// readings are unknown, as for a file on a host that no rule names.
std::optional<std::vector<std::string>> readings_of(const permissions& rules, const named_item& one,
                                                    std::size_t* effort = nullptr);

/// Judges the things that one message names, by all readings of their names. A thing whose readings are unknown is
/// hidden from all callers as soon as there is a rule for its kind.
///
/// A URI of some bytes may have readings of many kilobytes, and all rules are applied to each. Therefore the work for a
/// message is limited, in about the bytes of all readings. Further things are hidden.
class item_authorizer {
public:
  explicit item_authorizer(std::size_t most = most_of_request) : left_{most} {}

  /// Returns a caller's right to use a thing of the server with these rules.
  permit authorize(const permissions& rules, const named_item& one, const principal& who);
  /// True if things were hidden only because it takes too long to judge all.
  bool is_exhausted() const { return exhausted_; }

  /// Limit for all names in one POST: some 0.2 s, as each message is judged once more when it is forwarded.
  static constexpr std::size_t most_of_request = std::size_t{8} << 20;
  /// Limit for all items of one answer: some 0.5 s.
  static constexpr std::size_t most_of_list = std::size_t{32} << 20;

private:
  bool spend(std::size_t cost);

  std::size_t left_;
  bool exhausted_ = false;
};

/// Limits of the work for a request and for a list, see `item_authorizer`.
struct authorization_budgets {
  std::size_t of_request = item_authorizer::most_of_request;
  std::size_t of_list = item_authorizer::most_of_list;
};

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
