#pragma once

#include "protocol/http/http.hpp"
#include "protocol/message/message.hpp"
#include "protocol/trace/span.hpp"
#include "protocol/trace/trace_position.hpp"

#include <array>
#include <cstddef>

namespace troupe::protocol {

/// Returns the trace of a request: the one in `params._meta`, or else in the header, or else a new one with `random` as
/// its id. Decides whether it is sampled. `is_anonymous_remote`: the client is neither authenticated nor local, and its
/// trace is ignored: it could force costly spans by its choice of id.
request_trace trace_of(const message& request, const http_request& in, const sampler& chosen,
                       const std::array<std::byte, 16>& random, bool is_anonymous_remote = false);

/// Writes the position of a request in its trace into its `params._meta`, from where a server passes it on (SEP-414).
/// Does nothing if it is there already, or there is no place to write it.
void write_trace(message& request);

} // namespace troupe::protocol
