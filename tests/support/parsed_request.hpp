#pragma once

#include "protocol/http/entry.hpp"

#include <type_traits>
#include <utility>
#include <variant>

namespace troupe::tests {

using namespace protocol;

/// The parsed form of a request, or its refusal.
using parsed_request = std::variant<rejection, health_request, readiness_request, preflight_request, state_request,
                                    metadata_request, issuer_request, post_request, stream_request, delete_request,
                                    sse_request, sse_post_request, stateless_post, dropped_notification>;

inline parsed_request parsed(http_request& request, const access_rules& at = {}) {
  auto as_parsed = [](auto&& what) { return parsed_request{std::move(what)}; };
  auto read = [&](auto&& what) {
    if constexpr (std::is_same_v<std::decay_t<decltype(what)>, mcp_request>)
      return std::visit(as_parsed, parse_request(request, std::move(what)));
    else
      return as_parsed(std::move(what));
  };
  return std::visit(read, enter(request, at));
}

} // namespace troupe::tests
