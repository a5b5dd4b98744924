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

} // namespace troupe::protocol
