#pragma once

#include "protocol/catalog/catalog_parts.hpp"
#include "protocol/message/message.hpp"
#include "protocol/time.hpp"

#include <cstdint>

namespace troupe::protocol {

// The client's requests: which are refused, and which part of the catalog carries out each of the others.

/// Refuses a request of the client, or begins it.
void take_client_request(catalog_parts& parts, message from, time_point now, catalog_effects& out);
/// `notifications/cancelled` of the client.
void cancel_client_request(catalog_parts& parts, const message& from, catalog_effects& out);
/// A server's answer to a request under an id of ours that served one of the client.
void take_member_answer(catalog_parts& parts, const member_request& asked, std::uint64_t own, message from,
                        time_point now, catalog_effects& out);

} // namespace troupe::protocol
