#pragma once

#include "protocol/message/lists.hpp"
#include "protocol/message/message.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <variant>

namespace troupe::protocol {

/// Most resources that one `subscriptions/listen` may name.
inline constexpr std::size_t most_listened_uris = 1000;

/// What a `subscriptions/listen` asks to be told of (2026-07-28, subscriptions, "Subscription Filter").
struct listen_filter {
  std::set<list_group> lists = {};
  std::set<std::string> uris = {};

  friend bool operator==(const listen_filter&, const listen_filter&) = default;
};

/// Reads `params.notifications` of the request; otherwise says what is wrong with it.
std::variant<listen_filter, std::string> read_listen_filter(const message& request);

/// The part of it that a server with those capabilities can tell of; they are a JSON object.
listen_filter honoured(listen_filter filter, std::string_view capabilities);

/// As an acknowledgement says it: a JSON object.
std::string filter_text(const listen_filter& filter);

} // namespace troupe::protocol
