#pragma once

#include "protocol/http/http.hpp"
#include "protocol/message/message.hpp"
#include "protocol/trace/trace_position.hpp"

#include <optional>
#include <string>

namespace troupe::protocol {

/// Where in a trace a request was sent, by what came with it: by `traceparent`, and `tracestate` with it, in
/// `params._meta` (SEP-414), or else by the fields of that name in the header.
struct came_position {
  /// Nothing when neither says so in a valid way.
  std::optional<trace_position> at;
  /// It was `params._meta` that did.
  bool is_in_text = false;
  /// Of `params._meta`, or else of the header, in a trace or not; may be empty.
  std::string baggage = {};
};

came_position position_of(const message& request, const http_request& in);

} // namespace troupe::protocol
