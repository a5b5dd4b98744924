#pragma once

#include "protocol/access/permissions.hpp"
#include "protocol/message/message.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// A tool, prompt or resource that a request names.
struct named_thing {
  offered kind = offered::tool;
  std::string name;
  friend bool operator==(const named_thing&, const named_thing&) = default;
};

/// Most that the requests of a POST may name where there are rules: each is judged by all of them.
inline constexpr std::size_t most_named = 1000;
/// Longest name or URI, as JSON, in bytes, where there are rules: a request with a longer one is refused, and a thing
/// that has one is hidden.
inline constexpr std::size_t longest_named = 8192;

/// Where a message names a thing: a JSON token in its text.
struct naming {
  offered kind = offered::tool;
  std::string_view token;
};
/// What a message is about: of `tools/call`, `prompts/get`, `resources/read`, `resources/subscribe`,
/// `resources/unsubscribe`, `completion/complete`, `subscriptions/listen` and `notifications/resources/updated`.
/// Several when a member stands twice, of which readers may take either. None for other messages. Where more is named
/// than may be, one more than `most_named`.
std::vector<naming> namings_in(const message& from);

/// The lists of URIs that a `subscriptions/listen` is about, JSON arrays in its text; none in other requests
/// (2026-07-28, subscriptions).
std::vector<std::string_view> subscriptions_in(const message& request);

/// What the items of a list are, and which member of each names it.
struct listed_things {
  offered kind = offered::tool;
  std::string_view items;
  std::string_view key;
};
/// Of the answer to `tools/list` and so on; nothing for other methods.
std::optional<listed_things> things_listed_by(std::string_view method);

/// What a thing may be read as: a resource as `readings_of_uri` has it, which says what `effort` is, and any other by
/// the part of its name, too, that is left for servers for which a null character ends a text. Nothing when that cannot
/// be told, as of a file on a host that no rule names.
std::optional<std::vector<std::string>> readings_of(const permissions& rules, const named_thing& one,
                                                    std::size_t* effort = nullptr);

/// Judges the things that one message names, by whatever they may be read as. One of which that cannot be told is
/// hidden from all as soon as there is a rule for things of its kind.
///
/// A URI of some bytes may have readings of many kilobytes, and each is judged by all rules. So there is a limit to
/// what is judged for a message, in about the bytes of all readings; the things beyond it are hidden.
class thing_judge {
public:
  explicit thing_judge(std::size_t most = most_of_request) : left_{most} {}

  /// What somebody may do with a thing of the server that has these rules.
  permit judge(const permissions& rules, const named_thing& one, const principal& who);
  /// Things were hidden only because it takes too long to judge all.
  bool is_exhausted() const { return exhausted_; }

  /// For all that one POST names: some 0.2 s, since each of its messages is judged once more when it is sent on.
  static constexpr std::size_t most_of_request = std::size_t{8} << 20;
  /// For what one answer lists: some 0.5 s.
  static constexpr std::size_t most_of_list = std::size_t{32} << 20;

private:
  bool spend(std::size_t cost);

  std::size_t left_;
  bool exhausted_ = false;
};

/// How much is judged of what others say, see `thing_judge`.
struct judging_budgets {
  std::size_t of_request = thing_judge::most_of_request;
  std::size_t of_list = thing_judge::most_of_list;
};

} // namespace troupe::protocol
