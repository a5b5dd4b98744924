#pragma once

#include "protocol/http/entry.hpp"

#include <type_traits>
#include <utility>
#include <variant>

namespace troupe::tests {

using namespace protocol;

/// What a request is for, or why it is refused.
using told_request =
    std::variant<rejection, wants_health, wants_readiness, wants_preflight, wants_state, wants_metadata, wants_issuer,
                 wants_post, wants_stream, wants_end, wants_sse, wants_sse_post, wants_answer, wants_nothing>;

inline told_request told(http_request& request, const access_rules& at = {}) {
  auto as_told = [](auto&& what) { return told_request{std::move(what)}; };
  auto read = [&](auto&& what) {
    if constexpr (std::is_same_v<std::decay_t<decltype(what)>, wants_endpoint>)
      return std::visit(as_told, parse_request(request, std::move(what)));
    else
      return as_told(std::move(what));
  };
  return std::visit(read, enter(request, at));
}

} // namespace troupe::tests
