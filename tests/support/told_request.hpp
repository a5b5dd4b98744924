#pragma once

#include "protocol/http/entry.hpp"

#include <type_traits>
#include <utility>
#include <variant>

namespace troupe::tests {

using namespace protocol;

/// What a request is for, or why it is refused.
using told_request = std::variant<rejection, health_request, readiness_request, preflight_request, state_request,
                                  metadata_request, issuer_request, post_request, stream_request, delete_request,
                                  sse_request, sse_post_request, stateless_post, dropped_notification>;

inline told_request told(http_request& request, const access_rules& at = {}) {
  auto as_told = [](auto&& what) { return told_request{std::move(what)}; };
  auto read = [&](auto&& what) {
    if constexpr (std::is_same_v<std::decay_t<decltype(what)>, mcp_request>)
      return std::visit(as_told, parse_request(request, std::move(what)));
    else
      return as_told(std::move(what));
  };
  return std::visit(read, enter(request, at));
}

} // namespace troupe::tests
