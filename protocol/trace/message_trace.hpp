#pragma once

#include "protocol/http/http.hpp"
#include "protocol/message/message.hpp"
#include "protocol/trace/span.hpp"
#include "protocol/trace/trace_position.hpp"

#include <array>
#include <cstddef>

namespace troupe::protocol {

/// The trace of a request that came in: the one that `params._meta` names, or else the one that the header names, or
/// else one that begins with it and has `random` as its id. Whether it is sampled is decided. What a stranger says of a
/// trace counts for nothing: spans cost us and the collector, and with an id one can choose to have some.
request_trace trace_of(const message& request, const http_request& in, const sampler& chosen,
                       const std::array<std::byte, 16>& random, bool is_strangers = false);

/// Writes where a request is in its trace into its `params._meta`, from where a server passes it on (SEP-414). Does
/// nothing when it is there already, or there is nowhere to write it.
void write_trace(message& request);

} // namespace troupe::protocol
