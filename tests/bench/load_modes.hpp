#pragma once

#include "tests/bench/load_options.hpp"

namespace troupe::bench {

// Each mode returns its figures. `errors` among them is 0 when all answers were right.

/// Sessions that each make one call after the other.
figures load_calls(const load_options& options);

/// Stateless calls (2026-07-28) of clients that each make one call after the other. With the tool `ask` the server asks
/// the client a question, and the call and its retry count as one.
figures load_stateless(const load_options& options);

/// Memory of idle sessions or leases that have made one call.
figures load_idle(const load_options& options);

/// Sessions that begin and end, one after the other.
figures load_connect(const load_options& options);

/// Idle sessions with a stream each: their cost, and how soon a notification has reached all of them.
figures load_streams(const load_options& options);

/// Calls over HTTP+SSE.
figures load_legacy(const load_options& options);

/// Clients that disconnect during any operation. Their next request must be answered.
figures load_churn(const load_options& options);

} // namespace troupe::bench
