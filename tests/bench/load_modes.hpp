#pragma once

#include "tests/bench/load_options.hpp"

namespace troupe::bench {

// Each mode returns its figures; `errors` among them is 0 when all that was answered was right.

/// Sessions that each make one call after the other.
figures load_calls(const load_options& options);

/// Calls that no session has (2026-07-28), of clients that each make one call after the other. Their tool may be `ask`:
/// the server asks the client something then, and the call and its retry count as one.
figures load_stateless(const load_options& options);

/// Sessions, or leases, that have made a call and are idle: the memory that they take.
figures load_idle(const load_options& options);

/// Sessions that begin and end, one after the other.
figures load_connect(const load_options& options);

/// Sessions with a stream each, that wait: what they cost, and how soon a notification has reached all of them.
figures load_streams(const load_options& options);

/// Calls by HTTP+SSE.
figures load_legacy(const load_options& options);

/// Clients that break off: whatever they were doing, their next request is answered.
figures load_churn(const load_options& options);

} // namespace troupe::bench
